"""The sign-in form and the theme form."""

from django import forms


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

    theme = forms.ChoiceField(choices=[(word, word) for word in ("system", "light", "dark")])
