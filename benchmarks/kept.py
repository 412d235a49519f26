"""Filled databases that outlive a run: filling one of a million incidents takes minutes.

`BENCH_KEEP=/var/tmp/assay-kept` names the folder they stand in, one for each number of incidents; without it
each run fills its own and removes it.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figures import figure
from benchmarks.filled_queue import fill
from benchmarks.stand import Stand, standing_in
from triage.local.unprivileged import elsewhere

#: While it is filled nobody would miss it; it is synced to the disk before anything is measured.
_FILLING = {
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_wal_size": "16GB",
    "checkpoint_timeout": "1h", "shared_buffers": "1GB", "autovacuum": "off",
}  # fmt: skip


@contextmanager
def filled(count: int) -> Iterator[Stand]:
    """Stand on a database with so many incidents: one that is kept, or one that is filled now."""
    kept = os.environ.get("BENCH_KEEP", "")
    if not kept:
        with tempfile.TemporaryDirectory(prefix="assay-bench-", dir="/tmp") as name:
            with _filled_in(Path(name), count) as stand:
                yield stand
            shutil.rmtree(elsewhere(Path(name) / "postgres"), ignore_errors=True)
        return
    folder = Path(kept) / f"incidents-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    with _filled_in(folder, count) as stand:
        yield stand


@contextmanager
def _filled_in(folder: Path, count: int) -> Iterator[Stand]:
    done = folder / "filled"
    if not done.exists():
        began = time.monotonic()
        with standing_in(folder, _FILLING) as stand:
            assert stand.servers.postgres is not None
            fill(stand.servers.postgres.dsn("assay"), stand.variables, count)
        os.sync()
        done.touch()
        figure(f"filling {count:,} incidents and {count * 10:,} entries", time.monotonic() - began, "s")
    with standing_in(folder) as stand:
        yield stand
