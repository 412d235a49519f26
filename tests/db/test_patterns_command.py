"""`manage.py patterns`: what it refuses changes nothing; what it changes is on record."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from audit.models import Entry
from incidents.models import Source
from tests.db.sources import make_source

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("patterns", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "Known sources: prometheus"),
        (("prometheus", "--set", "order_id"), "NAME=PATTERN"),
        (("prometheus", "--set", "order_id=(a+)+"), "can't be used"),
        (("prometheus", "--set", "Order=a"), "no name"),
        (("prometheus", "--remove", "order_id"), "no pattern"),
    ],
)
def test_what_it_refuses_changes_nothing(arguments: tuple[str, ...], words: str) -> None:
    make_source()
    with pytest.raises(CommandError, match=words):
        run(*arguments)
    assert Source.objects.get().patterns == {}


def test_it_sets_tries_and_removes() -> None:
    make_source()
    assert "no patterns" in run("prometheus")
    told = run("prometheus", "--set", r"order_id=order (SO-\d+)", "--try", "my order SO-12, please")
    assert "order_id is SO-12" in told
    assert Source.objects.get().patterns == {"order_id": r"order (SO-\d+)"}
    assert Entry.objects.latest("pk").kind == "source.patterns_changed"
    run("prometheus", "--remove", "order_id")
    assert Source.objects.get().patterns == {}
