"""What the scripted endpoints answer to the shipped golden set: right, but for what is listed. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from investigations.classification import Listed, traces, versions
from investigations.classification.reasons import checked
from trials.drills.plan import issue_of
from trials.golden.rows import Row

PROSE, FENCED, REFUSED = "prose", "fenced", "refused"


@dataclass(frozen=True, slots=True)
class Slip:
    """How an answer differs from the golden one: another label, a person asked for, another shape."""

    label: str = ""
    asks: bool = False
    shape: str = ""


Script = Mapping[str, Slip]


def _slips(**given: Slip) -> dict[str, Slip]:
    return {f"lanternworks/ferry#{number[1:]}": slip for number, slip in given.items()}


OLD = _slips(
    n41=Slip("bug"), n72=Slip("bug"), n83=Slip("bug", asks=True), n110=Slip("feature"), n128=Slip("bug"),
    n146=Slip("docs"), n170=Slip("bug"), n182=Slip("question"), n97=Slip(asks=True), n167=Slip(asks=True),
    n218=Slip(asks=True), n200=Slip("bug"),
)  # fmt: skip
# A model that takes what is thin or linked for spam or a duplicate, and whose shape slips now and then.
WORSE = OLD | _slips(
    n97=Slip("spam"), n91=Slip("duplicate"), n140=Slip(shape=PROSE), n55=Slip(shape=PROSE),
    n75=Slip("feature"), n23=Slip("docs"), n113=Slip("feature"), n146=Slip("docs"), n158=Slip("docs"),
    n61=Slip("docs"), n12=Slip(shape=FENCED), n47=Slip(shape=FENCED), n185=Slip(shape=REFUSED),
)  # fmt: skip
BETTER = _slips(
    n72=Slip("bug"), n110=Slip("feature"), n128=Slip("bug"), n170=Slip("bug"), n97=Slip(asks=True),
    n218=Slip(asks=True), n176=Slip("docs"),
)  # fmt: skip
SCRIPTS: Mapping[str, Script] = {"old": OLD, "worse": WORSE, "better": BETTER}


def answer(row: Row, script: Script) -> Mapping[str, str]:
    """Return what a scripted model says of a row, as a chat completion's message has it."""
    slip = script.get(row.id, Slip())
    label = slip.label or row.label
    if slip.shape == REFUSED:
        return {"role": "assistant", "content": "", "refusal": "I cannot help with advertisements."}
    said = json.dumps({"label": label, "reasons": _reasons(row, label), "needs_human": slip.asks})
    if slip.shape == PROSE:
        said = f"I would call this one {label}, although it could be something else."
    if slip.shape == FENCED:
        said = f"```json\n{said}\n```"
    return {"role": "assistant", "content": said}


def _reasons(row: Row, label: str) -> list[str]:
    """Return reasons that hold, by the very code that checks them."""
    issue = issue_of(row)
    found = ["stack_trace_present"] if traces.found_in(row.body) else []
    if row.target:
        found.append("links_prior_issue")
    if not versions.found_in(f"{row.title}\n{row.body}"):
        found.append("version_missing")
    if label == "question":
        found.append("asks_how_to")
    if label == "spam" or len(row.body) < 60:
        found.append("no_actionable_detail")
    return found[:3] if found and checked(found, issue, Listed()) else ["repro_steps_present"]
