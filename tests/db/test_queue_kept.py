"""What PostgreSQL keeps for the queue: shelf, rank, counts and words, exact after every change."""

from collections import Counter

import pytest
from django.db.models import F, Sum
from django.utils import timezone

from accounts.models import Team, User
from accounts.roles import Role
from incidents import queue, queue_counts, queue_saved
from incidents.models import Identifier, Incident, Note, Source, Tally
from incidents.queue_wants import SEVERITIES, Tab, Wanted
from incidents.states import Origin, State
from tests.db.sources import make_source
from tests.web.pages import MakeUser, judged
from tests.web.test_queue import incident

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Source:
    return make_source()


def tallied() -> dict[tuple[object, ...], int]:
    rows = Tally.objects.values_list("team_id", "source_id", "kind", "severity_rank", "shelf")
    return {tuple(row[:-1]): row[-1] for row in rows.annotate(Sum("count")) if row[-1]}


def counted() -> dict[tuple[object, ...], int]:
    """Count the rows themselves, in plain Python, from what the columns say."""
    found: Counter[tuple[object, ...]] = Counter()
    for one in Incident.objects.all():
        rank = SEVERITIES.index(one.severity) if one.severity in SEVERITIES else len(SEVERITIES)
        found[one.team_id, one.source_id, one.kind, rank, shelf_of(one)] += 1
    return dict(found)


def shelf_of(one: Incident) -> str:
    if one.state == State.CLOSED:
        return "closed"
    if one.snoozed_until:
        return "snoozed"
    if one.state == State.INVESTIGATING:
        return "investigating"
    return "earned-a-pass" if one.verdict_passed else "needs-a-person"


def test_the_counts_are_exact_after_any_change(source: Source) -> None:
    team = Team.objects.create(name="Shop", slug="shop")
    rows = [incident(source, number, severity=("critical", "odd", "info")[number % 3]) for number in range(9)]
    assert tallied() == counted()
    Incident.objects.filter(pk__in=[one.pk for one in rows[:4]]).update(state=State.CLOSED)
    Incident.objects.filter(pk=rows[5].pk).update(team=team, severity="high", verdict_passed=True)
    Incident.objects.filter(pk=rows[6].pk).update(snoozed_until=timezone.now())
    rows[0].severity = "low"
    rows[0].save()  # a stale row written whole: it is open again, and on the right shelf
    Incident.objects.filter(pk=rows[8].pk).delete()
    Incident.objects.update(signal_count=F("signal_count") + 1)
    assert tallied() == counted()


def test_adding_up_changes_no_count(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        incident(source, number)
    Incident.objects.update(state=State.CLOSED)
    before = tallied()
    monkeypatch.setattr(queue_counts, "_MANY_STEPS", 3)
    queue_counts.add_up()
    assert tallied() == before
    assert Tally.objects.count() == len(before)


def test_words_of_the_draft_and_of_identifiers_are_found(make_user: MakeUser) -> None:
    one = judged()
    ada = make_user("ada", role=Role.SUPPORT)
    Identifier.objects.create(
        incident=one, name="trace", value="4bf92f3577b34da6", origin=Origin.PERSON, named_by="ada",
        named_at=timezone.now(),
    )  # fmt: skip
    draft = one_draft(one)
    word = max(draft.split(), key=lambda text: len(text) if text.isalpha() else 0)
    for words in ("4bf92f3577", word, f"JOB-7 {word[:5]}"):
        assert numbers(ada, words) == [one.pk], words
    for words in ("nothing-like-this", "%", "'", "\\", "((", "💥", "zzz:*|yyy"):
        assert numbers(ada, words) == [], words
    Note.objects.create(incident=one, by=ada, text="Ask Zebedee.", once="1", created_at=timezone.now())
    assert numbers(ada, "zebedee") == [one.pk]
    Incident.objects.filter(pk=one.pk).update(title="Renamed")
    assert numbers(ada, word) == [one.pk], "a new title keeps what was said elsewhere"
    assert numbers(ada, "renamed") == [one.pk]


def one_draft(one: Incident) -> str:
    from investigations.models import Draft

    return Draft.objects.filter(investigation__incident_id=one.pk).latest("pk").text


def numbers(user: User, words: str) -> list[int]:
    page = queue.page(queue.sight(user), Wanted(tab=Tab.ALL, words=words))
    return [row.pk for row in page.rows]


def test_a_shared_view_is_counted_by_what_its_reader_sees(make_user: MakeUser) -> None:
    shop, bank = (Team.objects.create(name=name, slug=name) for name in ("shop", "bank"))
    incident(make_source("a", team=shop), severity="critical")
    incident(make_source("b", team=bank), severity="critical")
    boss = make_user("boss", role=Role.MANAGER)
    ada = make_user("ada", role=Role.SUPPORT)
    ada.teams.add(shop)
    want = Wanted(tab=Tab.ALL, severity="critical")
    view = queue_saved.save(want, name="Critical", audience="all", by=boss, now=timezone.now())
    assert queue_saved.want_of(view) == want
    for user, count in ((boss, 2), (ada, 1)):
        seen = queue.sight(user)
        assert [one.pk for one in queue_saved.views(user, seen)] == [view.pk]
        assert queue_counts.counts(seen, Wanted(), {view.pk: want}).others[view.pk].count == count


def test_views_are_shared_with_ones_own_teams_alone(make_user: MakeUser) -> None:
    shop, bank = (Team.objects.create(name=name, slug=name) for name in ("shop", "bank"))
    ada, bea = make_user("ada", role=Role.SUPPORT), make_user("bea", role=Role.SUPPORT)
    ada.teams.add(shop)
    bea.teams.add(bank)
    for audience in ("all", "bank", "nowhere"):
        with pytest.raises(queue_saved.ViewRefused):
            queue_saved.save(Wanted(), name="x", audience=audience, by=ada, now=timezone.now())
    for name in ("", "  \0 ", "x" * 41):
        with pytest.raises(queue_saved.ViewRefused):
            queue_saved.save(Wanted(), name=name, audience="", by=ada, now=timezone.now())
    view = queue_saved.save(Wanted(), name="Ours", audience="shop", by=ada, now=timezone.now())
    assert queue_saved.views(bea, queue.sight(bea)) == []
    assert not queue_saved.delete(view.pk, by=bea)
    assert queue_saved.delete(view.pk, by=ada)


def test_columns_are_kept(make_user: MakeUser, source: Source) -> None:
    one, ada = incident(source), make_user("ada", role=Role.SUPPORT)
    assert queue_saved.look(ada) == (one.pk, list(queue_saved.USUAL))
    queue_saved.choose(ada, ["team", "age", "no such column"])
    assert queue_saved.look(ada) == (one.pk, ["team", "age"])
