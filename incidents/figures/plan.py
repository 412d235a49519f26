"""Which passes are audited, and when a rule has to stop passing. Pure."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from incidents.figures.intervals import Interval, clopper_pearson, percent

TRIAL = 59  # clean audits in a row show, one-sided, a false-pass rate of at most 5 %


class Why(StrEnum):
    """Why a pass is audited."""

    TRIAL = "trial"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Standing:
    """The audits of one version of a rule: answers in order (True: the pass was right), and those overdue."""

    answers: Sequence[bool]
    overdue: int = 0

    @property
    def clean_in_a_row(self) -> int:
        """How many of the last answers are clean, up to the first false pass going back."""
        count = 0
        for was_right in reversed(self.answers):
            if not was_right:
                break
            count += 1
        return count

    @property
    def on_trial(self) -> bool:
        """Whether each pass is still audited: from the start, and again after a false pass."""
        return self.clean_in_a_row < TRIAL

    @property
    def audited(self) -> int:
        """How many audits are answered."""
        return len(self.answers)

    @property
    def false_passes(self) -> int:
        """How many of them found that the pass was wrong."""
        return sum(not each for each in self.answers)

    @property
    def interval(self) -> Interval:
        """The interval of the false-pass rate."""
        return clopper_pearson(self.false_passes, self.audited)


@dataclass(frozen=True, slots=True)
class Limits:
    """What an administrator has set: the share that is drawn, the highest bound, the most overdue audits."""

    share: float
    bound: float
    overdue: int


def drawn(verdict: int, standing: Standing, limits: Limits, *, key: bytes) -> Why | None:
    """Say why the pass of a verdict is audited, or None. The same verdict always gets the same lot.

    The lot hangs on a secret key: nobody who closes an incident can tell whether it will be looked at.
    """
    if standing.on_trial:
        return Why.TRIAL
    lot = hmac.new(key, f"pass audit {verdict}".encode(), hashlib.sha256).digest()
    return Why.SHARE if int.from_bytes(lot[:8]) < limits.share * 2**64 else None


def why_to_stop(standing: Standing, limits: Limits) -> str:
    """Return in a sentence why a rule has to stop passing, or nothing.

    Until a false pass is found, the first 59 audits are a trial in which each pass is looked at: a bound
    over so few is wide for no fault of the rule.
    """
    if standing.overdue > limits.overdue:
        return (
            f"{standing.overdue} audits of its passes are overdue; {limits.overdue} may be. "
            "Until they are answered nobody knows how often it passes wrongly."
        )
    high = standing.interval.high
    is_telling = standing.false_passes > 0 or standing.audited >= TRIAL
    if is_telling and high > limits.bound:
        return (
            f"{standing.false_passes} of {standing.audited} audited passes were false: "
            f"up to {percent(high)} may be, and {percent(limits.bound)} is the limit."
        )
    return ""
