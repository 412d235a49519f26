"""The file of one replay: canonical JSON, read strictly. One that lacks an entry of its run does not load."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from assay_core import strictjson
from assay_core.arguments import ToolShape
from assay_core.canonical import NotCanonical, canonical
from verdicts import plain
from verdicts.closings import TABLE, Actual, Closing, NoSuchOutcome, settled
from verdicts.frozen import Frozen
from verdicts.outcomes import Verdict
from verdicts.plain import CaseUnreadable
from verdicts.replay.accepted import Accepted
from verdicts.replay.tools import tool_from_plain, tool_to_plain
from verdicts.rulebook import Rulebook
from verdicts.verdict import verdict

VERSION = 1
_REQUIRED = frozenset(
    {"v", "about", "subject", "case", "entries", "actual", "tools", "rulebook_digest", "accepted", "masked"}
)
_OPTIONAL = frozenset({"prompt_only"})
_CLOSING = frozenset({"outcome", "target"})
_TARGET = frozenset({"kind", "outcome"})
_SAID = frozenset({"passed", "said", "by"})


@dataclass(frozen=True, slots=True)
class PromptOnly:
    """What a verdict by prompt alone said of the same answers, and whose words these are."""

    passed: bool
    said: str
    by: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A closed incident as a file: all that was judged, how it really ended, and what was accepted."""

    about: str
    frozen: Frozen
    outcome: str
    tools: Mapping[str, ToolShape]
    rulebook_digest: str
    accepted: Accepted | None
    target: Closing | None = None
    prompt_only: PromptOnly | None = None
    masked: Mapping[str, int] = field(default_factory=dict)

    @property
    def actual(self) -> Actual:
        """What the closing outcome says was so, by the table in force."""
        return settled(self.frozen.subject.kind, self.outcome, self.target)

    def judged(self, rulebook: Rulebook) -> Verdict:
        """Judge it again."""
        frozen = self.frozen
        return verdict(frozen.case, frozen.subject, frozen.entries, rulebook)

    def accepted_as(self, accepted: Accepted | None) -> "Replay":
        """Return the same replay with another acceptance."""
        return replace(self, accepted=accepted)

    def text(self) -> str:
        """Return the file's text: canonical JSON and a line end."""
        return f"{canonical(self.to_plain())}\n"

    def to_plain(self) -> dict[str, Any]:
        """Return the JSON form."""
        target, said = self.target, self.prompt_only
        whole = {
            **self.frozen.to_plain(),
            "v": VERSION,
            "about": self.about,
            "actual": {
                "outcome": self.outcome,
                "target": None if target is None else {"kind": target.kind, "outcome": target.outcome},
            },
            "tools": {name: tool_to_plain(shape) for name, shape in self.tools.items()},
            "rulebook_digest": self.rulebook_digest,
            "accepted": None if self.accepted is None else self.accepted.to_plain(),
            "masked": dict(self.masked),
        }
        if said is not None:
            whole["prompt_only"] = {"passed": said.passed, "said": said.said, "by": said.by}
        return whole

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read a file's text; raise CaseUnreadable that says what is wrong where."""
        value = _parsed(text)
        raw = plain.record(value, "replay", _REQUIRED, _OPTIONAL)
        if raw["v"] != VERSION or type(raw["v"]) is not int:
            raise CaseUnreadable("v", f"is {raw['v']!r}, and this version reads {VERSION}")
        outcome, target = _closing(raw["actual"])
        accepted, said = raw["accepted"], raw.get("prompt_only")
        tools = plain.mapping(raw["tools"], "tools")
        read = cls(
            about=plain.text(raw["about"], "about"),
            frozen=Frozen.of_parts(raw),
            outcome=outcome,
            tools={name: tool_from_plain(name, each, f"tools.{name}") for name, each in tools.items()},
            rulebook_digest=plain.text(raw["rulebook_digest"], "rulebook_digest"),
            accepted=None if accepted is None else Accepted.from_plain(accepted, "accepted"),
            target=target,
            prompt_only=None if said is None else _said(said),
            masked=_counts(raw["masked"]),
        )
        read._check()
        return read

    def _check(self) -> None:
        lacks = self.frozen.lacks
        if lacks:
            raise CaseUnreadable("entries", f"{lacks} A replay holds every answer of its run, or none counts")
        try:
            self.actual  # noqa: B018 an outcome that its kind does not know raises
        except NoSuchOutcome as error:
            raise CaseUnreadable("actual", str(error)) from error


def _parsed(text: str) -> Any:
    """Parse JSON, refusing doubled keys and what has no canonical form."""
    try:
        value = _DECODER.decode(text)
        if "\\ud" in text or "\\uD" in text:  # half of a character, perhaps
            canonical(value)
    except NotCanonical as error:
        raise CaseUnreadable("replay", str(error)) from error
    except (ValueError, RecursionError) as error:
        raise CaseUnreadable("replay", f"not JSON: {error}") from error
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=strictjson.without_doubles,
    parse_float=strictjson.finite,
    parse_constant=strictjson.no_number,
)


def _closing(value: Any) -> tuple[str, Closing | None]:
    raw = plain.record(value, "actual", _CLOSING)
    outcome = plain.text(raw["outcome"], "actual.outcome")
    if raw["target"] is None:
        return outcome, None
    target = plain.record(raw["target"], "actual.target", _TARGET)
    kind = plain.one_of(target["kind"], "actual.target.kind", {kind: kind for kind in TABLE})
    return outcome, Closing(kind, plain.text(target["outcome"], "actual.target.outcome"))


def _said(value: Any) -> PromptOnly:
    raw = plain.record(value, "prompt_only", _SAID)
    return PromptOnly(
        passed=plain.flag(raw["passed"], "prompt_only.passed"),
        said=plain.text(raw["said"], "prompt_only.said"),
        by=plain.text(raw["by"], "prompt_only.by"),
    )


def _counts(value: Any) -> dict[str, int]:
    for name, count in plain.mapping(value, "masked").items():
        plain.whole(count, f"masked.{name}")
    return dict(value)
