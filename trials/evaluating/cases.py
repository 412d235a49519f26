"""The cases of a set: each with its world, what really was so, and the facts that its rule needs."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from incidents.endings import ended
from incidents.models import Incident, Source
from incidents.states import State
from trials import worlds
from trials.evaluating.beside import ByPlaybook, by_playbook, needed
from trials.evaluating.sets import Closed, Folder, SetUnknown
from trials.worlds import World, WorldMissing
from verdicts.case import NONE_OF_THESE, CaseUnreadable
from verdicts.closings import Actual
from verdicts.replay.folder import read_replay, replay_files
from verdicts.rulebook import Rulebook

#: A file of this ending holds the healthy window beside a case: nothing there may pass.
TWIN = ".twin.json"
_ISSUE = "issue"
_CLASSIFIED = "a repository's issue is classified, not investigated, and a drill compares that."


@dataclass(frozen=True, slots=True)
class Planned:
    """One case as it is planned, without its world: of many thousands at once that would be too much.

    `recorded_passed` is the verdict of that time, where there was one.
    """

    key: str
    title: str
    kind: str
    actual: Actual
    rule: str
    needs: tuple[str, ...]
    answers: int
    erased: int
    world_digest: str
    played: ByPlaybook
    incident: int | None = None
    path: str = ""
    is_twin: bool = False
    recorded_passed: bool | None = None


@dataclass(slots=True)
class Found:
    """The cases of a set, and in sentences what was left out of it."""

    cases: list[Planned] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def find(chosen: Closed | Folder, book: Rulebook) -> Found:
    """Return the cases of a set. Raises SetUnknown for a rule, a source or a folder that there is not."""
    found = Found()
    for each in _closed(chosen, book) if isinstance(chosen, Closed) else _in_folder(chosen, book):
        if isinstance(each, str):
            found.left_out.append(each)
        else:
            found.cases.append(each)
    return found


def _closed(chosen: Closed, book: Rulebook) -> Iterator[Planned | str]:
    _refuse_unknown(chosen, book)
    rows = Incident.objects.filter(state=State.CLOSED).order_by("-closed_at", "-pk")
    for column, value in (
        ("hypothesis", chosen.rule),
        ("closed_at__gte", chosen.since),
        ("closed_at__lt", chosen.until),
        ("kind", chosen.kind),
        ("source__slug", chosen.source),
    ):
        rows = rows.filter(**{column: value}) if value else rows
    incidents = list(rows)  # the last closed first
    ends = ended(each.pk for each in incidents)
    if chosen.outcome:
        incidents = [
            each for each in incidents if each.pk in ends and ends[each.pk].outcome == chosen.outcome
        ]
    if chosen.most:
        last = sorted(incidents, key=lambda each: (each.closed_at is not None, each.closed_at, each.pk))
        incidents = sorted(last[-chosen.most :], key=lambda each: each.pk)
    for incident in incidents:
        end = ends.get(incident.pk)
        yield _of_incident(incident, end.actual if end else Actual.NOT_COMPARABLE, book)


def _of_incident(incident: Incident, actual: Actual, book: Rulebook) -> Planned | str:
    if incident.kind == _ISSUE:
        return f"Incident {incident.pk} was left out: {_CLASSIFIED}"
    try:
        world = worlds.of_incident(incident.pk)
    except (WorldMissing, CaseUnreadable) as error:
        return f"Incident {incident.pk} was left out: {error}"
    planned = _planned(str(incident.pk), world, _rule(incident.hypothesis), actual, book)
    return replace(planned, incident=incident.pk, recorded_passed=incident.verdict_passed)


def _planned(key: str, world: World, rule: str, actual: Actual, book: Rulebook) -> Planned:
    return Planned(
        key=key,
        title=world.subject.title,
        kind=world.subject.kind,
        actual=actual,
        rule=rule,
        needs=tuple(needed(rule, world.subject, book)),
        answers=len(world.answers),
        erased=len(world.erased),
        world_digest=world.digest,
        played=by_playbook(world, rule, book),
    )


def _refuse_unknown(chosen: Closed, book: Rulebook) -> None:
    if chosen.rule and chosen.rule != NONE_OF_THESE and chosen.rule not in book.rules:
        raise SetUnknown(
            f"There is no rule named {chosen.rule!r}. There are {', '.join(sorted(book.rules))}."
        )
    if chosen.source and not Source.objects.filter(slug=chosen.source).exists():
        known = ", ".join(Source.objects.values_list("slug", flat=True)) or "none"
        raise SetUnknown(f"There is no source {chosen.source!r}. There are {known}.")


def _in_folder(chosen: Folder, book: Rulebook) -> Iterator[Planned | str]:
    try:
        files = replay_files([chosen.path])
    except CaseUnreadable as error:
        raise SetUnknown(str(error)) from None
    for file in files:
        yield _of_file(file, chosen.path, book)


def _of_file(file: Path, folder: Path, book: Rulebook) -> Planned | str:
    try:
        replay = read_replay(file)
    except CaseUnreadable as error:
        return f"{error}"
    if replay.frozen.subject.kind == _ISSUE:
        return f"{file} was left out: {_CLASSIFIED}"
    is_twin = file.name.endswith(TWIN)
    rule = "" if is_twin else _rule(replay.frozen.case.submission.hypothesis)
    # In a healthy window nothing has happened that could be shown to be harmless.
    actual = Actual.FAIL if is_twin else replay.actual
    key = str(file.relative_to(folder) if folder.is_dir() else file.name)
    planned = _planned(key, worlds.of_replay(replay), rule, actual, book)
    passed = replay.accepted.passed if replay.accepted else None
    return replace(planned, path=str(file.resolve()), is_twin=is_twin, recorded_passed=passed)


def _rule(hypothesis: str) -> str:
    return "" if hypothesis == NONE_OF_THESE else hypothesis
