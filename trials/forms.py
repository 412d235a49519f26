"""The forms of a review, of a promotion and of an override."""

from django import forms

from investigations.inuse import FREE, MOST_HOURS
from investigations.states import Purpose
from trials.states import Right

_RIGHT = {
    Right.BASELINE: "The baseline",
    Right.CANDIDATE: "The candidate",
    Right.BOTH: "Either may be held",
    Right.NEITHER: "Neither",
}
_PURPOSES = [(each.value, each.value.replace("_", " ")) for each in Purpose if each not in FREE]


class ReadForm(forms.Form):
    """One row as read: which row was shown, whose answer is right, and a note."""

    row_id = forms.CharField(max_length=200, widget=forms.HiddenInput, strip=False)
    right = forms.ChoiceField(
        label="Who was right?",
        choices=[*((each.value, words) for each, words in _RIGHT.items()), ("", "I cannot tell")],
        required=False,
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What somebody should know who looks at this row in a year.",
    )


class PromoteForm(forms.Form):
    """For which purpose the candidate takes the baseline's place."""

    purpose = forms.ChoiceField(
        label="For",
        choices=[("", "all that the baseline serves"), *_PURPOSES],
        required=False,
        widget=forms.Select(attrs={"id": "promote-for"}),  # the page has a second form with a purpose
    )


class OverrideForm(forms.Form):
    """Which purpose an endpoint is let in for without a passed drill, for how long, and why."""

    purpose = forms.ChoiceField(label="Purpose", choices=_PURPOSES)
    hours = forms.IntegerField(label="Hours", min_value=1, max_value=MOST_HOURS, initial=24)
    because = forms.CharField(label="Why it cannot wait for a drill", max_length=300)
