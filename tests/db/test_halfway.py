"""A database that an older version left halfway is named, by `migrate` and by `doctor`; no other is."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from triage import halfway
from triage.doctor import ground

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("app", "lacks"),
    [
        ("trials", ["0005_scheduled_trials"]),  # nothing depends on it: Django itself would say nothing
        ("accounts", ["0006_sent_forms"]),
        (
            "audit",
            ["0002_seal", "0003_append_returns_text", "0004_find_by_actor", "0005_append_by_one_statement"],
        ),
    ],
)
def test_one_that_lacks_some_is_told_which_and_nothing_is_done(app: str, lacks: list[str]) -> None:
    recorder = MigrationRecorder(connection)
    for name in lacks:
        recorder.record_unapplied(app, name)
    files = [f"{app}/migrations/{name}.py" for name in lacks]
    assert halfway.missing("default") == files
    before = set(recorder.applied_migrations())
    with pytest.raises(CommandError, match=f"{files[-1]}.*Nothing was changed"):
        call_command("migrate", verbosity=0)
    assert set(recorder.applied_migrations()) == before
    (line,) = ground.migrations()
    assert (line.name, line.health) == ("migrations", "failing")


def test_one_that_had_them_all_or_none_goes_on() -> None:
    assert halfway.missing("default") == []
    assert [line.health for line in ground.migrations()] == ["ok"]
    recorder = MigrationRecorder(connection)
    # As it was before they were put together: the one is not written down.
    recorder.record_unapplied("trials", "0001_initial")
    assert halfway.missing("default") == []
    assert [line.health for line in ground.migrations()] == ["ok"]
    for app, name in set(recorder.applied_migrations()):
        if app == "trials":
            recorder.record_unapplied(app, name)
    assert halfway.missing("default") == []
    assert [line.health for line in ground.migrations()] == ["failing"]
