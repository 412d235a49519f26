"""The turns of a talk about a question, kept in rows as a run keeps its steps."""

import json
from collections.abc import Sequence

from investigations import models, questions
from investigations.conversation import Kept, from_plain, to_plain
from investigations.questions import Held
from investigations.states import StepKind
from investigations.talk import Spent


class Turns:
    """A notebook of a question's turns: a worker that takes over goes on where the last one was killed."""

    def __init__(self, held: Held) -> None:
        self._held = held

    def kept(self) -> Sequence[Kept]:
        """Return the turns so far."""
        rows = models.AskTurn.objects.filter(question_id=self._held.question).order_by("number")
        return [_read(row) for row in rows]

    def keep(self, step: Kept) -> None:
        """Keep one more turn. Raises QuestionTaken."""
        spent = step.reply.spent if step.reply else Spent()
        body = {**to_plain(step), "spent": [spent.tokens_in, spent.tokens_out, spent.micros]}
        exchange = step.reply.exchange if step.reply else None
        questions.add_turn(self._held, step.kind.value, body, entry=step.entry, exchange=exchange)


def _read(row: models.AskTurn) -> Kept:
    tokens_in, tokens_out, micros = json.loads(row.body).get("spent", [0, 0, 0])
    return from_plain(
        StepKind(row.kind),
        row.body,
        spent=Spent(tokens_in, tokens_out, micros),
        exchange=row.exchange or 0,
        entry=row.entry or 0,
    )
