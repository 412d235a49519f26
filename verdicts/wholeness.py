"""Whether a case lists exactly the entries of its run: nobody may leave out the answer that says no."""

from collections.abc import Mapping

from verdicts.case import Case, Entry


def gap(case: Case, entries: Mapping[int, Entry]) -> str:
    """Say why the entries given are not exactly those of the run, or nothing."""
    run = case.investigation
    own = {number: entry for number, entry in entries.items() if entry.investigation == run}
    for number, entry in entries.items():
        if number != entry.id:
            return f"Entry {entry.id} was given as entry {number}: the case can't be judged."
    listed = dict(case.entries)
    if len(listed) != len(case.entries):
        return "The case lists an entry twice: it can't be judged."
    lacking = sorted(listed.keys() - own.keys())
    if lacking:
        return f"The case lacks entry {lacking[0]} of its run: it can't be judged."
    unlisted = sorted(own.keys() - listed.keys())
    if unlisted:
        return f"The case does not list entry {unlisted[0]} of its run: it can't be judged."
    for number, leaf in listed.items():
        if not leaf or own[number].leaf != leaf:
            return f"Entry {number} is not the one that the case lists: its leaf differs."
    return ""
