"""What people fill in about requests, the switch, breakers, the calendar and broken glass."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from approvals.states import Choice

_LONGEST = 2_000
_NEEDED = {"required": "Say why."}


class DecisionForm(forms.Form):
    """Approve or deny, with a reason, bound to the digest of what the page showed."""

    digest = forms.RegexField(r"^[0-9a-f]{64}$", widget=forms.HiddenInput)
    choice = forms.ChoiceField(choices=[(choice.value, choice.value) for choice in Choice])
    reason = forms.CharField(max_length=_LONGEST, widget=forms.Textarea(attrs={"rows": 3}), required=False)


class BecauseForm(forms.Form):
    """A reason, and nothing else."""

    because = forms.CharField(max_length=_LONGEST, error_messages=_NEEDED)


class SettleForm(BecauseForm):
    """What became of a write whose outcome nobody knew."""

    outcome = forms.ChoiceField(choices=[("succeeded", "succeeded"), ("failed", "failed")])


class EditForm(forms.Form):
    """Other arguments for the same action: they make a new request."""

    arguments = forms.CharField(max_length=16_000, widget=forms.Textarea(attrs={"rows": 8}))
    why = forms.CharField(max_length=4_000, widget=forms.Textarea(attrs={"rows": 2}))

    def clean_arguments(self) -> dict[str, Any]:
        """Return the arguments as an object."""
        text = str(self.cleaned_data["arguments"])
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(f"That is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise forms.ValidationError("Write one JSON object: the arguments by their names.")
        return found


class SwitchForm(BecauseForm):
    """On or off for one scope."""

    scope = forms.CharField(max_length=120)
    to = forms.ChoiceField(choices=[("on", "on"), ("off", "off")])


class FreezeForm(forms.Form):
    """A window in which nothing is executed. Times are UTC, as the page says."""

    title = forms.CharField(max_length=120)
    scope = forms.CharField(max_length=120, initial="global")
    starts_at = forms.DateTimeField(input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])
    ends_at = forms.DateTimeField(input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])

    def window(self) -> tuple[datetime, datetime]:
        """Return when the freeze begins and ends."""
        starts, ends = self.cleaned_data["starts_at"], self.cleaned_data["ends_at"]
        return starts.replace(tzinfo=UTC), ends.replace(tzinfo=UTC)


def blank_freeze() -> FreezeForm:
    """Return a form whose window begins now and lasts two hours."""
    now = timezone.now().astimezone(UTC)
    return FreezeForm(
        initial={
            "scope": "global",
            "starts_at": now.strftime("%Y-%m-%dT%H:%M"),
            "ends_at": (now + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M"),
        }
    )


class ExceptionForm(BecauseForm):
    """One request that is let through a freeze."""

    request = forms.IntegerField(min_value=1, max_value=2**63 - 1)
