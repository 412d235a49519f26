"""GitHub's webhooks about issues. Whatever is about something else is set aside with a sentence.

A close by the sender marks the issue as recovered and never closes ours. A transfer comes as two events, one
in each repository, in any order: both name the old key, and the incident moves along.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from incidents.adapters import text
from incidents.adapters.reading import Notes, Reading, SignalValue
from incidents.adapters.strict_json import NotReadable, read_object
from incidents.adapters.times import clock_note, read_time
from incidents.states import Condition, Event
from toolbox import redaction

BODY_MAX = 65_536  # the longest that GitHub takes
# Labels that an issue is opened with come from a form, or from whoever opens it: they prove nothing.
TEMPLATE = "template labels"
ON_GITHUB = "labels on GitHub"
_LABELS_MAX = 100
_FORM = b"payload="
_OPENS = frozenset({"opened", "reopened"})
_ENDS = frozenset({"closed", "deleted"})


@dataclass(frozen=True, slots=True)
class _Issue:
    """One issue of a payload, with the repository that it is in."""

    action: str
    whole: Mapping[str, Any]
    repository: str
    number: int


def read(body: bytes, received_at: datetime, headers: Mapping[str, str]) -> Reading:
    """Read one delivery; `headers` are those that were kept, by lower-case names."""
    event = headers.get("x-github-event", "")
    try:
        whole = read_object(_json_of(body))
    except NotReadable as reason:
        return Reading(Condition.UNREADABLE, notes=(str(reason),))
    if event == "ping" or (not event and "zen" in whole):
        return _ping(whole)
    if event != "issues" and (event or "comment" in whole):  # without the header, a comment's own end
        return _parked(
            f"GitHub's event {text.quoted(event or 'issue_comment', 60)} is not about an issue itself: "
            "nothing is done with it."
        )
    notes = Notes()
    issue = _issue(whole, notes)
    if isinstance(issue, str):
        return Reading(Condition.PARTIAL, notes=(issue,))
    if issue.whole.get("pull_request") is not None:  # null, where a server's issues always have the field
        return _parked(f"{issue.repository}#{issue.number} is a pull request and not an issue.")
    if issue.action == "transferred":
        signal = _transferred(issue, whole, received_at, notes)
    else:
        signal = _signal(issue, received_at, notes, moved_from=_came_from(whole, notes))
    condition = Condition.PARTIAL if notes.is_partial else Condition.WHOLE
    return Reading(condition, (signal,), notes.sentences())


def key_of(repository: str, number: int) -> str:
    """Return the key that an issue is folded by."""
    return text.as_key(f"{repository.casefold()}#{number}", "the key", Notes())


def _json_of(body: bytes) -> bytes:
    """Return the JSON of a body, also where it is sent as a form's one field."""
    if not body.startswith(_FORM):
        return body
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=10, errors="strict")
    except (UnicodeDecodeError, ValueError):
        raise NotReadable("The body is a form whose payload cannot be decoded.") from None
    return dict(pairs).get("payload", "").encode("utf-8", "surrogatepass")


def _parked(sentence: str) -> Reading:
    return Reading(Condition.EMPTY, notes=(sentence,), is_parked=True)


def _ping(whole: Mapping[str, Any]) -> Reading:
    notes = Notes()
    repository = _repository(whole.get("repository"), notes) or "an organisation"
    hook = whole.get("hook")
    events = hook.get("events") if isinstance(hook, Mapping) else None
    sentences = [f"GitHub's ping: the webhook of {repository} reaches Assay, and its signature is right."]
    if isinstance(events, list) and not {"issues", "*"} & {each for each in events if isinstance(each, str)}:
        sentences.append("It does not send the event Issues. Choose it in the webhook's settings.")
    return Reading(Condition.EMPTY, notes=tuple(sentences))


def _issue(whole: Mapping[str, Any], notes: Notes) -> _Issue | str:
    """Return the issue of a payload, or what it lacks in a sentence."""
    action, issue = whole.get("action"), whole.get("issue")
    if not isinstance(action, str) or not action:
        return "The delivery names no action."
    if not isinstance(issue, Mapping):
        return "The delivery holds no issue."
    repository, number = _repository(whole.get("repository"), notes), _number(issue)
    if not repository:
        return "The delivery names no repository."
    if not number:
        return "The issue has no number."
    return _Issue(redaction.cut(text.storable(action, "action", notes), 60), issue, repository, number)


def _repository(value: Any, notes: Notes) -> str:
    name = value.get("full_name") if isinstance(value, Mapping) else None
    if not isinstance(name, str) or name.count("/") != 1:
        return ""
    return text.cut(text.as_line(text.storable(name, "repository", notes)), 140, "repository", notes)


def _number(issue: Mapping[str, Any]) -> int:
    number = issue.get("number")
    is_one = isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**53
    return number if is_one and isinstance(number, int) else 0


def _came_from(whole: Mapping[str, Any], notes: Notes) -> tuple[str, int] | None:
    """Return where an issue was before, where the one that opens here came by a transfer."""
    return _elsewhere(whole, "old", notes)


