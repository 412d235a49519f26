"""The forms of the pages: close, reopen, the moves without words, a claim."""

from django import forms

from incidents.models import Source
from incidents.states import Outcome
from investigations import labels

TEXT_MAX = 20_000


class MoveForm(forms.Form):
    """A move that says nothing but which version of the incident it was made on."""

    version = forms.IntegerField(min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)


class ReopenForm(MoveForm):
    """Open a closed incident again, with the reason."""

    reason = forms.CharField(
        label="Why it is open again",
        max_length=2_000,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Say why it is open again: the next reader will ask."},
    )


class CloseForm(MoveForm):
    """Close an incident with its outcome, the answer as it is sent, and a reason."""

    outcome = forms.ChoiceField(
        choices=[(outcome.value, outcome.value) for outcome in Outcome],
        widget=forms.RadioSelect,
        error_messages={
            "required": "Choose an outcome.",
            "invalid_choice": "Choose one of the outcomes in the list.",
        },
    )
    answer = forms.CharField(
        label="Answer",
        required=False,
        strip=False,
        max_length=TEXT_MAX,
        # It stands in the draft's place on the page, and belongs to the closing form all the same.
        widget=forms.Textarea(attrs={"rows": 12, "form": "close-form"}),
    )
    reason = forms.CharField(
        label="Reason", required=False, max_length=2_000, widget=forms.Textarea(attrs={"rows": 2})
    )
    duplicate_of = forms.IntegerField(
        label="Number of the incident that it repeats", required=False, min_value=1, max_value=2**63 - 1
    )
    label = forms.ChoiceField(
        label="Label of the issue",
        required=False,
        choices=[("", "none"), *((each, each) for each in labels.labels())],
        error_messages={"invalid_choice": "Choose one of the labels in the list."},
    )

    def clean(self) -> dict[str, object]:
        """A duplicate names what it repeats; nothing else does."""
        cleaned: dict[str, object] = super().clean() or {}
        if cleaned.get("outcome") == Outcome.DUPLICATE and not cleaned.get("duplicate_of"):
            if "duplicate_of" not in self.errors:
                self.add_error("duplicate_of", "Give the number of the incident that this one repeats.")
        elif cleaned.get("outcome") != Outcome.DUPLICATE:
            cleaned["duplicate_of"] = None
        return cleaned


class KeepForm(forms.Form):
    """Keep the edited answer, with the state that it was made on."""

    base = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        error_messages={"required": "The form lost the state that it was made on. Send it again."},
    )
    answer = forms.CharField(required=False, strip=False, max_length=TEXT_MAX)


class AskForm(forms.Form):
    """Ask one missing fact now; all of them where no fact is named."""

    fact = forms.CharField(required=False, max_length=120)


class RefuteForm(forms.Form):
    """Why one answer of the run speaks against a pass, or why it no longer does."""

    entry = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    because = forms.CharField(max_length=500)


class IdentifyForm(forms.Form):
    """An identifier that a person gives, or the number of the one that they confirm."""

    name = forms.CharField(max_length=60, required=False)
    value = forms.CharField(max_length=200, required=False)
    confirms = forms.IntegerField(min_value=1, max_value=2**63 - 1, required=False)
    seen = forms.IntegerField(min_value=0, max_value=2**63 - 1, required=False)


ABOUT = (
    ("delivery", "A delivery"),
    ("refund", "A refund"),
    ("charge", "A charge"),
    ("email", "An e-mail"),
    ("account", "An account"),
    ("other", "Something else"),
)


class ClaimForm(forms.Form):
    """What a customer says, entered by a person."""

    source = forms.ModelChoiceField(queryset=Source.objects.none(), empty_label=None, label="Goes to")
    about = forms.ChoiceField(choices=ABOUT, label="It is about")
    title = forms.CharField(
        max_length=200, label="In one line", error_messages={"required": "Say in one line what the claim is."}
    )
    text = forms.CharField(
        max_length=TEXT_MAX,
        required=False,
        label="In the customer's words",
        widget=forms.Textarea(attrs={"rows": 8}),
    )
    order = forms.CharField(max_length=80, required=False, label="Order")
    customer = forms.CharField(max_length=80, required=False, label="Customer")
    email = forms.EmailField(max_length=254, required=False, label="E-mail")
    reference = forms.CharField(
        max_length=120,
        required=False,
        label="Your reference",
        help_text="A ticket's number, say. A second claim with the same reference joins the first.",
    )
