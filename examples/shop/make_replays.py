"""Makes replays/ anew from the example shop: `python -m examples.shop.make_replays [FOLDER]`.

Embedded servers are started and removed; each story's delivery is taken in, investigated, judged, closed as
it really ended, and exported. What was accepted before is not kept: read what git shows before you commit.
"""

import json
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from examples.shop.endings import BY, STORIES, Story

if TYPE_CHECKING:
    from incidents.models import Incident

SHOP = Path(__file__).parent
WHO = "Ada Lindqvist"


def main() -> None:
    """Write the files and say which rule each story is about."""
    from benchmarks.stand import standing, use_django

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHOP.parent.parent / "replays"
    folder.mkdir(parents=True, exist_ok=True)
    with standing() as stand:
        stand.load_shop()
        use_django(stand.variables)
        try:
            _make(folder)
        finally:
            from django.db import connections

            connections.close_all()


def _make(folder: Path) -> None:
    from django.utils import timezone

    from toolbox import registry
    from verdicts.replay.tools import FILE, write_tools

    now = timezone.now()
    _take_in(now)
    incidents = _judged(now)
    for story in STORIES:
        _write(folder, story, incidents[story.sender_key])
    write_tools(folder / FILE, registry.current().shapes())


def _take_in(now: datetime) -> None:
    from examples.shop import deliveries
    from incidents import folding, intake
    from incidents.models import Delivery, Source

    for one in json.loads((SHOP / "sources.json").read_text(encoding="utf-8")):
        Source.objects.create(
            slug=one["slug"],
            title=one["title"],
            adapter=one["adapter"],
            secret_digest=intake.secret_digest(one["slug"]),
            created_at=now,
        )
    for each in deliveries.render(_told_from()):
        source = Source.objects.get(slug=each.source)
        intake.receive(source, each.body, {"content-type": each.content_type}, "example", now)
    for delivery in Delivery.objects.order_by("pk"):
        folding.fold(delivery.pk, now)


def _told_from() -> datetime:
    """The world's own *now*, which its log files stand beside."""
    import os

    kept = Path(os.environ["SHOP_LOGS"]).parent / "world.json"
    return datetime.fromisoformat(json.loads(kept.read_text(encoding="utf-8"))["now"])


def _judged(now: datetime) -> Mapping[str, "Incident"]:
    from django.utils import timezone

    from incidents import services
    from incidents.models import Incident
    from investigations.models import Investigation

    for run in Investigation.objects.order_by("pk"):
        services.investigate(run.pk, now=timezone.now())
    return {each.sender_key: each for each in Incident.objects.select_related("source")}


def _write(folder: Path, story: Story, incident: "Incident") -> None:
    from dataclasses import replace

    from django.utils import timezone

    from accounts.models import User
    from incidents import services
    from incidents.exporting import Export, replay_of
    from verdicts.replay.file import PromptOnly

    by, _ = User.objects.get_or_create(
        username="ada", defaults={"first_name": "Ada", "last_name": "Lindqvist"}
    )
    services.close(
        incident.pk,
        by=by,
        outcome=story.outcome,
        answer="",
        reason=story.because,
        version=incident.version,
        now=timezone.now(),
    )
    incident.refresh_from_db()
    about = f"{story.file.replace('-', ' ').capitalize()}. {story.because}"
    replay = replay_of(incident, Export(by=WHO, now=timezone.now(), because=story.because, about=about))
    if story.said:
        replay = replace(replay, prompt_only=PromptOnly(passed=True, said=story.said, by=BY))
    (folder / f"{story.file}.json").write_text(replay.text(), encoding="ascii")
    word = "pass" if incident.verdict_passed else "fail"
    sys.stdout.write(f"{story.file:<36} {word} of {incident.hypothesis}, really {replay.actual}\n")


if __name__ == "__main__":
    main()
