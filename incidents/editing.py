"""The answer that people write together: kept state by state, and nobody's words are written over."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from accounts.models import User
from accounts.services import actor_name
from incidents import closing, moves
from incidents.models import DraftEdit, Incident
from incidents.moves import Asked, MoveRefused
from incidents.states import Move
from investigations.models import Draft


class EditOverlaps(MoveRefused):
    """Somebody has kept another state meanwhile; `now` is theirs."""

    def __init__(self, now: DraftEdit) -> None:
        self.now = now
        super().__init__(
            f"{now.by} has kept another text since this page was loaded. Yours is below, with what differs. "
            "Bring the two together, then keep it again."
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer as it stands: the draft, or what people made of it. `number` is 0 where nobody has.

    `aside` is what people wrote for a draft before the present one: it is not lost, and it does not count.
    """

    text: str
    original: str
    number: int
    edit: DraftEdit | None = None
    aside: DraftEdit | None = None


def answer(incident_id: int, original: str) -> Answer:
    """Return the answer to an incident whose present draft is `original`."""
    newest_draft = Draft.objects.filter(investigation__incident_id=OuterRef("incident_id")).order_by("-pk")
    last = (
        DraftEdit.objects.filter(incident=incident_id)
        .select_related("by")
        .annotate(newest=Subquery(newest_draft.values("pk")[:1]))
        .order_by("-number")
        .first()
    )
    if last is None:
        return Answer(original, original, 0)
    if last.newest != last.draft_id:
        return Answer(original, original, last.number, aside=last)
    return Answer(last.text, original, last.number, edit=last)


def history(incident_id: int) -> list[DraftEdit]:
    """Return every kept state of the answer, the newest first."""
    return list(DraftEdit.objects.filter(incident=incident_id).select_related("by").order_by("-number"))


def steps(incident_id: int) -> list[tuple[DraftEdit, str]]:
    """Return every kept state, the newest first, each with the text it was made from: a draft or a state."""
    made = list(reversed(history(incident_id)))
    drafts = dict(Draft.objects.filter(pk__in={edit.draft_id for edit in made}).values_list("pk", "text"))
    found: list[tuple[DraftEdit, str]] = []
    for edit in made:
        before = found[-1][0] if found else None
        goes_on = before is not None and before.draft_id == edit.draft_id
        found.append((edit, before.text if before and goes_on else drafts.get(edit.draft_id or 0, "")))
    return found[::-1]


def keep(incident_id: int, text: str, *, base: int, by: User, now: datetime) -> DraftEdit:
    """Keep a text that was written on the state `base`. Raises EditOverlaps, or MoveRefused.

    The same text sent twice by the same person is kept once.
    """
    asked = Asked(Move.EDIT, incident_id, actor_name(by), now)
    with moves.transaction_of(asked):
        closing.check_text("answer", text)
        if Incident.objects.select_for_update(no_key=True).filter(pk=incident_id).first() is None:
            raise MoveRefused(moves.why_not(asked))
        draft = (
            Draft.objects.filter(investigation__incident_id=incident_id)
            .order_by("-pk")
            .values_list("pk", flat=True)
            .first()
        )
        last = DraftEdit.objects.filter(incident=incident_id).select_related("by").order_by("-number").first()
        if last is not None and (last.text, last.by_id, last.draft_id) == (text, by.pk, draft):
            return last
        number = last.number if last else 0
        if last is not None and base != number:
            raise EditOverlaps(last)
        moves.make_or_refuse(asked, {"edit": number + 1, "draft": draft, "text": text})
        return DraftEdit.objects.create(
            incident_id=incident_id, number=number + 1, draft_id=draft, text=text, by=by, created_at=now
        )
