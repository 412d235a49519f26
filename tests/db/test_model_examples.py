"""The example deliveries, gathered by a model that asks nothing and claims that all is well."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from examples.shop.expectations import compare, expected, false_passes
from incidents import services
from incidents.models import Incident
from investigations.models import Investigation
from tests.db import shop, test_shop_examples
from tests.db.modelled import speaking, submission
from tests.scripted import Request, Scripted, says

HYPOTHESES = {each["title"]: each["hypothesis"] for each in expected()}
# The titles that tell the hypothesis: two incidents of one title may have two.
TOLD = {
    title
    for title in HYPOTHESES
    if {each["hypothesis"] for each in expected() if each["title"] == title} == {HYPOTHESES[title]}
}


def claims(request: Request) -> Scripted:
    """Hand in the tempting hypothesis at once, whatever is missing; a critic finds no hole in it."""
    if "the hole" in request.text or '\\"objections\\"' in request.text:
        return says('{"objections": [], "refutations": []}')
    title = max((each for each in HYPOTHESES if json.dumps(each)[1:-1] in request.text), key=len, default="")
    return says(submission(HYPOTHESES.get(title, "none_of_these"), draft="All is well."))


@pytest.fixture
def judged(
    committed_db: None, postgres_server: Any, monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> Iterator[list[dict[str, Any]]]:
    """Post every example and let the model gather; return the rows of the demo's table."""
    admin_dsn = postgres_server.dsn("postgres")
    now = timezone.now().replace(microsecond=0)
    shop.load(admin_dsn, tmp_path, now=now)
    with shop.asked(monkeypatch, settings, admin_dsn, tmp_path), speaking(settings, claims):
        test_shop_examples._post(now)
        test_shop_examples._fold()
        for run in Investigation.objects.order_by("pk"):
            services.investigate(run.pk, now=timezone.now())
        yield [test_shop_examples._row(incident) for incident in Incident.objects.order_by("pk")]


@pytest.mark.full
@pytest.mark.skipif(os.environ.get("FULL") != "1", reason="make test-full runs it: it takes a while")
def test_a_model_that_knows_the_name_and_asks_nothing_comes_to_what_code_finds(
    judged: list[dict[str, Any]],
) -> None:
    assert false_passes(expected(), judged) == []
    sources = {row["source"] for row in judged}
    wanted = [each for each in expected() if each["title"] in TOLD and each["source"] in sources]
    assert len(wanted) > 30
    assert compare(wanted, [row for row in judged if row["title"] in TOLD]) == []
    assert set(Investigation.objects.values_list("outcome", flat=True)) == {"first_pass"}
