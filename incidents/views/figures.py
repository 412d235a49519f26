"""The figures: times beside what keeps them honest, audits of passes, where attention is missing."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import requires
from accounts.permissions import Permission
from incidents.figures import agentdays, attention, charts, downloads
from incidents.figures.asking import FILTERS, GROUPS, SPANS, Wanted, wanted
from incidents.figures.board import Board, board, names_of
from incidents.figures.stages import Ended, Judged

_JUDGED = (
    (Judged.PASS, "earned a pass", "good"),
    (Judged.MISSING, "a fact was missing", "unsure"),
    (Judged.CONTRARY, "a fact spoke against it", "bad"),
    (Judged.NO_RULE, "no rule in force", "warn"),
    (Judged.NONE, "no verdict", "none"),
)
_ENDED = (
    (Ended.PERSON, "closed by people"),
    (Ended.PASS, "closed by a pass alone"),
    (Ended.DUPLICATE, "duplicates"),
    (Ended.DRILL, "drills"),
    (Ended.OPEN, "still open"),
)


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def show(request: HttpRequest) -> HttpResponse:
    """The page; with `print=1` every table lies open and the controls are left out."""
    now = timezone.now()
    asked, notes = wanted(request.GET, now.date())
    found, work = board(asked, now), agentdays.read(asked.first, asked.last)
    context = {
        **_context(found),
        "notes": notes,
        "names": {name: _chosen(name, value) for name, value in asked.filters.items()},
        "sources": sorted(names_of("source").items(), key=lambda each: each[1]),
        "teams": sorted(names_of("team").items(), key=lambda each: each[1]),
        "attention": attention.attention(now),
        "agents": attention.agents(work),
        "tools": attention.tools(work),
        "agents_from": work.counted_from,
        "is_print": request.GET.get("print") == "1",
        "nav": "figures",
    }
    return render(request, "incidents/figures.html", context)


@require_safe
@never_cache
@requires(Permission.SEE_EVERY_TEAM)
def download(request: HttpRequest, name: str) -> HttpResponse:
    """One table as CSV, under the same address parameters as the page."""
    now = timezone.now()
    asked, _ = wanted(request.GET, now.date())
    text = downloads.sheet(board(asked, now), name)
    if text is None:
        raise Http404(f"There is no table {name}. There are: {', '.join(downloads.SHEETS)}.")
    answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}-{asked.first}-{asked.last}.csv"'
    return answer


def _context(found: Board) -> dict[str, Any]:
    weeks = found.weeks
    series = [
        (name, style, [getattr(line, name) for line in weeks])
        for name, style in (("p50", "mid"), ("p75", "far"), ("p90", "tail"))
    ]
    spans, ticks = charts.spans([(line.name, line.p50, line.p75, line.p90) for line in found.stages])
    return {
        "board": found,
        "wanted": found.wanted,
        "week_chart": charts.lines([line.name for line in weeks], series),
        "spans": spans,
        "span_ticks": ticks,
        "span_height": 26 * len(found.stages) + 22,
        "judged": charts.shares(
            [(title, tone, found.whole.judged.get(word, 0)) for word, title, tone in _JUDGED]
        ),
        "judged_heads": [title for _, title, _ in _JUDGED],
        "rules": [
            (rule, [tally.judged.get(word, 0) for word, *_ in _JUDGED], tally) for rule, tally in found.rules
        ],
        "ended": [(title, found.whole.ended.get(word, 0)) for word, title in _ENDED],
        "presets": _presets(found.wanted, found),
        "groups": GROUPS,
        "filters": FILTERS,
        "kinds": ("alert", "claim", "issue"),
    }


def _presets(asked: Wanted, found: Board) -> Sequence[tuple[int, str, bool]]:
    """Spans that end today, as links that keep the filters."""
    return [
        (
            days,
            (found.today - timedelta(days=days - 1)).isoformat(),
            asked.last == found.today and asked.days == days,
        )
        for days in SPANS
    ]


def _chosen(dimension: str, value: str) -> str:
    return names_of(dimension).get(value, value)
