"""Which commits of a run wait for the disk: each that somebody may see or that ends something, no other."""

from collections import defaultdict
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from investigations import services, transcripts
from investigations.states import Purpose
from investigations.transcripts import Occasion, Part
from tests.db.investigated import Scripted, ignore, never, world
from tests.db.modelled import JOB, by_model, speaking, submission
from tests.scripted import calls, says

WATCHED = (
    "investigations_exchange",
    "investigations_investigation",
    "investigations_step",
    "investigations_transcript",
    "investigations_verdict",
    "audit_entry",
)
_WATCH = """
CREATE TABLE public.waited (name text, how text);
GRANT SELECT, INSERT ON public.waited TO public;
CREATE FUNCTION public.note_wait() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
    INSERT INTO public.waited VALUES (TG_ARGV[0], current_setting('synchronous_commit'));
    RETURN NULL;
END$$;
"""


@pytest.fixture
def watched(committed_db: None, superuser_dsn: str) -> None:
    """Each write to these tables notes what `synchronous_commit` was, in a session that has it on."""
    with psycopg.connect(superuser_dsn, autocommit=True) as link:
        link.execute(_WATCH)
        for name in WATCHED:
            link.execute(
                f"CREATE TRIGGER zz_wait AFTER INSERT OR UPDATE ON {name} FOR EACH ROW"
                f" EXECUTE FUNCTION public.note_wait('{name}')".encode()
            )
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")  # the tests' server has it off


def waited() -> defaultdict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, how FROM waited")
        for name, how in cursor.fetchall():
            found[name].add(how)
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("on",)
    return found


def test_what_a_run_keeps_for_itself_is_written_with_the_next_entry_and_an_entry_at_once(
    watched: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    connector: Scripted = world(monkeypatch)
    with speaking(settings, [calls(JOB), says(submission())]):
        services.run(by_model().pk, on_judged=ignore, on_failed=never)
    assert len(connector.asked) == 1
    found = waited()
    for name in ("investigations_exchange", "investigations_step", "investigations_transcript"):
        assert found[name] == {"off"}, name
    assert found["audit_entry"] == found["investigations_verdict"] == {"on"}


def test_within_a_transaction_of_somebody_else_its_commit_waits_as_it_would(watched: None) -> None:
    with transaction.atomic():
        transcripts.keep([Part.of("in a transaction")])
        transcripts.begin(
            Occasion(Purpose.ASK), endpoint="default", model="m", step=1, request={}, parts=[Part.of("said")]
        )
    found = waited()
    assert found["investigations_transcript"] == found["investigations_exchange"] == {"on"}
