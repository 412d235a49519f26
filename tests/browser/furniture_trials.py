"""Evaluations, drills and golden sets as a page can show them: some read, some not."""

from datetime import timedelta

from accounts.models import User
from tests.web import trialled
from trials.drills import deciding
from trials.drills.deciding import Said
from trials.models import Evaluation, ScheduledTrial

TITLE = "The parcel page stays white after the update to 1.4"


def made(reader: User) -> dict[str, str | int]:
    """Write them down; return what their addresses are filled with."""
    before, now = (
        trialled.evaluated(wrong=wrong, title="Job failed with UpstreamTimeout") for wrong in (0, 1)
    )
    changed = {1: "question", 2: "docs", 3: "", 7: "feature", 10: "spam"}
    read = trialled.drilled(changed, rows=48, title=TITLE)
    for place, row in enumerate(read.texts):
        said = Said(
            ("baseline", "both", "neither")[place % 3], "Both labels are held by people here." * (place == 1)
        )
        deciding.note_read(read, row, by=reader, now=read.created_at, said=said)
    unread = trialled.drilled({2: "spam", 4: "docs", 9: ""}, rows=48, title=TITLE)
    row = unread.texts.keys()
    deciding.note_read(unread, next(iter(row)), by=reader, now=unread.created_at)
    _scheduled(now)
    return {
        "evaluation_before": before.pk,
        "evaluation": now.pk,
        "evaluation_run": _run(now),
        "drill": read.pk,
        "drill_unread": unread.pk,
        "drill_run_before": read.baseline_id,
        "drill_run": read.candidate_id,
        "golden": trialled.golden(title=TITLE).pk,
    }


def _scheduled(row: Evaluation) -> None:
    """One night that was run, and one that was skipped."""
    for ago, state, note, evaluation in (
        (1, "done", "12 runs of 6 cases: 9 of 12 verdicts as it really was, 1 false passes.", row),
        (2, "skipped", "The endpoint default gives no reply: it is down.", None),
    ):
        at = row.created_at - timedelta(days=ago)
        ScheduledTrial.objects.create(
            schedule="nightly", day=at.date(), state=state, note=note, evaluation=evaluation, created_at=at,
            moved_at=at, ended_at=at,
        )  # fmt: skip


def _run(row: Evaluation) -> int:
    return row.all_runs.values_list("pk", flat=True)[0]
