"""A file to which checkpoints are appended, such as one on a disk that another machine keeps."""

import fcntl
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay_core.notes import NoteUnreadable, split_notes
from audit.places.base import PlaceFailed

_TAIL_BYTES = 8192


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Appends, and never rewrites."""

    path: Path
    every: int = 60
    can_be_read: bool = True

    @property
    def name(self) -> str:
        """The file's address."""
        return f"file://{self.path}"

    def last(self) -> str | None:
        """Return the last checkpoint of the file. Raises PlaceFailed."""
        try:
            with self.path.open("rb") as file:
                start = max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES)
                file.seek(start)
                tail = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PlaceFailed(f"{self.path} can't be read: {error.strerror}") from None
        if not tail:
            return None
        notes = self._split(tail)
        return notes[-1]

    def read(self) -> Sequence[str]:
        """Return all checkpoints of the file. Raises PlaceFailed."""
        try:
            return self._split(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise PlaceFailed(f"{self.path} is not there") from None
        except (OSError, UnicodeDecodeError) as error:
            raise PlaceFailed(f"{self.path} can't be read: {error}") from None

    def publish(self, note: str) -> str:
        """Append the checkpoint and wait for the disk. Raises PlaceFailed."""
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            with os.fdopen(descriptor, "wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(note.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise PlaceFailed(f"{self.path} can't be written: {error.strerror}") from None
        return "appended"

    def _split(self, text: str) -> tuple[str, ...]:
        try:
            return split_notes(text)
        except NoteUnreadable as error:
            raise PlaceFailed(
                f"{self.path} ends in something that is no checkpoint ({error}): take that end away"
            ) from None
