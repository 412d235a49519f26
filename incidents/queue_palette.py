"""What the palette finds for a few words: pages, actions, rules, incidents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.urls import reverse

from accounts.models import User
from accounts.permissions import Permission
from incidents import queue, queue_words
from incidents.queue import Sight
from incidents.queue_wants import Tab, Wanted
from investigations import rulebook

_INCIDENTS = 6
_RULES = 5

# Words, address's name, its query, and the permission that it needs; a test holds them to the pages.
_PAGES: Sequence[tuple[str, str, str, Permission]] = (
    ("Queue", "queue", "", Permission.SEE_INCIDENTS),
    ("My incidents", "queue", "?tab=mine", Permission.SEE_INCIDENTS),
    ("My team's incidents", "queue", "?tab=my-team", Permission.SEE_INCIDENTS),
    ("Needs a person", "queue", "?tab=needs-a-person", Permission.SEE_INCIDENTS),
    ("Earned a pass", "queue", "?tab=earned-a-pass", Permission.SEE_INCIDENTS),
    ("Snoozed incidents", "queue", "?tab=snoozed", Permission.SEE_INCIDENTS),
    ("Closed incidents", "queue", "?tab=closed", Permission.SEE_INCIDENTS),
    ("Notes that name you: mentions", "mentions", "", Permission.SEE_INCIDENTS),
    ("Approvals: writes that wait for a decision", "approvals", "", Permission.SEE_INCIDENTS),
    ("Audits of passes", "pass_audits", "", Permission.TRIAGE_INCIDENTS),
    ("Notices: who was told of what", "notices", "", Permission.SEE_INCIDENTS),
    ("Figures: times, rates, coverage", "figures", "", Permission.SEE_EVERY_TEAM),
    ("Deliveries", "deliveries", "", Permission.SEE_INCIDENTS),
    ("Rules", "rules", "", Permission.SEE_INCIDENTS),
    ("Overrides: closings against the verdict", "overrides", "", Permission.SEE_INCIDENTS),
    ("Tools", "tools", "", Permission.SEE_INCIDENTS),
    ("Questions to allow", "asks", "", Permission.TRIAGE_INCIDENTS),
    ("Entries: everything asked and done", "entries", "", Permission.SEE_INCIDENTS),
    ("Audit log", "log", "", Permission.SEE_INCIDENTS),
    ("Write switch", "write_switch", "", Permission.SEE_INCIDENTS),
    ("Breakers of writes", "breakers", "", Permission.SEE_INCIDENTS),
    ("Calendar of freezes", "calendar", "", Permission.SEE_INCIDENTS),
    ("Break-glass", "glass", "", Permission.SEE_INCIDENTS),
    ("Attention of those who approve", "attention", "", Permission.SEE_EVERY_TEAM),
    ("Models", "endpoints", "", Permission.SEE_EVERY_TEAM),
    ("Model runs", "agent", "", Permission.SEE_EVERY_TEAM),
    ("Trials: evaluations and drills", "trials", "", Permission.SEE_EVERY_TEAM),
    ("Golden sets", "golden_sets", "", Permission.SEE_EVERY_TEAM),
    ("Schedules of trials", "trials_scheduled", "", Permission.SEE_EVERY_TEAM),
    ("Routes of notices", "notice_routes", "", Permission.MANAGE_PEOPLE),
    ("People", "people", "", Permission.MANAGE_PEOPLE),
    ("Teams", "teams", "", Permission.MANAGE_PEOPLE),
    ("Your account", "profile", "", Permission.SEE_INCIDENTS),
    ("Security: passkeys, authenticator app", "security", "", Permission.SEE_INCIDENTS),
)
_ACTIONS: Sequence[tuple[str, str, str, Permission]] = (
    ("Enter a new claim", "claim", "", Permission.SUBMIT_CLAIMS),
    ("See which verdicts would flip under the rules now", "rule_diff", "", Permission.SEE_INCIDENTS),
    ("Compare two evaluations or drills", "trials_compare", "", Permission.SEE_EVERY_TEAM),
    ("Invite somebody", "invitations", "", Permission.MANAGE_PEOPLE),
    ("Choose what you are told of by mail", "own_notices", "", Permission.SEE_INCIDENTS),
    ("Make or revoke a token", "tokens", "", Permission.SEE_INCIDENTS),
    ("End one of your sessions", "sessions", "", Permission.SEE_INCIDENTS),
    ("Change your password", "password", "", Permission.SEE_INCIDENTS),
)


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of the palette: what it is called, where it leads, and a few words beside."""

    title: str
    href: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Lines of one kind under their heading."""

    title: str
    hits: Sequence[Hit]


def found(user: User, seen: Sight, text: str) -> Sequence[Group]:
    """Return what a text finds; pages and actions where it is empty. Empty groups are left out."""
    text = text.replace("\0", "").strip()[:200]
    groups = (
        Group("Incidents", _incidents(seen, text)),
        Group("Pages", _named(user, text, _PAGES)),
        Group("Actions", _named(user, text, _ACTIONS)),
        Group("Rules", _rules(text)),
    )
    return [group for group in groups if group.hits]


def _incidents(seen: Sight, text: str) -> Sequence[Hit]:
    if not text:
        return ()
    number = queue_words.number_of(text)
    want = Wanted(tab=Tab.ALL, words=text)
    page = queue.page(seen, want, size=_INCIDENTS, among=queue.few(seen, want))
    rows = sorted(page.rows, key=lambda row: row.pk != number)  # the one of that number comes first
    return [Hit(row.title, reverse("incident", args=[row.pk]), f"#{row.pk} · {row.state}") for row in rows]


def _named(user: User, text: str, lines: Sequence[tuple[str, str, str, Permission]]) -> Sequence[Hit]:
    return [
        Hit(words, reverse(name) + query)
        for words, name, query, permission in lines
        if _is_like(text)(words) and user.has_perm(permission)
    ]


def _rules(text: str) -> Sequence[Hit]:
    if not text:
        return ()
    is_like = _is_like(text)
    names = [name for name in sorted(rulebook.current_rulebook().rules) if is_like(name.replace("_", " "))]
    return [Hit(name.replace("_", " "), reverse("rule", args=[name])) for name in names[:_RULES]]


def _is_like(text: str) -> Callable[[str], bool]:
    wanted = [word.lower() for word in queue_words.words_of(text)]
    return lambda words: all(word in words.lower() for word in wanted)
