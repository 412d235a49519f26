"""People, their teams, their tokens, who is invited, and the sign-ins that failed of late."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class Team(models.Model):
    """One group of people who own sources and see their incidents."""

    name = models.CharField(max_length=80, unique=True)
    slug = models.SlugField(max_length=80, unique=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):
    """One person. Roles are groups (accounts.roles); teams say whose incidents they see."""

    teams = models.ManyToManyField(Team, related_name="people", blank=True)
    time_zone = models.CharField(
        max_length=64, blank=True, default="", help_text="IANA name; empty for the browser's own"
    )
    theme = models.CharField(max_length=6, blank=True, default="", help_text="empty for the browser's choice")

    class Meta(AbstractUser.Meta):
        permissions = (
            ("see_incidents", "Can see the incidents of their teams"),
            ("see_every_team", "Can see the incidents of every team"),
            ("triage_incidents", "Can acknowledge, assign, close and reopen incidents"),
            ("submit_claims", "Can enter a claim"),
            ("manage_tools", "Can deny, pause and resume tools"),
            ("manage_rules", "Can suspend rules and lift suspensions"),
            ("manage_people", "Can invite people, give roles and teams, and switch accounts off"),
            ("approve_writes", "Can approve and deny production writes"),
            ("manage_writes", "Can flip the write switch, close breakers and keep the change calendar"),
            ("review_trials", "Can read the rows of a drill for its decision, and confirm golden rows"),
            ("break_glass", "Can decide alone for an hour, as one of two named holders"),
        )

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    # Set for one request, where a token of theirs acts; no column.
    acting_as = ""

    @property
    def actor(self) -> str:
        """How the audit log names this person, or the token by which they act."""
        return self.acting_as or f"person:{self.username}"


class Invitation(models.Model):
    """One invitation: a link that makes one account, once, with its role and team. Kept as a hash."""

    email = models.EmailField(max_length=254)
    role = models.CharField(max_length=20, help_text="the group's name")
    team = models.ForeignKey(
        Team, on_delete=models.PROTECT, null=True, blank=True, related_name="invitations"
    )
    secret_digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of 256 random bits")
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="invitations_made")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.OneToOneField(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="invitation"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-made_at",)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("made_at")), name="invitation_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation of {self.email}"


class SignInAttempt(models.Model):
    """One sign-in that was tried and has not succeeded, kept to slow the next ones down."""

    name_digest = models.CharField(max_length=64, help_text="SHA-256 of the name in lower case")
    address = models.CharField(max_length=64)
    tried_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["name_digest", "tried_at"], name="attempts_by_name"),
            models.Index(fields=["address", "tried_at"], name="attempts_by_address"),
        ]

    def __str__(self) -> str:
        return f"attempt from {self.address}"


class Token(models.Model):
    """One bearer token of one person, kept as a hash. Its name is what the audit log knows it by."""

    name = models.SlugField(max_length=60, unique=True, help_text="never given to another token")
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="tokens")
    secret_digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of 256 random bits")
    scopes = models.JSONField(default=list)
    tools = models.JSONField(default=list, help_text="the tools it may ask; empty for all")
    audience = models.CharField(max_length=200, help_text="the address that it was made for")
    investigation = models.BigIntegerField(
        null=True, blank=True, help_text="the one investigation that it may see and submit to"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    first_used_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("created_at")), name="token_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SentForm(models.Model):
    """One form of one page as a person sent it, kept for a day: the same bytes again are not carried out."""

    digest = models.CharField(max_length=64, primary_key=True, help_text="of the person, address and fields")
    sent_at = models.DateTimeField(db_index=True)
    is_done = models.BooleanField(default=False, help_text="false while it is carried out")
    led_to = models.CharField(max_length=600, blank=True, default="", help_text="where its answer led")

    def __str__(self) -> str:
        return f"form sent at {self.sent_at}"
