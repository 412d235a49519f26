"""Let people approve writes and look after what stands before them; make the group of those who break glass."""

from django.db import migrations

from accounts.migrations._granting import granting


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_people"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="user",
            options={
                "permissions": (
                    ("see_incidents", "Can see the incidents of their teams"),
                    ("see_every_team", "Can see the incidents of every team"),
                    ("triage_incidents", "Can acknowledge, assign, close and reopen incidents"),
                    ("submit_claims", "Can enter a claim"),
                    ("manage_tools", "Can deny, pause and resume tools"),
                    ("manage_rules", "Can suspend rules and lift suspensions"),
                    ("manage_people", "Can invite people, give roles and teams, and switch accounts off"),
                    ("approve_writes", "Can approve and deny production writes"),
                    (
                        "manage_writes",
                        "Can flip the write switch, close breakers and keep the change calendar",
                    ),
                    ("break_glass", "Can decide alone for an hour, as one of two named holders"),
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        granting(
            {
                "approve_writes": "Can approve and deny production writes",
                "manage_writes": "Can flip the write switch, close breakers and keep the change calendar",
                "break_glass": "Can decide alone for an hour, as one of two named holders",
            },
            {
                "on-call": ("approve_writes",),
                "manager": ("approve_writes", "manage_writes"),
                "administrator": ("approve_writes", "manage_writes"),
                "break-glass": ("break_glass",),
            },
        ),
    ]
