"""Adding a source by command."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Team
from incidents.intake import is_secret_of
from incidents.models import Source

pytestmark = pytest.mark.django_db


def add(*arguments: Any, **options: Any) -> str:
    out = StringIO()
    call_command("addsource", *arguments, stdout=out, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a b", "--adapter", "claim"], "no slug"),
        (["x" * 61, "--adapter", "claim"], "60 characters"),
        (["schedule", "--adapter", "claim"], "not 'schedule'"),
        (["a", "--adapter", "smoke"], "invalid choice"),
        (["a", "--adapter", "schedule"], "invalid choice"),
        (["a", "--adapter", "heartbeat"], "needs --every"),
        (["a", "--adapter", "heartbeat", "--every", "0"], "needs --every"),
        (["a", "--adapter", "claim", "--every", "60"], "for heartbeats"),
        (["a", "--adapter", "heartbeat", "--every", "60", "--grace", "-1"], "0 or more"),
        (["a", "--adapter", "claim", "--team", "nobody"], "Known teams: none yet"),
        (["a", "--adapter", "claim", "--secret-env", "UNSET_SECRET"], "UNSET_SECRET is unset"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_adds_nothing(arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        add(*arguments)
    assert not Source.objects.exists()


def test_a_slug_that_is_taken_is_refused() -> None:
    add("a", "--adapter", "claim")
    with pytest.raises(CommandError, match="Choose another slug"):
        add("a", "--adapter", "claim")


def test_the_secret_is_shown_once_and_kept_as_a_hash() -> None:
    Team.objects.create(name="Support", slug="support")
    told = add("desk", "--adapter", "claim", "--team", "support", "--title", "Support desk")
    secret = told.split("shown this once:\n")[1].splitlines()[0]
    source = Source.objects.get()
    assert is_secret_of(source, secret)
    assert secret not in repr(Source.objects.values().get())
    assert (source.title, str(source.team)) == ("Support desk", "Support")
    assert "/hooks/desk/" in told


def test_a_secret_from_the_environment_is_taken_and_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_SECRET", "a secret of sixteen or more")
    told = add("desk", "--adapter", "heartbeat", "--every", "60", "--secret-env", "DESK_SECRET")
    assert "sixteen" not in told
    assert is_secret_of(Source.objects.get(), "a secret of sixteen or more")
