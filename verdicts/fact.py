"""The two things a rule is made of: facts that must hold, and refutations that must not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from verdicts.answer import Answer
from verdicts.case import Subject

Ask = Callable[[Subject], Mapping[str, Any]]
Check = Callable[[Answer, Subject], bool]


#: How old an answer may be where its fact does not say.
MAX_AGE = timedelta(hours=1)


class RuleMalformed(ValueError):
    """A rule, fact or refutation is not declared as it must be; the message says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that must be so: which tool is asked what, and the check on its answer.

    `ask` gives the arguments for this incident; a time among them is written as UTC text. An entry
    counts only if its recorded arguments are equal to these. `holds` must return exactly True.

    `accepts_empty`: a proven "nothing there" may be read. `truncation_harmless_because`: why a cut
    answer may be read. `max_age`: the call may be at most this old when the case is judged, an hour where
    nothing else is said: a run can be judged again long after it asked.
    `not_before`: how long after the incident's start a call may count at all. `covers`: which
    argument asked for which edge of the window (`{"since": "since", "until": "until"}`), to be
    covered by the window that the answer itself reports. Where no argument asks for an end, the answer
    must report that it covered up to the call. `sentence`: the fact in plain words.
    """

    tool: str
    ask: Ask
    holds: Check
    accepts_empty: bool = False
    truncation_harmless_because: str = ""
    max_age: timedelta = MAX_AGE
    not_before: timedelta | None = None
    covers: Mapping[str, str] | None = None
    sentence: str = ""

    def __post_init__(self) -> None:
        """Refuse a declaration that could not mean anything; raises RuleMalformed."""
        _tool(self.tool)
        if not callable(self.ask) or not callable(self.holds):
            raise RuleMalformed("a fact needs ask(subject) and holds(answer, subject)")
        if type(self.accepts_empty) is not bool:
            raise RuleMalformed("accepts_empty is True or False")
        if type(self.truncation_harmless_because) is not str:
            raise RuleMalformed("truncation_harmless_because is a sentence that says why")
        for name, span in (("max_age", self.max_age), ("not_before", self.not_before)):
            if name == "not_before" and span is None:
                continue
            if not isinstance(span, timedelta) or span <= timedelta(0):
                raise RuleMalformed(f"{name} is a timedelta longer than nothing")
        if self.covers is not None and (
            not self.covers or not set(self.covers.values()) <= {"since", "until"}
        ):
            raise RuleMalformed('covers maps an argument to the edge it asked for: "since" or "until"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Refutation:
    """One thing that must not be so: any entry of the run with this tool that satisfies `when` is a fail."""

    tool: str
    when: Check
    sentence: str = ""

    def __post_init__(self) -> None:
        """Refuse a declaration that could not mean anything; raises RuleMalformed."""
        _tool(self.tool)
        if not callable(self.when):
            raise RuleMalformed("a refutation needs when(answer, subject)")


def _tool(name: object) -> None:
    if type(name) is not str or not name.strip():
        raise RuleMalformed("tool is the name of a declared tool")
