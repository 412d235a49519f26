"""Logs as JSON lines: a folder of *.jsonl files, rotated and compressed ones included."""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from assay_core.instants import NotAnInstant, as_text, from_text
from assay_core.results import Status
from toolbox.connectors import logfiles
from toolbox.connectors.base import Outcome
from toolbox.connectors.logscan import Search, Tally
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.definitions import LogQuestion, ToolDefinition
from toolbox.values import ValueUnreadable

_SCAN_BYTES = 256 * 1024 * 1024
_LINES_BETWEEN_LOOKS = 256
_NAMES_SHOWN = 50


class JsonLinesConnector:
    """The logs in the folder that the named environment variable gives. `fields` renames ts, tenant, ... ."""

    kind = "jsonlines"

    def __init__(
        self,
        name: str,
        title: str,
        folder_env: str,
        *,
        fields: Mapping[str, str],
        scan_bytes: int = _SCAN_BYTES,
    ) -> None:
        self.name, self.title, self.folder_env = name, title, folder_env
        self._fields = dict(fields)
        self._scan_bytes = scan_bytes

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Scan every file of the folder for the window; a file that cannot be read whole is an error."""
        folder = os.environ.get(self.folder_env, "").strip()
        if not folder:
            return self._failed(Status.UNAVAILABLE, f"the environment variable {self.folder_env} is not set")
        if not isinstance(tool.question, LogQuestion):
            return self._failed(Status.ERROR, f"{tool.name} asks no logs")
        try:
            search = self._search(tool, tool.question, arguments, called_at)
            return self._scanned(tool, search, Path(folder))
        except logfiles.FolderMissing as error:
            return self._failed(Status.UNAVAILABLE, str(error))
        except logfiles.LinkRefused as error:
            return self._failed(Status.REFUSED, str(error))
        except NotAnInstant as error:
            return self._failed(Status.REFUSED, f"the window cannot be read: {error}")
        except (logfiles.LogUnreadable, ValueUnreadable) as error:
            return self._failed(Status.ERROR, str(error))
        except DeadlinePassed as error:
            return self._failed(Status.ERROR, f"the search {error} and was stopped")

    def close(self) -> None:
        """Nothing is held open."""

    def _failed(self, status: Status, reason: str) -> Outcome:
        return Outcome(status, reason=f"{self.name}: {reason}")

    def _search(
        self, tool: ToolDefinition, question: LogQuestion, arguments: Mapping[str, Any], called_at: datetime
    ) -> Search:
        since = from_text(arguments[question.since])
        asked = arguments.get(question.until)
        until = min(from_text(asked), called_at) if asked is not None else called_at
        if since > until:
            raise NotAnInstant(f"it begins at {as_text(since)}, after its end at {as_text(until)}")
        return Search.of(
            question,
            arguments,
            window=(since, until),
            fields=self._fields,
            limits=tool.limits,
        )

    def _scanned(self, tool: ToolDefinition, search: Search, folder: Path) -> Outcome:
        deadline = Deadline(tool.limits.seconds)
        tally = Tally()
        read = 0
        paths = logfiles.files(folder)
        for path in paths:
            for number, line in enumerate(logfiles.lines(path)):
                if number % _LINES_BETWEEN_LOOKS == 0:
                    deadline.left()
                read += len(line)
                if read > self._scan_bytes:
                    return self._outcome(tool, search, tally, paths, stopped=True)
                tally.take(line, search)
            tally.end_of_file(search)
        return self._outcome(tool, search, tally, paths, stopped=False)

    def _outcome(
        self, tool: ToolDefinition, search: Search, tally: Tally, paths: list[Path], *, stopped: bool
    ) -> Outcome:
        # What was logged before the oldest line that is kept, nobody can say.
        since = search.since if tally.oldest is None else max(search.since, min(tally.oldest, search.until))
        covered = {"since": as_text(since), "until": as_text(search.until)}
        result = {
            **tally.result(search, tool.key),
            "covered": covered,
            "file_count": len(paths),
            "files": [logfiles.shown(path.name) for path in paths[:_NAMES_SHOWN]],
        }
        status, reason = self._ending(search, tally, stopped=stopped)
        if tally.broken_lines:
            reason = "; ".join(
                part for part in (reason, f"{tally.broken_lines} broken lines were left out") if part
            )
        return Outcome(status, result, reason, covered, tally.cleaner.replaced)

    def _ending(self, search: Search, tally: Tally, *, stopped: bool) -> tuple[Status, str]:
        if stopped:
            return (
                Status.TRUNCATED,
                f"the files hold more than the {self._scan_bytes} bytes that one search reads",
            )
        if tally.unreadable_lines:
            fields = ", ".join(sorted({name for _, name, _ in search.tests}))
            reason = f"{tally.unreadable_lines} lines in the window lack what was searched ({fields})"
            return Status.UNANSWERABLE, reason
        if tally.doubtful_lines:
            reason = (
                f"{tally.doubtful_lines} lines of the window that cannot be read may be what was searched"
            )
            return Status.UNANSWERABLE, reason
        if tally.lines_scanned == 0:
            return Status.UNANSWERABLE, _nothing_scanned(search, tally)
        if tally.full:
            return (
                Status.TRUNCATED,
                f"{tally.match_count} lines match; the first {len(tally.kept)} found are kept",
            )
        if tally.match_count == 0 and not search.count:
            return Status.EMPTY, ""
        return Status.OBSERVED, ""


def _nothing_scanned(search: Search, tally: Tally) -> str:
    if tally.lines_in_window == 0:
        return "no line at all lies in the window, so finding nothing proves nothing"
    for _, name, wanted in search.places:
        if not tally.place_lines.get(name):
            return f"no line of the window has {name} {wanted[:80]!r}, so finding nothing proves nothing"
    return "no line of the window lies in the place that was searched, so finding nothing proves nothing"
