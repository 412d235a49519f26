"""People, teams, roles and what each may do; invitations, tokens, failed sign-ins, forms that were sent."""

from django.conf import settings
from django.contrib.auth.models import UserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import migrations, models
from django.utils import timezone

from accounts.migrations._granting import granting

_KEY = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))

PERMISSIONS = {
    "see_incidents": "Can see the incidents of their teams",
    "see_every_team": "Can see the incidents of every team",
    "triage_incidents": "Can acknowledge, assign, close and reopen incidents",
    "submit_claims": "Can enter a claim",
    "manage_tools": "Can deny, pause and resume tools",
    "manage_rules": "Can suspend rules and lift suspensions",
    "manage_people": "Can invite people, give roles and teams, and switch accounts off",
    "approve_writes": "Can approve and deny production writes",
    "manage_writes": "Can flip the write switch, close breakers and keep the change calendar",
    "review_trials": "Can read the rows of a drill for its decision, and confirm golden rows",
    "break_glass": "Can decide alone for an hour, as one of two named holders",
}
_READING = ("see_incidents",)
_WORKING = (*_READING, "triage_incidents", "submit_claims")
_LEADING = (*_WORKING, "see_every_team", "approve_writes", "manage_writes", "review_trials")
ROLES = {
    "support": _WORKING,
    "on-call": (*_WORKING, "approve_writes"),
    "manager": _LEADING,
    "administrator": (*_LEADING, "manage_tools", "manage_rules", "manage_people"),
    "auditor": (*_READING, "see_every_team"),
    # No role, but the two who may decide alone for an hour.
    "break-glass": ("break_glass",),
}

TABLES = [
    migrations.CreateModel(
        name="Team",
        fields=[
            _KEY,
            ("name", models.CharField(max_length=80, unique=True)),
            ("slug", models.SlugField(max_length=80, unique=True)),
        ],
        options={"ordering": ("name",)},
    ),
    migrations.CreateModel(
        name="User",
        fields=[
            _KEY,
            ("password", models.CharField(max_length=128, verbose_name="password")),
            ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
            (
                "is_superuser",
                models.BooleanField(
                    default=False,
                    help_text="Designates that this user has all permissions without explicitly assigning them.",
                    verbose_name="superuser status",
                ),
            ),
            (
                "username",
                models.CharField(
                    error_messages={"unique": "A user with that username already exists."},
                    help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                    max_length=150,
                    unique=True,
                    validators=[UnicodeUsernameValidator()],
                    verbose_name="username",
                ),
            ),
            ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
            ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
            ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
            (
                "is_staff",
                models.BooleanField(
                    default=False,
                    help_text="Designates whether the user can log into this admin site.",
                    verbose_name="staff status",
                ),
            ),
            (
                "is_active",
                models.BooleanField(
                    default=True,
                    help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                    verbose_name="active",
                ),
            ),
            ("date_joined", models.DateTimeField(default=timezone.now, verbose_name="date joined")),
            (
                "time_zone",
                models.CharField(
                    blank=True, default="", help_text="IANA name; empty for the browser's own", max_length=64
                ),
            ),
            (
                "theme",
                models.CharField(
                    blank=True, default="", help_text="empty for the browser's choice", max_length=6
                ),
            ),
            (
                "groups",
                models.ManyToManyField(
                    blank=True,
                    help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                    related_name="user_set",
                    related_query_name="user",
                    to="auth.group",
                    verbose_name="groups",
                ),
            ),
            (
                "user_permissions",
                models.ManyToManyField(
                    blank=True,
                    help_text="Specific permissions for this user.",
                    related_name="user_set",
                    related_query_name="user",
                    to="auth.permission",
                    verbose_name="user permissions",
                ),
            ),
            ("teams", models.ManyToManyField(blank=True, related_name="people", to="accounts.team")),
        ],
        options={
            "verbose_name": "user",
            "verbose_name_plural": "users",
            "permissions": tuple(PERMISSIONS.items()),
            "abstract": False,
        },
        managers=[("objects", UserManager())],
    ),
    migrations.CreateModel(
        name="Invitation",
        fields=[
            _KEY,
            ("email", models.EmailField(max_length=254)),
            ("role", models.CharField(help_text="the group's name", max_length=20)),
            (
                "team",
                models.ForeignKey(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="invitations",
                    to="accounts.team",
                ),
            ),
            (
                "secret_digest",
                models.CharField(help_text="SHA-256 of 256 random bits", max_length=64, unique=True),
            ),
            (
                "made_by",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="invitations_made", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("made_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField()),
            ("accepted_at", models.DateTimeField(blank=True, null=True)),
            (
                "accepted_by",
                models.OneToOneField(
                    blank=True,
                    null=True,
                    on_delete=models.PROTECT,
                    related_name="invitation",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("-made_at",),
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("expires_at__gt", models.F("made_at"))),
                    name="invitation_ends_after_it_begins",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="SignInAttempt",
        fields=[
            _KEY,
            ("name_digest", models.CharField(help_text="SHA-256 of the name in lower case", max_length=64)),
            ("address", models.CharField(max_length=64)),
            ("tried_at", models.DateTimeField()),
        ],
        options={
            "indexes": [
                models.Index(fields=["name_digest", "tried_at"], name="attempts_by_name"),
                models.Index(fields=["address", "tried_at"], name="attempts_by_address"),
            ],
        },
    ),
    migrations.CreateModel(
        name="Token",
        fields=[
            _KEY,
            ("name", models.SlugField(help_text="never given to another token", max_length=60, unique=True)),
            (
                "owner",
                models.ForeignKey(
                    on_delete=models.PROTECT, related_name="tokens", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "secret_digest",
                models.CharField(help_text="SHA-256 of 256 random bits", max_length=64, unique=True),
            ),
            ("scopes", models.JSONField(default=list)),
            ("tools", models.JSONField(default=list, help_text="the tools it may ask; empty for all")),
            ("audience", models.CharField(help_text="the address that it was made for", max_length=200)),
            (
                "investigation",
                models.BigIntegerField(
                    blank=True, help_text="the one investigation that it may see and submit to", null=True
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField()),
            ("first_used_at", models.DateTimeField(blank=True, null=True)),
            ("last_used_at", models.DateTimeField(blank=True, null=True)),
            ("revoked_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "ordering": ("name",),
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("expires_at__gt", models.F("created_at"))),
                    name="token_ends_after_it_begins",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="SentForm",
        fields=[
            (
                "digest",
                models.CharField(
                    help_text="of the person, address and fields",
                    max_length=64,
                    primary_key=True,
                    serialize=False,
                ),
            ),
            ("sent_at", models.DateTimeField(db_index=True)),
            ("is_done", models.BooleanField(default=False, help_text="false while it is carried out")),
            (
                "led_to",
                models.CharField(blank=True, default="", help_text="where its answer led", max_length=600),
            ),
        ],
    ),
]


class Migration(migrations.Migration):
    initial = True
    # So that a database that had them all goes on without work.
    replaces = [
        ("accounts", "0002_roles"),
        ("accounts", "0003_people"),
        ("accounts", "0004_approvals"),
        ("accounts", "0005_review_trials"),
        ("accounts", "0006_sent_forms"),
    ]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [*TABLES, granting(PERMISSIONS, ROLES)]
