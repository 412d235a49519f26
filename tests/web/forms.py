"""The forms of a page as a browser reads them: where each goes, what its fields and buttons hold.

Nothing here knows what a form is for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlsplit

from django.urls import resolve

Attributes = Mapping[str, str]
Pairs = list[tuple[str, str]]


@dataclass(slots=True)
class Field:
    """One field: its name, its kind (`text`, `hidden`, `select` ...), and its value as the page shows it."""

    name: str
    kind: str
    value: str = ""
    is_on: bool = True  # a box or choice that is ticked; every other field always is
    is_required: bool = False
    longest: int = 0
    choices: list[tuple[str, bool]] = field(default_factory=list)


@dataclass(slots=True)
class Form:
    """One form that posts."""

    action: str
    fields: list[Field] = field(default_factory=list)
    buttons: list[Attributes] = field(default_factory=list)
    identity: str = ""

    def called(self) -> Iterator[tuple[str, Attributes]]:
        """Yield what each of its buttons is called in the table of forms, with the button."""
        for button in self.buttons or [{}]:
            yield key_of(self, button), button

    def address(self, button: Attributes) -> str:
        """Where this button sends it."""
        return urlsplit(button.get("formaction", "") or self.action).path

    def texts(self) -> list[Field]:
        """The fields into which somebody types."""
        return [each for each in self.fields if each.kind in _TYPED]

    def filled(self, button: Attributes, given: Mapping[str, str | list[str]]) -> Pairs:
        """What is sent when each empty field is filled, those that are named in `given` with that."""
        pairs: Pairs = []
        for name in dict.fromkeys(each.name for each in self.fields):
            if name in given:
                said = given[name]
                if said == FIRST:
                    said = next(each.value for each in self.fields if each.name == name)
                pairs += [(name, each) for each in ([said] if isinstance(said, str) else said)]
            else:
                pairs += [
                    (name, said) for each in self.fields if each.name == name for said in _usual(each, self)
                ]
        if button.get("name"):
            pairs.append((button["name"], button.get("value", "")))
        return pairs


FIRST = ["the first of them"]  # for boxes: tick the first
_TYPED = ("text", "textarea", "email", "number", "search", "datetime-local", "password")
_USUAL = {"email": "newcomer@example.com", "number": "3", "datetime-local": "2031-01-01T10:00"}


def _usual(one: Field, form: Form) -> list[str]:
    if one.kind == "select":
        chosen = [value for value, is_chosen in one.choices if is_chosen]
        return chosen or [value for value, _ in one.choices[:1]]
    if one.kind == "radio":
        group = [each for each in form.fields if each.name == one.name]
        chosen_one = next((each for each in group if each.is_on), group[0])
        return [one.value] if one is chosen_one else []
    if one.kind == "checkbox":
        return [one.value or "on"] if one.is_on else []
    if one.kind == "hidden" or one.value:
        return [one.value]
    return [_USUAL.get(one.kind, "Some words of a test.")]


def key_of(form: Form, button: Attributes) -> str:
    """Name a button by the address's name and what it says; a row's own button says so."""
    name = resolve(form.address(button)).url_name or ""
    if not button.get("name"):
        return name
    said, colon, _ = button.get("value", "").partition(":")
    # The facts of a rule are many, and so are rows: one way of asking, and of confirming.
    said = "" if name == "ask" or said.isdigit() else said
    return f"{name} {button['name']}={said}{':row' * bool(colon)}"


def forms_of(html: str, at: str) -> list[Form]:
    """Return the forms of a page that post; one without an action posts to the page."""
    reader = _Reader(at)
    reader.feed(html)
    reader.close()
    for identity, put in reader.loose:
        form = next((each for each in reader.forms if each.identity == identity), None)
        if form is not None:
            if isinstance(put, Field):
                form.fields.append(put)
            else:
                form.buttons.append(put)
    return [form for form in reader.forms if form is not reader.other]


class _Reader(HTMLParser):
    def __init__(self, at: str) -> None:
        super().__init__(convert_charrefs=True)
        self._at = urlsplit(at).path
        self.forms: list[Form] = []
        self.other = Form("")  # of forms that ask, and of fields outside any form
        self.loose: list[tuple[str, Field | Attributes]] = []
        self._form = self.other
        self._typed: Field | None = None
        self._select: Field | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = self.other
            if given.get("method", "").lower() == "post":
                self._form = Form(given.get("action") or self._at, identity=given.get("id", ""))
                self.forms.append(self._form)
        elif tag == "option" and self._select is not None:
            self._select.choices.append((given.get("value", ""), "selected" in given))
        elif tag == "button" and given.get("type", "submit") == "submit":
            self._put(given, given)
        elif tag in ("input", "textarea", "select") and given.get("name"):
            kind = given.get("type") or "text" if tag == "input" else tag
            one = Field(
                given["name"],
                kind,
                given.get("value", ""),
                "checked" in given or kind not in ("checkbox", "radio"),
                "required" in given,
                int(given.get("maxlength", 0)),
            )
            self._put(given, one)
            self._typed = one if tag == "textarea" else None
            self._select = one if tag == "select" else None

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = self.other
        if tag == "textarea":
            self._typed = None
        if tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._typed is not None:
            self._typed.value += data

    def _put(self, given: Attributes, put: Field | Attributes) -> None:
        if given.get("form"):
            self.loose.append((given["form"], put))
        elif isinstance(put, Field):
            self._form.fields.append(put)
        else:
            self._form.buttons.append(put)
