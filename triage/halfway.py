"""A database that has some of the migrations which were put together into one, and not all of them.

Django takes the one for applied where all are, and runs it where none is. In between it forgets both, and may
say nothing at all.
"""

from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def missing(alias: str) -> list[str]:
    """Return, of each app that is half migrated, the files whose migrations this database has not applied."""
    applied = set(MigrationRecorder(connections[alias]).applied_migrations())
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    found: list[str] = []
    for key, migration in loader.disk_migrations.items():
        replaced = {(app, name) for app, name in migration.replaces}
        not_yet = replaced - applied
        # The first of the old ones may have had the name that the one has now.
        if not_yet and applied & {key, *replaced}:
            found += [f"{app}/migrations/{name}.py" for app, name in sorted(not_yet)]
    return sorted(found)


def sentence(files: list[str]) -> str:
    """Return what to do about them."""
    last = files[-1]
    return (
        f"An older version left this database halfway: it lacks {len(files)} migrations that are one with "
        f"others now, such as {last}. `git log -1 -- {last}` names the commit that took that file away: "
        "check out the one before it, run `manage.py migrate` there, come back and run it again. "
        "Nothing was changed."
    )
