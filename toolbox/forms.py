"""What an administrator fills in about tools."""

from typing import Any

from django import forms

from toolbox.models import Effect
from toolbox.toolrules import Wanted


class ToolRuleForm(forms.Form):
    """A deny, ask or pause rule."""

    effect = forms.ChoiceField(choices=[(effect.value, effect.value) for effect in Effect])
    tool = forms.CharField(max_length=100)
    caller = forms.CharField(max_length=200, required=False)
    arguments = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"max_length": "At most 2000 characters."},
    )
    because = forms.CharField(max_length=300)

    def clean_arguments(self) -> dict[str, str]:
        """Return the argument patterns, one `name = pattern` a line."""
        found: dict[str, str] = {}
        for line in str(self.cleaned_data["arguments"]).splitlines():
            name, separator, pattern = (part.strip() for part in line.partition("="))
            if not line.strip():
                continue
            if not (name and separator and pattern):
                raise forms.ValidationError("Write one argument a line: order_id = ORD-9*")
            found[name] = pattern
        return found

    def wanted(self) -> Wanted:
        """Return the rule that the form describes."""
        values: dict[str, Any] = self.cleaned_data
        return Wanted(
            values["effect"],
            values["tool"],
            values["because"],
            caller=values["caller"] or "*",
            arguments=values["arguments"],
        )


class BecauseForm(forms.Form):
    """The reason for ending a rule, pausing a tool or resuming it."""

    because = forms.CharField(max_length=300)
