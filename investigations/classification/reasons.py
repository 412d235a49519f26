"""What code can tell of the reasons that a model claims. Pure, but for what is known of other issues."""

from collections.abc import Sequence

from investigations.classification import links, traces, versions
from investigations.classification.values import CannotLook, Check, Checked, IssueText, KnownIssues

_MOST_LOOKED_UP = 10


def checked(reasons: Sequence[str], issue: IssueText, known: KnownIssues) -> tuple[Check, ...]:
    """Return for each claimed reason what the issue's text and other issues say of it."""
    return tuple(_checked(reason, issue, known) for reason in reasons)


def _checked(reason: str, issue: IssueText, known: KnownIssues) -> Check:
    match reason:
        case "stack_trace_present":
            return _stack_trace(issue)
        case "version_missing":
            return _version(issue)
        case "links_prior_issue":
            return _prior_issue(issue, known)
        case _:
            return Check(reason, Checked.CLAIMED, "the model's word alone: no code can tell")


def _stack_trace(issue: IssueText) -> Check:
    kind = traces.found_in(issue.body)
    if kind:
        return Check("stack_trace_present", Checked.HOLDS, f"the text holds a stack trace ({kind})")
    words = "the text holds no stack trace of a language that is known here"
    return Check("stack_trace_present", Checked.CONTRADICTED, words)


def _version(issue: IssueText) -> Check:
    named = versions.found_in(f"{issue.title}\n{issue.body}")
    if named:
        words = f"the text names a version: {named}"
        return Check("version_missing", Checked.CONTRADICTED, words)
    return Check("version_missing", Checked.HOLDS, "no version stands in the text")


def _prior_issue(issue: IssueText, known: KnownIssues) -> Check:
    linked = links.found_in(f"{issue.title}\n{issue.body}", repository=issue.repository)
    if not linked:
        return _prior(Checked.CONTRADICTED, "the text links no issue")
    found = [_looked_up(link, issue, known) for link in linked[:_MOST_LOOKED_UP]]
    for outcome in (Checked.HOLDS, Checked.UNCHECKED):
        for each in found:
            if each.outcome is outcome:
                return each
    return _prior(Checked.CONTRADICTED, "; ".join(each.words for each in found[:3]))


def _looked_up(link: links.Link, issue: IssueText, known: KnownIssues) -> Check:
    """Say of one link whether it leads to an issue that exists, is another and was there before."""
    name = link.shown
    is_same_place = link.repository.casefold() == issue.repository.casefold()
    if is_same_place and issue.number and link.number == issue.number:
        return _prior(Checked.CONTRADICTED, f"{name} is this issue itself")
    if is_same_place and issue.number and link.number > issue.number:
        return _prior(Checked.CONTRADICTED, f"{name} is younger than this issue")
    try:
        there = known.find(link.repository, link.number)
    except CannotLook as reason:
        return _prior(Checked.UNCHECKED, f"whether {name} exists could not be told: {reason}")
    if there is None:
        return _prior(Checked.CONTRADICTED, f"{name} does not exist")
    # In one repository the numbers have told already; anywhere else the times have to.
    if not (is_same_place and issue.number):
        if not (issue.opened_at and there.opened_at):
            return _prior(Checked.UNCHECKED, f"{name} exists, and whether it is older could not be told")
        if there.opened_at >= issue.opened_at:
            return _prior(Checked.CONTRADICTED, f"{name} is not older than this issue")
    return _prior(Checked.HOLDS, f"{name} exists and is older{f' ({there.where})' if there.where else ''}")


def _prior(outcome: Checked, words: str) -> Check:
    return Check("links_prior_issue", outcome, words)
