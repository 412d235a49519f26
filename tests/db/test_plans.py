"""What pages read of tables that grow for years is read from an index, in its order.

PostgreSQL may choose otherwise among a few rows: sorting and reading whole tables are switched off here, so
that a plan which still needs them has no index to use.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from incidents import keyset, queue
from incidents.models import Delivery, Incident
from incidents.queue import Sight
from incidents.queue_wants import Sort, Tab, Wanted
from investigations.models import Exchange
from tests.db.sources import make_source
from toolbox.models import Call

pytestmark = pytest.mark.django_db
_BY_TIME: keyset.Order = (("received_at", True), ("pk", True))


def sight(*, sees_all: bool = False) -> Sight:
    return Sight(1, (), sees_all, [make_source("shop")])


def ordered(want: Wanted, shelf: str) -> QuerySet[Any, Any]:
    found = queue.rows(sight(), want).filter(shelf=shelf)
    order = [f"-{name}" if descends else name for name, descends in queue.ORDERS[want.sort]]
    return found.order_by(*order).values_list("pk")[:51]


def deliveries(**values: Any) -> QuerySet[Any, Any]:
    return Delivery.objects.filter(**values).order_by("-received_at", "-pk").values_list("pk")[:51]


def mine() -> QuerySet[Any, Any]:
    want = Wanted(tab=Tab.MINE, severity="high", kind="alert", source="shop")
    return queue.rows(sight(), want).filter(shelf__in=("snoozed", "closed")).values_list("pk", "team")[:501]


PLANS: list[tuple[str, Callable[[], QuerySet[Any, Any]]]] = [
    ("queue_newest", lambda: ordered(Wanted(kind="alert", source="shop"), "closed")),
    ("queue_oldest", lambda: ordered(Wanted(sort=Sort.OLDEST, kind="claim"), "closed")),
    ("queue_severe", lambda: ordered(Wanted(sort=Sort.SEVERITY, source="shop"), "closed")),
    ("queue_by_person", mine),
    ("deliveries_newest", lambda: deliveries()),
    ("deliveries_of_a_source", lambda: deliveries(source=1)),
    ("deliveries_unfolded", lambda: deliveries(state="parked")),
    ("deliveries_in_condition", lambda: deliveries(condition="partly read")),
]


def plan(rows: QuerySet[Any, Any]) -> str:
    with connection.cursor() as cursor:
        for what in ("seqscan", "bitmapscan", "sort"):
            cursor.execute(f"SET LOCAL enable_{what} = off")
    return str(rows.explain())


@pytest.mark.parametrize(("index", "asked"), PLANS, ids=[name for name, _ in PLANS])
def test_a_list_is_read_from_its_index_in_order(index: str, asked: Callable[[], QuerySet[Any, Any]]) -> None:
    told = plan(asked())
    assert f"Index Only Scan using {index}" in told, told
    assert "Sort" not in told, told


def test_words_that_no_rank_knows_have_an_index() -> None:
    told = plan(ordered(Wanted(severity="page me"), "needs-a-person"))
    assert "queue_of_other_severity" in told, told


def test_what_a_search_finds_comes_from_the_words() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")
        cursor.execute("SET LOCAL enable_indexonlyscan = off")
    told = str(queue.rows(sight(sees_all=True), Wanted(words="job-4811"))[:501].explain())
    assert "Bitmap Index Scan on queue_words" in told, told


@pytest.mark.parametrize(
    ("index", "asked"),
    [
        ("call_by_caller", lambda: Call.objects.filter(caller="playbook").order_by("-pk")),
        ("call_by_tool", lambda: Call.objects.filter(tool="find_job").order_by("-pk")),
    ],
)
def test_calls_are_found_in_order(index: str, asked: Callable[[], QuerySet[Any, Any]]) -> None:
    assert index in plan(asked())


def test_figures_of_raw_rows_are_summed_up_in_an_index_alone() -> None:
    since = timezone.now() - timedelta(days=28)
    review = Incident.objects.filter(state="review", acknowledged_at=None).order_by()
    waiting = review.values("first_received_at").annotate(count=Count("*"))
    spent = Exchange.objects.filter(created_at__gte=since, investigation__isnull=False).order_by()
    cost = spent.values("created_at").annotate(Sum("micros"), Count("investigation", distinct=True))
    assert "Index Only Scan using drafts_unacknowledged" in plan(waiting)
    assert "Index Only Scan using exchanges_spent_by_time" in plan(cost)
