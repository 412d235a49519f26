"""pytest collects replays: each file of the folders named by `assay_replays` is one test.

In pytest.ini or pyproject: `assay_replays = replays`, and `assay_rules = my_rules` for rules other than the
shipped. Loaded by its entry point where the core is installed, else by `-p verdicts.pytest_plugin`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verdicts.plain import CaseUnreadable
from verdicts.replay.folder import SHIPPED, Rulebooks, known_tools, read_replay
from verdicts.replay.judging import judge
from verdicts.replay.tools import FILE

_BOOKS = pytest.StashKey[Rulebooks]()


class ReplayRed(Exception):
    """A replay whose verdict no person has accepted; the message is what people read."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the folders of replays and of rules, from the folder of the configuration file."""
    parser.addini("assay_replays", "folders of replays, each file of which is a test", type="paths")
    parser.addini("assay_rules", "folders of rules, instead of the shipped ones", type="paths")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ReplayFile | None":
    """Take the replays, and nothing else that ends in .json."""
    if file_path.suffix != ".json" or file_path.name == FILE:
        return None
    if not any(folder in file_path.parents for folder in parent.config.getini("assay_replays")):
        return None
    return ReplayFile.from_parent(parent, path=file_path)


class ReplayFile(pytest.File):
    """One file with one incident."""

    def collect(self) -> Iterator["ReplayItem"]:
        """Yield the one test, named as the file."""
        yield ReplayItem.from_parent(self, name=self.path.stem)


class ReplayItem(pytest.Item):
    """The incident, judged again."""

    def runtest(self) -> None:
        """Fail with the sentence for people when the replay is red or does not load."""
        each = read_replay(self.path)
        done = judge(each, _books(self.config).judging(each))
        if not done.is_green:
            raise ReplayRed(done.sentence())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show our own sentences as they are; a traceback for anything else."""
        if isinstance(excinfo.value, ReplayRed | CaseUnreadable):
            return f"{self.path}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the file in reports."""
        return self.path, None, f"replay: {self.name}"


def _books(config: pytest.Config) -> Rulebooks:
    if _BOOKS not in config.stash:
        folders: list[Path] = config.getini("assay_rules") or [SHIPPED]
        config.stash[_BOOKS] = Rulebooks(folders, known_tools(config.getini("assay_replays")))
    return config.stash[_BOOKS]
