"""The forms of the account pages."""

import zoneinfo
from typing import Any, cast

from django import forms
from django.contrib.auth import password_validation
from django.contrib.auth.validators import UnicodeUsernameValidator

from accounts.models import Team, User
from accounts.roles import Role

THEMES = ("system", "light", "dark")


class SignInForm(forms.Form):
    """A name and a password."""

    username = forms.CharField(
        label="Name",
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autofocus": True, "autocapitalize": "none"}
        ),
    )
    password = forms.CharField(
        label="Password",
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class ThemeForm(forms.Form):
    """One of the three looks."""

    theme = forms.ChoiceField(choices=[(word, word) for word in THEMES])


class NewPasswordForm(forms.Form):
    """A new password, twice, that is long enough, not common and not like the name."""

    password = forms.CharField(
        label="New password",
        max_length=1024,
        strip=False,
        help_text="At least 12 characters. A few words that belong to nobody else are good.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label="New password, again",
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, person: User | None = None, **more: Any) -> None:
        """Take the person whose password it is to be, so that it is not like their name."""
        super().__init__(*args, **more)
        self._person = person

    def clean(self) -> dict[str, Any]:
        """Hold the two to each other and the first to the rules."""
        cleaned: dict[str, Any] = super().clean() or {}
        password = cleaned.get("password")
        if password and cleaned.get("again") and password != cleaned["again"]:
            self.add_error("again", "The two are not the same.")
        if password:
            try:
                password_validation.validate_password(password, self._about(cleaned))
            except forms.ValidationError as refusal:
                self.add_error("password", refusal)
        return cleaned

    def _about(self, cleaned: dict[str, Any]) -> User | None:
        return self._person


class AcceptForm(NewPasswordForm):
    """What somebody who is invited says of themselves."""

    username = forms.CharField(
        label="Name to sign in with",
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    full_name = forms.CharField(
        label="Full name",
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ("username", "full_name", "password", "again")

    def _about(self, cleaned: dict[str, Any]) -> User | None:
        return User(username=cleaned.get("username", ""), first_name=cleaned.get("full_name", ""))


class ChangePasswordForm(NewPasswordForm):
    """The password that is, and the one that is to be."""

    current = forms.CharField(
        label="Password now",
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    field_order = ("current", "password", "again")


class ProfileForm(forms.Form):
    """What a person says of themselves. The e-mail address is not theirs: single sign-on goes by it."""

    first_name = forms.CharField(label="First name", max_length=150, required=False)
    last_name = forms.CharField(label="Last name", max_length=150, required=False)
    time_zone = forms.ChoiceField(required=False, label="Time zone")
    theme = forms.ChoiceField(
        required=False,
        label="Look",
        choices=[("", "As this browser remembers"), *((word, word.capitalize()) for word in THEMES)],
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        """Offer the zones that this machine knows."""
        super().__init__(*args, **more)
        zones = [(name, name) for name in sorted(zoneinfo.available_timezones()) if "/" in name]
        cast("forms.ChoiceField", self.fields["time_zone"]).choices = [
            ("", "As this browser says"),
            ("UTC", "UTC"),
            *zones,
        ]


class PersonForm(forms.Form):
    """Role, teams and switch of one person."""

    role = forms.ChoiceField(
        required=False, choices=[("", "none"), *((role.value, role.value) for role in Role)], label="Role"
    )
    teams = forms.ModelMultipleChoiceField(
        required=False, queryset=Team.objects.all(), widget=forms.CheckboxSelectMultiple, label="Teams"
    )
    is_active = forms.BooleanField(required=False, label="May sign in")
    made_on = forms.CharField(required=False, widget=forms.HiddenInput)


class InviteForm(forms.Form):
    """Whom to invite, as what."""

    email = forms.EmailField(label="E-mail", max_length=254)
    role = forms.ChoiceField(choices=[(role.value, role.value) for role in Role], label="Role")
    team = forms.ModelChoiceField(
        queryset=Team.objects.all(), required=False, empty_label="none", label="Team"
    )
    is_sent = forms.BooleanField(required=False, label="Send the link by e-mail as well")


class TeamForm(forms.Form):
    """A team's name."""

    name = forms.CharField(label="Name", max_length=80)
    made_on = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)


class TokenForm(forms.Form):
    """What a token is made for."""

    name = forms.SlugField(
        label="Name",
        max_length=60,
        help_text="Letters, digits, - and _. The audit log knows it by this name, for good.",
    )
    scopes = forms.MultipleChoiceField(label="It may", widget=forms.CheckboxSelectMultiple)
    days = forms.IntegerField(label="Days that it lasts", min_value=1, max_value=366, initial=90)
    tools = forms.CharField(
        label="Tools",
        required=False,
        max_length=4_000,
        help_text="Names of the tools that it may ask, with spaces between; empty for all.",
    )
