"""The thread of questions beside an incident, as a page shows it, and how a question gets into it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction

from accounts.models import User
from accounts.services import actor_name
from incidents import sending
from incidents.livewords import LiveLine, line_of, words_so_far
from incidents.models import Incident
from incidents.subjects import subject_of
from investigations import endpoints, questions, watching
from investigations.beside import Beside, IdLine
from investigations.models import Question
from investigations.states import Asking, CitationState, Purpose
from investigations.watching import TEXT

LIVE_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Live:
    """What was told of something that goes on: the last lines, the words so far, and where to read on."""

    lines: Sequence[LiveLine] = ()
    text: str = ""
    after: str = "0"


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """One question with its answer."""

    row: Question
    number: str
    is_open: bool
    cited: frozenset[int]
    beside: Beside
    live: Live


def ask(incident: Incident, text: str, *, by: User, now: datetime) -> Question:
    """Put a person's question into the thread and wake a worker. Raises QuestionRefused."""
    with transaction.atomic():
        row = questions.ask(subject_of(incident), text, by=actor_name(by), now=now)
        transaction.on_commit(partial(sending.send, "incidents.tasks.answer", row.pk))
    return row


def is_answered() -> bool:
    """Say whether a model is set that answers questions: where none is, nobody is invited to ask."""
    return endpoints.is_set(endpoints.serving(Purpose.ASK))


def lines(incident: Incident) -> Sequence[ThreadLine]:
    """Return the incident's thread, the oldest question first."""
    return [line(row) for row in questions.thread(incident.pk)]


def live(stream: str) -> Live:
    """Return what was told in a stream up to now, for whoever has no script and for the page's first look."""
    events = watching.so_far(stream)
    told = [line_of(event.kind, event.payload) for event in events if event.kind != TEXT]
    text = next((str(each.payload.get("text", "")) for each in reversed(events) if each.kind == TEXT), "")
    return Live(told[-LIVE_SHOWN:], words_so_far(text) if text else "", events[-1].id if events else "0")


def line(row: Question) -> ThreadLine:
    """Return one question as the page shows it."""
    is_open = row.state in (Asking.QUEUED, Asking.RUNNING)
    ids = [
        IdLine(each["kind"], each["text"], each["state"], each["reason"], each["entry"], each["link"])
        for each in json.loads(row.citations)
    ]
    cited = frozenset(
        each.entry
        for each in ids
        if each.entry and each.kind == "entry" and each.state == CitationState.VERIFIED
    )
    told = live(watching.of_question(row.pk)) if is_open else Live()
    return ThreadLine(row, str(row.pk), is_open, cited, Beside(ids=ids), told)
