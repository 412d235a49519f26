"""Every page that the browser tests look at. A new page needs one line here.

A line is `Page(name, address, who)`. `{words}` in an address are filled from `tests.browser.furniture`;
`who` signs in ("" is nobody). An address that answers no page stands in `NO_PAGE`, with the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass

NOBODY = ""
SUPPORT, ON_CALL, MANAGER, ADMINISTRATOR = "sofie", "mats", "katarina", "oskar"
WITH_PASSKEY = "elif"


@dataclass(frozen=True, slots=True)
class Page:
    """One page in one state: the name of its pictures, its address, who looks, what it answers."""

    name: str
    path: str
    who: str = MANAGER
    status: int = 200


SECTIONS: Mapping[str, tuple[Page, ...]] = {
    "The queue": (
        Page("queue", "/", ON_CALL),
        Page("queue-mine", "/?tab=mine"),
        Page("queue-my-team", "/?tab=my-team"),
        Page("queue-needs-a-person", "/?tab=needs-a-person"),
        Page("queue-earned-a-pass", "/?tab=earned-a-pass"),
        Page("queue-investigating", "/?tab=investigating"),
        Page("queue-snoozed", "/?tab=snoozed"),
        Page("queue-closed", "/?tab=closed"),
        Page("queue-all", "/?tab=all&sort=severity"),
        Page("queue-nothing-found", "/?q=nothing+at+all"),
        Page("queue-change", "/?tab=all&q=job&edit={failed}"),
        Page("find", "/find/?q=job"),
    ),
    "An incident": (
        Page("incident-needs-a-person", "/incidents/{failed}/", ON_CALL),
        Page("incident-earned-a-pass", "/incidents/{passed}/", SUPPORT),
        Page("incident-with-everything", "/incidents/{worked}/"),
        Page("incident-running", "/incidents/{running}/"),
        Page("incident-closed", "/incidents/{closed}/"),
        Page("incident-reopened", "/incidents/{reopened}/"),
        Page("incident-snoozed", "/incidents/{snoozed}/"),
        Page("incident-issue", "/incidents/{issue}/", SUPPORT),
        Page("incident-veiled", "/incidents/{audited}/", ADMINISTRATOR),
        Page("around", "/incidents/{failed}/around/"),
        Page("edits", "/incidents/{worked}/edits/"),
        Page("stamps", "/incidents/{closed}/stamps/"),
        Page("run", "/incidents/{worked}/runs/{run}/"),
        Page("transcript", "/incidents/{worked}/exchanges/{exchange}/"),
        Page("entry", "/entries/{entry}/"),
        Page("entry-table", "/entries/{entry}/?as=table"),
        Page("entry-tree", "/entries/{entry}/?as=tree"),
        Page("entry-raw", "/entries/{entry}/?as=raw"),
        Page("claim", "/claims/new/", SUPPORT),
        Page("mentions", "/mentions/"),
    ),
    "What came in, what was asked, what is recorded": (
        Page("deliveries", "/deliveries/"),
        Page("delivery", "/deliveries/{delivery}/"),
        Page("entries", "/entries/"),
        Page("entries-found", "/entries/?status=observed&tool=find_job"),
        Page("entries-nothing-found", "/entries/?tool=nothing"),
        Page("audit-log", "/log/"),
        Page("asks", "/asks/", ADMINISTRATOR),
    ),
    "Rules, tools, models": (
        Page("rules", "/rules/", ADMINISTRATOR),
        Page("rule", "/rules/transient_upstream_timeout/", ADMINISTRATOR),
        Page("rule-flips", "/rules/diff/", ADMINISTRATOR),
        Page("overrides", "/overrides/"),
        Page("tools", "/tools/", ADMINISTRATOR),
        Page("connector", "/connectors/shop/", ADMINISTRATOR),
        Page("endpoints", "/endpoints/", ADMINISTRATOR),
        Page("model-runs", "/agent/"),
    ),
    "Approvals": (
        Page("approvals", "/approvals/"),
        Page("approvals-all", "/approvals/?state=all"),
        Page("approval-proposed", "/approvals/{proposed}/", ON_CALL),
        Page("approval-high-risk", "/approvals/{proposed_high}/"),
        Page("approval-approved", "/approvals/{approved}/"),
        Page("approval-succeeded", "/approvals/{succeeded}/"),
        Page("approval-unknown", "/approvals/{unknown}/"),
        Page("approval-refused", "/approvals/{refused}/"),
        Page("approval-denied", "/approvals/{denied}/"),
        Page("approval-gates", "/approvals/{proposed}/gates/"),
        Page("write-switch", "/approvals/switch/", ADMINISTRATOR),
        Page("breakers", "/approvals/breakers/"),
        Page("calendar", "/approvals/calendar/"),
        Page("break-glass", "/approvals/glass/"),
        Page("attention", "/approvals/attention/"),
    ),
    "Figures and audits": (
        Page("figures", "/figures/"),
        Page("figures-by-source", "/figures/?by=source"),
        Page("audits", "/audits/", ADMINISTRATOR),
        Page("audit", "/audits/{audit}/", ADMINISTRATOR),
    ),
    "Trials": (
        Page("trials", "/trials/"),
        Page("evaluation", "/trials/evaluations/{evaluation}/"),
        Page("evaluation-run", "/trials/evaluation-runs/{evaluation_run}/"),
        Page("compare", "/trials/compare/?first={evaluation}&second={evaluation_before}"),
        Page("compare-drills", "/trials/compare/?what=drills&first={drill_run_before}&second={drill_run}"),
        Page("drill-unread", "/trials/drills/{drill_unread}/"),
        Page("drill", "/trials/drills/{drill}/", ADMINISTRATOR),
        Page("drill-row", "/trials/drills/{drill_unread}/review/2/"),
        Page("schedules", "/trials/scheduled/"),
        Page("golden-sets", "/trials/golden/"),
        Page("golden-set", "/trials/golden/{golden}/"),
    ),
    "Being told": (
        Page("notices", "/notices/"),
        Page("routes", "/notices/routes/", ADMINISTRATOR),
        Page("route", "/notices/routes/{route}/", ADMINISTRATOR),
        Page("own-notices", "/account/notices/"),
    ),
    "One's own account": (
        Page("account", "/account/"),
        Page("sessions", "/account/sessions/"),
        Page("tokens", "/account/tokens/", ADMINISTRATOR),
        Page("security", "/account/security/", ON_CALL),
        Page("security-nothing-set-up", "/account/security/"),
        Page("password", "/account/security/password/"),
        Page("app-add", "/account/security/app/"),
        Page("app-remove", "/account/security/app/remove/", ON_CALL),
        Page("codes", "/account/security/codes/", ON_CALL),
        Page("codes-new", "/account/security/codes/new/", ON_CALL),
        Page("passkey-add", "/account/security/passkeys/add/"),
        Page("passkey-rename", "/account/security/passkeys/{passkey}/rename/", WITH_PASSKEY),
        Page("passkey-remove", "/account/security/passkeys/{passkey}/remove/", WITH_PASSKEY),
        Page("step-up", "/step-up/?next=/account/"),
        Page("step-up-strong", "/step-up/?for=strong&next=/account/", ON_CALL),
    ),
    "People and teams": (
        Page("people", "/people/", ADMINISTRATOR),
        Page("person", "/people/{person}/", ADMINISTRATOR),
        Page("teams", "/people/teams/", ADMINISTRATOR),
        Page("team", "/people/teams/platform/", ADMINISTRATOR),
        Page("invitations", "/people/invitations/", ADMINISTRATOR),
    ),
    "The doors": (
        Page("sign-in", "/sign-in/", NOBODY),
        Page("second-factor", "/sign-in/second-factor/", "half-way"),
        Page("invitation", "/invitations/{invitation}/", NOBODY),
        Page("new-password", "/new-password/{forgetful}/{code}/", NOBODY),
        Page("link-gone", "/invitations/gone/", NOBODY, 404),
    ),
    "Refusals": (
        Page("refused-403", "/people/", SUPPORT, 403),
        Page("nothing-here-404", "/nowhere/", SUPPORT, 404),
        Page("nothing-here-404-signed-out", "/nowhere/", NOBODY, 404),
        Page("refused-400", "/looks/400/", SUPPORT, 400),
        Page("form-too-old-403", "/looks/403_csrf/", SUPPORT, 403),
        Page("sign-in-429", "/looks/429/", NOBODY, 429),
        Page("broken-500", "/looks/500/", SUPPORT, 500),
        Page("database-away-503", "/looks/503/", SUPPORT, 503),
    ),
}
PAGES = tuple(page for pages in SECTIONS.values() for page in pages)

# Pages that look like the one before them: in the other look axe sees their colours alone, but for FULL=1.
VARIANTS = (
    "queue-mine", "queue-my-team", "queue-needs-a-person", "queue-earned-a-pass",
    "queue-investigating", "queue-snoozed", "queue-closed", "incident-snoozed", "entry-tree",
    "entry-raw", "entries-found", "entries-nothing-found", "approvals-all", "approval-refused",
    "approval-denied", "figures-by-source", "compare-drills", "security-nothing-set-up", "codes-new",
    "passkey-rename", "passkey-remove", "step-up-strong", "nothing-here-404-signed-out",
)  # fmt: skip

# Answers to programs, files to download, and parts that a page fetches.
NO_PAGE: Mapping[str, str] = {
    "/.well-known/": "JSON for MCP clients",
    "/api/": "the API answers JSON",
    "/healthz": "one word for a supervisor",
    "/metrics": "text for Prometheus",
    "/pulse/": "a part of the queue",
    "/queue/people/": "a part of the queue",
    "/incidents/<int:number>/rule/": "a rule's draft to download",
    "/hooks/": "senders post to it",
    "/log/checkpoint": "a signed note to download",
    "/entries/<int:number>/proof": "a proof to download",
    "/incidents/<int:number>/proof": "a proof to download",
    "/incidents/<int:number>/replay/": "a replay to download",
    "/incidents/<int:number>/record.<str:form>": "a record to download",
    "/figures/<slug:name>.csv": "a table to download",
    "/trials/evaluations/<int:number>.<str:form>": "an evaluation to download",
    "/trials/drill-runs/<int:number>.csv": "a run to download",
    "/trials/drills/<int:number>/review/": "leads to the first row that nobody has read",
    "/incidents/<int:number>/next/": "leads to the next incident of the list",
    "/incidents/<int:number>/previous/": "leads to the one before in the list",
    "/incidents/<int:number>/live/": "events of a run, which its page reads",
    "/incidents/<int:number>/questions/<int:question>/": "a part of an incident's page",
    "/incidents/<int:number>/questions/<int:question>/live/": "events of an answer, which its page reads",
    "/approvals/glass/break/": "takes a POST; others than holders are refused before",
    "/endpoints/<slug:name>/probed/": "a part of the page of endpoints",
    "/sign-in/passkey/": "JSON for the passkey button",
    "/sign-in/<slug:provider_id>/start/": "leads to an identity provider",
    "/sign-in/<slug:provider_id>/done/": "comes back from an identity provider",
}
