"""The lines of a folder's JSON-lines files, rotated and compressed ones included, each file read once."""

import contextlib
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

_LOG_NAME = re.compile(r".+\.jsonl(?:[.-][0-9][0-9A-Za-z.:-]*)?(?:\.gz)?", re.DOTALL)
_PACKED_OTHERWISE = re.compile(
    r".+\.jsonl([.-][0-9][0-9A-Za-z.:-]*)?\.(zst|xz|bz2|lz4|lzma|lzo|br|Z|zip|7z)", re.DOTALL
)
LONGEST_LINE = 1_048_576


class LogUnreadable(Exception):
    """A log file cannot be read whole, so a search of it proves nothing; the message names the file."""


class LinkRefused(Exception):
    """A name in the folder leads out of it, or is no plain file; the message names it."""


class FolderMissing(Exception):
    """The folder of the logs is not there."""


def files(folder: Path) -> list[Path]:
    """Return the log files of a folder by name, each once, however many names in the folder lead to it.

    Raises FolderMissing, LinkRefused for a link that leads out of the folder, LogUnreadable.
    """
    try:
        home = folder.resolve(strict=True)
        names = sorted(entry.name for entry in os.scandir(home) if _is_log(entry.name))
    except PermissionError:
        raise LogUnreadable("the folder may not be read") from None
    except OSError:
        raise FolderMissing("the folder does not exist") from None
    for name in names:
        if _PACKED_OTHERWISE.fullmatch(name):
            raise LogUnreadable(f"{shown(name)} is packed in a way that is not read: pack it with gzip")
    found: dict[tuple[int, int], Path] = {}
    for name in names:
        path = _inside(home, name)
        try:
            about = path.stat()
        except OSError as error:
            raise LogUnreadable(f"{shown(name)} cannot be read ({type(error).__name__})") from None
        found.setdefault((about.st_dev, about.st_ino), path)
    return list(found.values())


def shown(name: str) -> str:
    """Return a file's name as a result and a message can hold it: the system allows what no text may be."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_log(name: str) -> bool:
    return bool(_LOG_NAME.fullmatch(name) or _PACKED_OTHERWISE.fullmatch(name))


def _inside(home: Path, name: str) -> Path:
    try:
        path = (home / name).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise LogUnreadable(f"{shown(name)} cannot be read ({type(error).__name__})") from None
    if not path.is_relative_to(home):
        raise LinkRefused(f"{shown(name)} is a link that leads out of the folder")
    return path


def lines(path: Path) -> Iterator[bytes]:
    """Return a file's lines with their ends; of one that is too long, its beginning without an end.

    The rest of such a line comes as empty lines, so that the caller can look at the clock.
    Raises LogUnreadable, LinkRefused.
    """
    inside_long_line = False
    try:
        with _opened(path) as stream:
            while line := stream.readline(LONGEST_LINE):
                yield b"" if inside_long_line else line
                inside_long_line = len(line) == LONGEST_LINE and not line.endswith(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        raise LogUnreadable(f"{shown(path.name)} cannot be read ({type(error).__name__})") from None


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    # Between listing and opening, the name may have become a link or a pipe: neither is followed.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as plain:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise LinkRefused(f"{shown(path.name)} is not a plain file")
        if path.name.endswith(".gz"):
            with gzip.GzipFile(fileobj=plain) as unpacked:
                yield unpacked
        else:
            yield plain
