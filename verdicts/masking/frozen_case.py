"""A whole case masked: judged before and after, and refused where the verdict would be another."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from verdicts.comparison import outcomes_of
from verdicts.frozen import Frozen
from verdicts.masking.masker import Masker, MaskingRefused, Senses
from verdicts.outcomes import Verdict

Judge = Callable[[Frozen], Verdict]
#: What a person wrote in their own words is masked whole: no pattern knows a name when it sees one.
_WRITTEN_BY_PEOPLE = frozenset({"claim", "issue"})


@dataclass(frozen=True, slots=True)
class Masked:
    """A case without secrets and personal data, and how many values of each kind it held."""

    frozen: Frozen
    counts: Mapping[str, int]


def mask(frozen: Frozen, senses: Senses, judge: Judge, *, keep_words: bool = False) -> Masked:
    """Return the case masked. Its ids, leaves, times, tools and hypotheses stay.

    `keep_words` keeps the free text of claims and issues but for what patterns find. Raises
    MaskingRefused naming the field whose placeholder makes the verdict another.
    """
    before = _told(judge(frozen))
    made, masker = _once(frozen, senses, keep_words)
    if _told(judge(made)) == before:
        return Masked(made, dict(sorted(masker.counts.items())))
    for value, places in masker.found.items():
        others = {each for each in masker.found if each.casefold() != value.casefold()}
        alone = replace(senses, spared=senses.spared | others)
        if _told(judge(_once(frozen, alone, keep_words)[0])) != before:
            raise MaskingRefused(
                f"{', '.join(dict.fromkeys(places[:3]))}: the verdict becomes another when this value is "
                "masked. Spare it if it is neither secret nor personal, or leave this incident out."
            )
    first = next(iter(masker.found.values()), ["the case"])[0]
    raise MaskingRefused(
        f"{first} and {max(0, len(masker.found) - 1)} more: the verdict becomes another when they are masked "
        "together. Spare those that are neither secret nor personal, or leave this incident out."
    )


def _once(frozen: Frozen, senses: Senses, keep_words: bool) -> tuple[Frozen, Masker]:
    masker = Masker(senses)
    whole = frozen.to_plain()
    subject, submission = whole["subject"], whole["case"]["submission"]
    in_words = subject["kind"] in _WRITTEN_BY_PEOPLE and not keep_words
    if in_words:
        for words in (subject["title"], submission["draft"], *subject["annotations"].values()):
            masker.learn_text(words, "text")
    masker.learn([subject[part] for part in ("identifiers", "labels", "annotations")])
    masker.learn([[entry["arguments"], entry["result"]] for entry in whole["entries"]])
    for part in ("title", "identifiers", "labels", "annotations"):
        subject[part] = masker.masked(subject[part], f"subject.{part}")
    for part in ("draft", "proposed_hypothesis"):
        submission[part] = masker.masked(submission[part], f"case.submission.{part}")
    for findings in (submission["findings"], whole["case"]["added"], whole["case"]["refutations"]):
        for finding in findings:
            finding["note"] = masker.text(finding["note"], f"the note on {finding['fact']}")
    for entry in whole["entries"]:
        _entry(entry, masker)
    return Frozen.of_parts(whole), masker


def _entry(entry: dict[str, Any], masker: Masker) -> None:
    where = f"entry {entry['id']}"
    for part in ("arguments", "result", "reason"):
        entry[part] = masker.masked(entry[part], f"{where}: {part}")
    who, colon, name = entry["asked_by"].partition(":")
    if colon and who == "person":
        masker.learn_text(name, "name")
        entry["asked_by"] = f"person:{masker.text(name, f'{where}: asked_by')}"


def _told(verdict: Verdict) -> tuple[object, ...]:
    """Return all that a verdict says but its words: those name the values."""
    accepted = tuple((each.fact, each.entry, each.accepted) for each in verdict.citations)
    deciding = tuple(fact.entry for fact in verdict.facts)
    return verdict.passed, verdict.hypothesis, verdict.deciding, outcomes_of(verdict), deciding, accepted
