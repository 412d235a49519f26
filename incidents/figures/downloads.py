"""The tables of the figures as CSV."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from incidents import sheets
from incidents.figures.board import Board, TimeLine
from incidents.figures.stages import Ended, Judged

Rows = list[list[Any]]


def sheet(board: Board, name: str) -> str | None:
    """Return one table of the board as CSV; None for a name that no table has."""
    rows = SHEETS.get(name)
    if rows is None:
        return None
    head, *body = rows(board)
    return sheets.csv_text(head, body)


def _times(first: str, lines: Sequence[TimeLine]) -> Rows:
    head = [first, "count", "p50 seconds", "p75 seconds", "p90 seconds", "clocks disagree",
            "ratio to the span before", "ratio from", "ratio to", "says"]  # fmt: skip
    return [head, *(_row(line) for line in lines)]


def _row(line: TimeLine) -> list[Any]:
    changed, interval = line.change, line.change.interval if line.change else None
    return [
        line.name, line.count, _whole(line.p50), _whole(line.p75), _whole(line.p90), line.skewed,
        f"{changed.ratio:.3f}" if changed and changed.ratio is not None else "",
        f"{interval.low:.3f}" if interval else "", f"{interval.high:.3f}" if interval else "",
        changed.words if changed else "",
    ]  # fmt: skip


def _grouped(board: Board) -> Rows:
    head, *rows = _times(board.wanted.group, board.groups)
    head += ["reopened", "of closings", "overridden", "of comparable"]
    for row, line in zip(rows, board.groups, strict=True):
        again, against = line.tally.reopened(board.today), line.tally.overridden
        row += [again.hits, again.of, against.hits, against.of]
    return [head, *rows]


def _rules(board: Board) -> Rows:
    head: list[Any] = [
        "rule",
        *(f"judged {each}" for each in Judged),
        *(f"ended {each}" for each in Ended),
    ]
    return [head, *(
        [rule, *(tally.judged.get(each, 0) for each in Judged), *(tally.ended.get(each, 0) for each in Ended)]
        for rule, tally in (("all", board.whole), *board.rules)
    )]  # fmt: skip


def _audits(board: Board) -> Rows:
    head: list[Any] = [
        "rule",
        "audited",
        "false passes",
        "from",
        "to",
        "clean in a row",
        "overdue",
        "suspended",
    ]
    return [head, *(
        [each.rule, each.standing.audited, each.standing.false_passes, f"{each.standing.interval.low:.4f}",
         f"{each.standing.interval.high:.4f}", each.standing.clean_in_a_row, each.standing.overdue,
         "yes" if each.is_suspended else "no"]
        for each in board.audits
    )]  # fmt: skip


SHEETS: Mapping[str, Callable[[Board], Rows]] = {
    "stages": lambda board: _times("stage", board.stages),
    "weeks": lambda board: _times("week", board.weeks),
    "groups": _grouped,
    "rules": _rules,
    "audits": _audits,
}


def _whole(seconds: float | None) -> Any:
    return "" if seconds is None else round(seconds)