def _elsewhere(whole: Mapping[str, Any], which: str, notes: Notes) -> tuple[str, int] | None:
    changes = whole.get("changes")
    if not isinstance(changes, Mapping):
        return None
    issue = changes.get(f"{which}_issue")
    repository = _repository(changes.get(f"{which}_repository"), notes)
    number = _number(issue) if isinstance(issue, Mapping) else 0
    return (repository, number) if repository and number else None


def _transferred(issue: _Issue, whole: Mapping[str, Any], received_at: datetime, notes: Notes) -> SignalValue:
    """Return the signal of the old repository's event: about the issue where it is now."""
    there = _elsewhere(whole, "new", notes)
    if there is None:
        notes.add("The issue was transferred, and where to is not said.", partial=True)
        return _signal(issue, received_at, notes)
    told = whole["changes"]["new_issue"]
    moved = _Issue("transferred", {**issue.whole, **told}, *there)
    return _signal(moved, received_at, notes, moved_from=(issue.repository, issue.number))


def _signal(
    issue: _Issue, received_at: datetime, notes: Notes, *, moved_from: tuple[str, int] | None = None
) -> SignalValue:
    whole = issue.whole
    event = _event(issue.action)
    starts_at, ends_at = _times(issue, event, notes)
    clock = clock_note(starts_at, ends_at, received_at)
    if clock:
        notes.add(clock)
    body = _text(whole.get("body"), "body", notes)
    annotations = {"body": text.cut(body, BODY_MAX, "body", notes)} if body else {}
    labels = _labels(whole.get("labels"), notes)
    if labels:
        annotations[TEMPLATE if issue.action == "opened" else ON_GITHUB] = ", ".join(labels)
    return SignalValue(
        position=0,
        event=event,
        kind="issue",
        sender_key=key_of(issue.repository, issue.number),
        title=_title(whole, notes),
        labels=_facts(issue, notes),
        annotations={**annotations, **({"transferred from": _shown(moved_from)} if moved_from else {})},
        identifiers={"repository": issue.repository, "issue_number": str(issue.number)},
        text=text.cut(body, BODY_MAX, "body", Notes()),
        link=_link(whole.get("html_url"), notes),
        starts_at=starts_at,
        ends_at=ends_at,
        clock_note=clock,
        moved_from=key_of(*moved_from) if moved_from else "",
        action=issue.action,
    )


def _event(action: str) -> Event:
    if action in _OPENS:
        return Event.FIRING
    return Event.RESOLVED if action in _ENDS else Event.COMMENT


def _times(issue: _Issue, event: Event, notes: Notes) -> tuple[datetime | None, datetime | None]:
    """Return when it began and ended. An issue that is opened again begins again when that was done."""
    whole = issue.whole
    began = "updated_at" if issue.action == "reopened" else "created_at"
    starts_at = read_time(whole.get(began), began, notes)
    if event is not Event.RESOLVED:
        return starts_at, None
    ended = "closed_at" if issue.action == "closed" else "updated_at"
    # Which opening it ends is told by its end: of one that was opened again, the creation lies long before.
    ends_at = read_time(whole.get(ended), ended, notes)
    return ends_at, ends_at


def _title(whole: Mapping[str, Any], notes: Notes) -> str:
    title = text.as_line(_text(whole.get("title"), "title", notes))
    if not title:
        notes.add("The issue has no title.", partial=True)
    return text.cut(title or "An issue without a title", text.TITLE_MAX, "title", notes)


def _text(value: Any, where: str, notes: Notes) -> str:
    # An issue without a word has null for its body.
    return "" if value is None else text.as_text(value, where, notes)


def _facts(issue: _Issue, notes: Notes) -> dict[str, str]:
    user = issue.whole.get("user")
    author = user.get("login") if isinstance(user, Mapping) else None
    facts = {"repository": issue.repository, "number": str(issue.number)}
    if isinstance(author, str) and author:
        facts["author"] = text.cut(text.storable(author, "author", notes), text.NAME_MAX, "author", notes)
    return facts


def _labels(value: Any, notes: Notes) -> list[str]:
    """Return the names of the labels that an issue has on GitHub, whoever or whatever put them there."""
    if not isinstance(value, list):
        return []
    names = [each.get("name") for each in value[:_LABELS_MAX] if isinstance(each, Mapping)]
    return [
        text.cut(text.as_line(text.storable(name, "labels", notes)), text.NAME_MAX, "labels", notes)
        for name in names
        if isinstance(name, str) and name.strip()
    ]


def _link(value: Any, notes: Notes) -> str:
    if not isinstance(value, str):
        return ""
    address = text.storable(value, "html_url", notes)
    try:
        is_web = urlsplit(address).scheme in ("http", "https")
    except ValueError:
        return ""
    return text.cut(address, text.VALUE_MAX, "html_url", notes) if is_web else ""


def _shown(place: tuple[str, int]) -> str:
    return f"{place[0]}#{place[1]}"
