"""The forms of routes, and of what a person wants to hear of."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts.models import Team
from notices.events import CHOOSABLE, OF_A_PERSON, SEVERITIES, WORDS, Kind
from toolbox.connectors.endpoint import site_of
from toolbox.connectors.httpstatus import Failure

KINDS = (
    (Kind.ON_CALL.value, "Mail to the on-call people of the incident's team"),
    (Kind.TEAM.value, "Mail to everybody in the incident's team"),
    (Kind.EMAIL.value, "Mail to these addresses"),
    (Kind.WEBHOOK.value, "Signed webhook to this address"),
)
RANKS = (
    *((rank, f"{word} and worse" if rank else word) for rank, word in enumerate(SEVERITIES)),
    (len(SEVERITIES), "all, also without a severity"),
)
_WEEK_MINUTES = 7 * 24 * 60
_MOST_ADDRESSES = 20


class ChoiceForm(forms.Form):
    """What is told, from which severity on, and how often again."""

    events = forms.MultipleChoiceField(
        label="Tell of",
        choices=[(event.value, WORDS[event]) for event in CHOOSABLE],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    least_rank = forms.TypedChoiceField(label="Severity", choices=RANKS, coerce=int)
    repeat_minutes = forms.IntegerField(
        label="Again after, in minutes",
        min_value=0,
        max_value=_WEEK_MINUTES,
        initial=30,
        help_text="While nobody has acknowledged it. 0: told once.",
    )


class RouteForm(ChoiceForm):
    """One route of a team, of on-call people, or of a program."""

    events = forms.MultipleChoiceField(
        label="Tell of",
        choices=[(event.value, WORDS[event]) for event in CHOOSABLE if event not in OF_A_PERSON],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    title = forms.CharField(label="Name", max_length=80)
    kind = forms.ChoiceField(label="How", choices=KINDS)
    team = forms.ModelChoiceField(
        label="Team", queryset=Team.objects.all(), required=False, empty_label="every team"
    )
    address = forms.CharField(
        label="Address",
        required=False,
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Mail addresses, one a line, or the webhook's URL. Otherwise empty.",
    )
    wait_minutes = forms.IntegerField(
        label="Only after, in minutes",
        min_value=0,
        max_value=_WEEK_MINUTES,
        initial=0,
        help_text="0: at once. With 15 this route is told what nobody acknowledged in 15 minutes.",
    )

    field_order = (
        "title",
        "kind",
        "team",
        "address",
        "wait_minutes",
        "repeat_minutes",
        "least_rank",
        "events",
    )

    def clean(self) -> dict[str, Any]:
        """Hold the address to the kind."""
        cleaned: dict[str, Any] = super().clean() or {}
        kind, address = cleaned.get("kind"), str(cleaned.get("address", "")).strip()
        problem = ""
        if kind == Kind.EMAIL:
            problem = _wrong_mails(address)
        elif kind == Kind.WEBHOOK:
            problem = _wrong_url(address)
        elif address:
            problem = "This kind finds its addresses with the people. Leave it empty."
        if problem:
            self.add_error("address", problem)
        cleaned["address"] = address
        return cleaned


def _wrong_mails(address: str) -> str:
    given = address.split()
    if not 1 <= len(given) <= _MOST_ADDRESSES:
        return f"Give 1 to {_MOST_ADDRESSES} mail addresses, one a line."
    for each in given:
        try:
            validate_email(each)
        except ValidationError:
            return f"{each[:80]} is no mail address."
    return ""


def _wrong_url(address: str) -> str:
    try:
        site_of(address, "This")
    except Failure as failure:
        return f"{failure}."
    return "" if len(address) <= 500 else "At most 500 characters."
