"""What a running process holds: its environment, and what stands in its memory."""

import re
from io import FileIO
from pathlib import Path

import pytest

_PART = 8 * 1024 * 1024


def environment(pid: int) -> dict[str, str]:
    """Return the variables that a process was started with; none of one that ended meanwhile."""
    try:
        text = Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return dict(each.partition("=")[::2] for each in text.split("\0") if "=" in each)


def descendants(pid: int) -> list[int]:
    """Return a process and all that it started, such as the forks of a worker."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found


def holds(pid: int, secret: bytes) -> bool:
    """Return whether a secret stands anywhere in what a process can read of its memory.

    A named skip where this machine lets nobody look.
    """
    read = 0
    try:
        maps = Path(f"/proc/{pid}/maps").read_text()
        regions = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) r\S+ .*$", maps, re.M)
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            for begin, end in regions:
                found, size = _region_holds(memory, int(begin, 16), int(end, 16), secret)
                read += size
                if found:
                    return True
    except PermissionError:
        pytest.skip("needs a kernel that lets us read another process's memory: root, and ptrace allowed")
    except (FileNotFoundError, ProcessLookupError):
        return False  # it ended meanwhile, as short programs that a worker starts do
    assert read > 1_000_000 or not environment(pid), (
        "next to nothing of the memory could be read: the test would show nothing"
    )
    return False


def _region_holds(memory: FileIO, begin: int, end: int, secret: bytes) -> tuple[bool, int]:
    tail, at = b"", begin
    while at < end:
        try:
            memory.seek(at)
            part = memory.read(min(_PART, end - at))
        except (OSError, OverflowError, ValueError):
            break  # a region of the kernel's own
        if not part:
            break
        if secret in tail + part:
            return True, at - begin
        tail, at = part[-len(secret) :], at + len(part)
    return False, at - begin
