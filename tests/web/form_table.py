"""Every form of every page, and what it leaves behind when it is sent once, twice at once, or again later.

A new form needs one line here: what its button is called (`tests.web.forms.key_of`), the page on which it
stands, who sends it, what is given to its fields (the others get usual words), and what it leaves: kinds of
entries, then tables that hold one row more. `x2` says two. The lines are sent in this order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.browser.pages import ADMINISTRATOR, MANAGER, NOBODY, ON_CALL, SUPPORT, WITH_PASSKEY
from tests.web.forms import FIRST


@dataclass(frozen=True, slots=True)
class Line:
    """One form with one of its buttons."""

    key: str
    path: str
    who: str = MANAGER
    leaves: str = ""
    given: Mapping[str, str | list[str]] = field(default_factory=dict)


_NEW = {"password": "another long password", "again": "another long password"}
LAST = "{last}"  # where the answer to the line before led
_ROW = {"rows": FIRST}
# fmt: off
LINES = (
    Line("theme theme=dark", "/account/"),
    Line("theme theme=light", "/account/"),
    Line("theme theme=system", "/account/"),
    Line("profile", "/account/", given={"first_name": "Kata"}),
    Line("own_notices", "/account/notices/",
         given={"events": ["incident.needs_person"], "repeat_minutes": "0"},
         leaves="route.chosen, notices_route"),
    Line("own_notices_test", "/account/notices/", leaves="route.tested, notices_message, notices_notice"),
    Line("tokens", "/account/tokens/", ADMINISTRATOR,
         given={"name": "made-twice", "scopes": ["read"], "tools": ""}, leaves="token.made, accounts_token"),
    Line("token_revoke", "/account/tokens/", ADMINISTRATOR, leaves="token.revoked"),
    Line("note", "/incidents/{worked}/", leaves="note.written, incidents_note"),
    Line("question_ask", "/incidents/{worked}/", leaves="question.asked, investigations_question"),
    Line("question_stop", "/incidents/{worked}/", leaves="question.stopped"),
    Line("draft_keep", "/incidents/{worked}/", given={"answer": "Kept by both."},
         leaves="draft.edited, incidents_draftedit"),
    Line("identify", "/incidents/{worked}/", given={"name": "host", "value": "db-2"},
         leaves="incident.identified, incidents_identifier"),
    Line("identify confirms=", "/incidents/{worked}/", leaves="incident.identified"),
    Line("refute", "/incidents/{passed}/", SUPPORT,
         leaves="incident.judged, incident.refuted, investigation.judged, investigations_case, "
                "investigations_citation, investigations_draft, investigations_verdict, notices_message, "
                "notices_notice"),
    Line("withdraw", "/incidents/{passed}/", SUPPORT,
         leaves="incident.judged, incident.refutation_withdrawn, investigation.judged, "
                "investigations_case, investigations_citation x4, investigations_draft, "
                "investigations_verdict"),
    Line("ask fact=", "/incidents/{failed}/", ON_CALL,
         leaves="incident.asked, incident.judged, investigation.judged, tool.called, investigations_case, "
                "investigations_citation x3, investigations_draft, investigations_facttrouble x2, "
                "investigations_verdict, notices_message x3, notices_notice, toolbox_call"),
    Line("acknowledge", "/incidents/{failed}/", ON_CALL, leaves="incident.acknowledged"),
    Line("assign to=me", "/incidents/{failed}/", ON_CALL, leaves="incident.assigned"),
    Line("assign to=nobody", "/incidents/{failed}/", ON_CALL, leaves="incident.assigned"),
    Line("investigate", "/incidents/{failed}/", ON_CALL,
         leaves="incident.sent_again, investigation.queued, investigations_investigation"),
    Line("close", "/incidents/{passed}/", SUPPORT, given={"outcome": "harmless", "duplicate_of": ""},
         leaves="incident.closed, incidents_resolution"),
    Line("reopen", "/incidents/{closed}/",
         leaves="incident.reopened, investigation.queued, investigations_investigation"),
    Line("run_tell", "/incidents/{running}/", leaves="run.told, investigations_runnote"),
    Line("run_stop", "/incidents/{running}/",
         leaves="incident.given_up, investigation.stopped, notices_message, notices_notice"),
    Line("stamps", "/incidents/{worked}/stamps/", given={"at": "2026-01-01 10:00"},
         leaves="stamp.edited, incidents_stampedit"),
    Line("entry_again", "/entries/{entry}/",
         leaves="answer.checked, tool.called, incidents_personcheck, toolbox_call"),
    Line("claim", "/claims/new/", SUPPORT, given={"email": "customer@example.com"},
         leaves="incidents_delivery"),
    Line("queue_act do=acknowledge:row", "/?tab=needs-a-person",
         leaves="incident.acknowledged, incidents_queueact"),
    Line("queue_undo", LAST, leaves="incident.undone"),
    Line("queue_act do=take:row", "/?tab=needs-a-person", leaves="incident.assigned, incidents_queueact"),
    Line("queue_act do=snooze:row", "/?tab=all&edit={reopened}",
         leaves="incident.snoozed, incidents_queueact"),
    Line("queue_act do=wake:row", "/?tab=snoozed&edit={snoozed}",
         leaves="incident.woken, incidents_queueact"),
    Line("queue_act do=give:row", "/?tab=all&edit={snoozed}", given={"to": "sofie"},
         leaves="incident.assigned, incidents_queueact"),
    Line("queue_act do=grade:row", "/?tab=all&edit={reopened}", given={"severity": "low"},
         leaves="incident.graded, incidents_queueact"),
    Line("queue_act do=acknowledge", "/?tab=needs-a-person", given=_ROW,
         leaves="incident.acknowledged, incidents_queueact"),
    Line("queue_act do=take", "/?tab=needs-a-person", given=_ROW,
         leaves="incident.assigned, incidents_queueact"),
    Line("queue_act do=give", "/?tab=needs-a-person", given={**_ROW, "to": "mats"},
         leaves="incident.assigned, incidents_queueact"),
    Line("queue_act do=snooze", "/?tab=needs-a-person", given=_ROW,
         leaves="incident.snoozed, incidents_queueact"),
    Line("queue_act do=wake", "/?tab=snoozed", given=_ROW, leaves="incident.woken, incidents_queueact"),
    Line("queue_act do=grade", "/?tab=needs-a-person", given={**_ROW, "severity": "info"},
         leaves="incident.graded, incidents_queueact"),
    Line("queue_act do=close", "/?tab=needs-a-person", given={**_ROW, "outcome": "harmless"},
         leaves="incident.closed, incidents_queueact, incidents_resolution"),
    Line("queue_columns", "/", given={"column": ["severity", "team"]}, leaves="incidents_queuelook"),
    Line("queue_view_save", "/?tab=all", leaves="incidents_savedview"),
    Line("queue_view_delete", "/", leaves="incidents_savedview x-1"),
    Line("ask_answer answer=allow", "/asks/", ADMINISTRATOR, leaves="ask.answered"),
    Line("ask_answer answer=refuse", "/asks/", ADMINISTRATOR, leaves="ask.answered"),
    Line("rule_suspend", "/rules/transient_upstream_timeout/", ADMINISTRATOR,
         leaves="rule.suspended, investigations_rulesuspension"),
    Line("rule_lift", "/rules/transient_upstream_timeout/", ADMINISTRATOR, leaves="rule.resumed"),
    Line("rule_let_close", "/rules/transient_upstream_timeout/", ADMINISTRATOR,
         leaves="rule.may_close, incidents_selfclosing"),
    Line("rule_keep_open", "/rules/transient_upstream_timeout/", ADMINISTRATOR, leaves="rule.may_not_close"),
    Line("tool_pause", "/tools/", ADMINISTRATOR, leaves="toolrule.made, toolbox_toolrule"),
    Line("tool_resume", "/tools/", ADMINISTRATOR, leaves="toolrule.ended"),
    Line("toolrule_make", "/tools/", ADMINISTRATOR,
         given={"tool": "find_*", "caller": "model*", "arguments": ""},
         leaves="toolrule.made, toolbox_toolrule"),
    Line("toolrule_end", "/tools/", ADMINISTRATOR, leaves="toolrule.ended"),
    Line("connector_prove", "/connectors/shop/", ADMINISTRATOR),
    Line("endpoint_record", "/endpoints/", ADMINISTRATOR,
         leaves="endpoint.permitted, investigations_endpointterms"),
    Line("endpoint_take_back", "/endpoints/", ADMINISTRATOR, leaves="endpoint.forbidden"),
    Line("endpoint_try", "/endpoints/", ADMINISTRATOR),
    Line("approval_decide choice=deny", "/approvals/{proposed_high}/",
         leaves="write.decided x2, write.denied x2, approvals_decision x2"),
    Line("approval_edit", "/approvals/{edited}/",
         given={"arguments": '{{"name": "article-edited", "value": 9}}'},
         leaves="write.proposed, write.withdrawn x2, approvals_actionrequest"),
    Line("approval_withdraw", "/approvals/{withdrawn}/", leaves="write.withdrawn x2"),
    Line("approval_settle", "/approvals/{unknown}/", leaves="write.settled"),
    Line("freeze_make", "/approvals/calendar/",
         given={"scope": "global", "starts_at": "2031-01-01T10:00", "ends_at": "2031-01-02T10:00"},
         leaves="freeze.made, approvals_freeze"),
    Line("freeze_except", "/approvals/calendar/", ADMINISTRATOR, given={"request": "{approved}"},
         leaves="freeze.excepted, approvals_freezeexception"),
    Line("freeze_end", "/approvals/calendar/", leaves="freeze.ended"),
    Line("breaker_close", "/approvals/breakers/", leaves="breaker.closed"),
    Line("approval_decide choice=approve", "/approvals/{proposed}/", ON_CALL,
         leaves="write.agreed x2, write.approved x2, write.decided x2, approvals_decision x2"),
    Line("write_switch_flip to=off", "/approvals/switch/", ADMINISTRATOR, leaves="switch.disabled"),
    Line("write_switch_flip to=on", "/approvals/switch/", ADMINISTRATOR, leaves="switch.wanted"),
    Line("glass_break", "/approvals/glass/", leaves="glass.broken, approvals_breakglass"),
    Line("glass_review", "/approvals/glass/", leaves="glass.reviewed"),
    Line("pass_audit_take", "/audits/", ADMINISTRATOR, leaves="pass.audit_taken"),
    Line("pass_audit", LAST, ADMINISTRATOR, given={"outcome": "harmless"}, leaves="pass.audited"),
    Line("drill_row", "/trials/drills/{drill_unread}/review/2/", leaves="trials_disagreementread"),
    Line("drill_promote", "/trials/drills/{promotable}/", ADMINISTRATOR,
         leaves="drill.promoted, endpoint.replaced x4, investigations_endpointuse x4"),
    Line("drill_override", "/trials/drills/{drill}/", ADMINISTRATOR, given={"purpose": "critic"},
         leaves="endpoint.overridden, investigations_endpointuse"),
    Line("golden_settle act=confirm", "/trials/golden/{golden}/", given={"row": FIRST},
         leaves="golden.confirmed"),
    Line("golden_settle act=refuse", "/trials/golden/{golden}/", given={"row": FIRST},
         leaves="golden.dropped"),
    Line("notice_routes", "/notices/routes/", ADMINISTRATOR,
         given={"kind": "email", "address": "desk@example.com"}, leaves="route.made, notices_route"),
    Line("notice_route_test", "/notices/routes/{route}/", ADMINISTRATOR,
         leaves="route.tested, notices_message, notices_notice"),
    Line("notice_route", "/notices/routes/{route}/", ADMINISTRATOR, leaves="route.changed"),
    Line("notice_route_secret", "/notices/routes/{route}/", ADMINISTRATOR, leaves="route.secret_changed"),
    Line("notice_route_end", "/notices/routes/{route}/", ADMINISTRATOR, leaves="route.ended"),
    Line("teams", "/people/teams/", ADMINISTRATOR, leaves="team.made, accounts_team"),
    Line("team", "/people/teams/platform/", ADMINISTRATOR, given={"name": "The platform"},
         leaves="team.renamed"),
    Line("invitations", "/people/invitations/", ADMINISTRATOR, given={"is_sent": ["on"]},
         leaves="invitation.made, accounts_invitation, mails"),
    Line("invitation_withdraw", "/people/invitations/", ADMINISTRATOR, leaves="invitation.withdrawn"),
    Line("mfa_edit_webauthn", "/account/security/passkeys/{passkey}/rename/", WITH_PASSKEY,
         given={"name": "The phone"}),
    Line("mfa_remove_webauthn", "/account/security/passkeys/{passkey}/remove/", WITH_PASSKEY,
         leaves="second_factor.removed, mfa_authenticator x-1"),
    Line("person_password_link", "/people/{person}/", ADMINISTRATOR, leaves="password.link_made"),
    Line("person_end_sessions", "/people/{person}/", ADMINISTRATOR, leaves="session.ended"),
    Line("person_take_second_factors", "/people/{mats_id}/", ADMINISTRATOR,
         leaves="second_factor.removed x2, mfa_authenticator x-2"),
    Line("person", "/people/{person}/", ADMINISTRATOR, given={"role": "manager"},
         leaves="person.role_changed"),
    Line("session_end", "/account/sessions/", leaves="session.ended"),
    Line("sessions_end_others", "/account/sessions/", leaves="session.ended"),
    Line("mfa_generate_recovery_codes", "/account/security/codes/new/", SUPPORT,
         leaves="second_factor.added, second_factor.removed"),
    Line("mfa_deactivate_totp", "/account/security/app/remove/", SUPPORT,
         leaves="second_factor.removed x2, mfa_authenticator x-2"),
    Line("password", "/account/security/password/", given={"current": "{katarina}", **_NEW},
         leaves="password.changed"),
    Line("invitation", "/invitations/{invitation}/", NOBODY, given={"username": "newest", **_NEW},
         leaves="invitation.accepted, person.role_changed, person.teams_changed, session.opened, "
                "accounts_user, accounts_user_groups, accounts_user_teams"),
    Line("new-password", "/new-password/{forgetful}/{code}/", NOBODY, given=_NEW, leaves="password.changed"),
    Line("sign-out", "/account/", SUPPORT, leaves="session.closed"),
)
# fmt: on

# What is not sent here, and why.
_SHOWS_WHO = "it shows who somebody is, and opens a session of its own each time"
_DEVICE = "it needs a device: tests/browser/test_accounts.py"
_PLANTED = "it needs a credential that may write: tests/web/test_connector_page.py"
NOT_SENT: Mapping[str, str] = {
    "sign-in": _SHOWS_WHO,
    "mfa_login_webauthn": _SHOWS_WHO,
    "mfa_authenticate": _SHOWS_WHO,
    "step-up": _SHOWS_WHO,
    "mfa_add_webauthn": _DEVICE,
    "mfa_activate_totp": _DEVICE,
    "connector_acknowledge": _PLANTED,
    "connector_take_back": _PLANTED,
    "tool_acknowledge": _PLANTED,
    "approval_roll_back": "it needs an executed write: tests/web/test_approvals.py",
    "propose_label": "it needs a repository that takes labels: tests/web/test_issue_page.py",
}
