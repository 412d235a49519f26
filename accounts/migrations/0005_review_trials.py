"""Let managers and administrators read a drill's rows and confirm golden rows; auditors look and change nothing."""

from django.db import migrations

from accounts.migrations._granting import granting


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_approvals"),
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
                    (
                        "review_trials",
                        "Can read the rows of a drill for its decision, and confirm golden rows",
                    ),
                    ("break_glass", "Can decide alone for an hour, as one of two named holders"),
                ),
                "verbose_name": "user",
                "verbose_name_plural": "users",
            },
        ),
        granting(
            {"review_trials": "Can read the rows of a drill for its decision, and confirm golden rows"},
            {"manager": ("review_trials",), "administrator": ("review_trials",)},
        ),
    ]
