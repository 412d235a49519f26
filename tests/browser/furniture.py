"""One of each thing that a page can show, beside the example shop's incidents."""

import json
from datetime import datetime, timedelta
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.contrib.auth.models import Group
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.utils import timezone

from accounts import invitations, tokens
from accounts.models import Team, User
from accounts.permissions import GLASS_HOLDERS
from accounts.roles import Role
from audit import reading
from incidents import editing, notes, services
from incidents.figures import audits, recount
from incidents.models import Incident, PassAudit, SavedView
from investigations.models import (
    Citation,
    Draft,
    Exchange,
    Investigation,
    Objection,
    Question,
    RubricEvaluation,
    Transcript,
)
from investigations.states import Asking, CitationState, Exchanged, Purpose, RubricResult, State
from notices.events import Event, MessageState
from notices.models import Message, Notice, Route
from tests.browser import furniture_issues, furniture_trials
from tests.browser.site import Site
from tests.web.signing import with_app
from toolbox.models import Ask, Call, ToolRule

FAILED = "Job job-48290 failed with UpstreamTimeout"
PASSED = "I was charged twice for my order"
ANSWER = (
    "The payment went through on the second attempt, and the first one was released by the bank. "
    "**Nothing was charged twice.** See {cite}."
)
_FAILING = 5
Words = dict[str, str | int]


def furnish(site: Site) -> Words:
    """Make them; return what the addresses of the pages are filled with."""
    now = timezone.now()
    words: Words = {"failed": site.incidents[FAILED], "passed": site.incidents[PASSED]}
    words |= _people(now) | _incidents(now) | _told(now) | furniture_issues.made(now)
    with transaction.atomic():
        words |= furniture_trials.made(someone("katarina"))
    _standing(now)
    words["entry"] = next(e.id for e in reading.of_incident(int(words["failed"])) if e.kind == "tool.called")
    words["delivery"] = Incident.objects.get(pk=words["failed"]).signals.values_list("delivery", flat=True)[0]
    return words


def someone(name: str) -> User:
    """One of the example's people."""
    return User.objects.get(username=name)


def _people(now: datetime) -> Words:
    mats, oskar = someone("mats"), someone("oskar")
    if not Authenticator.objects.filter(user=mats).exists():
        with_app(mats)
        RecoveryCodes.activate(mats)
    passkey = Authenticator.objects.create(
        user=someone("elif"), type=Authenticator.Type.WEBAUTHN, data={"name": "The laptop", "credential": {}}
    )
    for name in ("mats", "katarina"):
        someone(name).groups.add(Group.objects.get_or_create(name=GLASS_HOLDERS)[0])
    newest = "newest.colleague@example.com"
    _, secret = invitations.invite(
        newest, role=Role.ON_CALL, team=Team.objects.get(slug="platform"), by=oskar, now=now
    )
    over, _ = invitations.invite(
        "somebody.else@example.com", role=Role.SUPPORT, team=None, by=oskar, now=now - timedelta(9)
    )
    invitations.withdraw(over.pk, by=oskar, now=now - timedelta(8))
    for name, scopes in (("ci-replays", ("read",)), ("triage-agent", ("read", "tools", "submit"))):
        wanted = tokens.Wanted(name, scopes, "http://localhost", timedelta(days=30))
        tokens.make(wanted, owner=oskar, by=oskar.actor, now=now)
    tokens.revoke("ci-replays", by=oskar.actor, because="replaced", now=now)
    SavedView.objects.create(
        owner=someone("mats"), name="Timeouts", query="tab=all&q=timeout", created_at=now
    )
    # Nobody who signs in here: a sign-in takes the link away.
    forgetful = User.objects.create_user("forgetful", password=None, first_name="Vera", last_name="Gessl")
    return {
        "invitation": secret,
        "person": someone("elif").pk,
        "forgetful": forgetful.pk,
        "code": default_token_generator.make_token(forgetful),
        "passkey": passkey.pk,
    }


def _incidents(now: datetime) -> Words:
    """Put some incidents where the queue's other tabs look, each as people or workers would."""
    asked = Call.objects.exclude(incident=None).values("incident")
    judged = Incident.objects.filter(state="review", pk__in=asked).exclude(sender_key__startswith="hostile")
    failing = judged.filter(verdict_passed=False).exclude(title=FAILED).order_by("-pk")[:_FAILING]
    passing = list(judged.filter(verdict_passed=True).order_by("-pk").exclude(title=PASSED)[:3])
    assert len(failing) == _FAILING, list(Incident.objects.values_list("state", "verdict_passed", "title"))
    worked, running, closed, reopened, snoozed = (one.pk for one in failing)
    mats, katarina = someone("mats"), someone("katarina")
    _move(worked, "acknowledge", by=katarina)
    _move(worked, "assign", by=katarina, to=katarina)
    _close(closed, mats, "real and fixed", "The deploy of 09:40 was rolled back at 09:58.")
    _close(reopened, mats, "harmless", "A single slow answer of the bank.")
    _move(reopened, "reopen", by=katarina, reason="It came back during the night.")
    Investigation.objects.filter(incident_id=reopened, state=State.QUEUED).update(
        state=State.STOPPED, finished_at=now, reason="Stopped by katarina."
    )
    Incident.objects.filter(pk=reopened).update(state="review")
    Incident.objects.filter(pk=snoozed).update(snoozed_until=now + timedelta(hours=3))
    Incident.objects.filter(pk=running).update(state="investigating")
    Investigation.objects.create(
        incident_id=running, investigator="model", state=State.RUNNING, subject="{}", attempt=1, tries=1,
        lease_until=now + timedelta(hours=6), created_at=now, queued_at=now, started_at=now,
    )  # fmt: skip
    for one in passing[:2]:
        _close(one.pk, katarina, "harmless", "As the rule says.")
    places: Words = {"worked": worked, "running": running, "closed": closed, "reopened": reopened}
    return places | {"snoozed": snoozed} | _audited(now) | _beside(worked, now)


def _move(number: int, move: str, **more: Any) -> None:
    version = Incident.objects.get(pk=number).version
    getattr(services, move)(number, version=version, now=timezone.now(), **more)


def _close(number: int, by: User, outcome: str, answer: str) -> None:
    _move(number, "close", by=by, outcome=outcome, answer=answer, reason="Looked at together.")


def _audited(now: datetime) -> Words:
    """Draw the passes that were closed for audits; one is Oskar's, who has not seen its verdict."""
    recount.recount(now)
    audits.draw(now)
    oskar = someone("oskar")
    mine = PassAudit.objects.filter(answered_at=None).exclude(closer=oskar).order_by("pk")
    first = mine[0]
    PassAudit.objects.filter(pk=first.pk).update(reviewer=oskar)
    return {"audit": first.pk, "audited": first.incident_id}


def _beside(number: int, now: datetime) -> Words:
    """What a model, its critic, its grader and people leave on one incident."""
    incident, katarina = Incident.objects.get(pk=number), someone("katarina")
    run = Investigation.objects.filter(incident_id=number).latest("pk")
    draft = Draft.objects.filter(investigation=run).latest("pk")
    entry = next(each.id for each in reading.of_incident(number) if each.kind == "tool.called")
    for text, state in (("job-48301", CitationState.VERIFIED), ("trace 4bf92f35", CitationState.MISSING)):
        Citation.objects.create(draft=draft, kind="job", text=text, value=text, state=state, entry=entry,
                                reason="No tool knows it." * (state == CitationState.MISSING))  # fmt: skip
    Objection.objects.create(
        investigation=run, attempt=run.attempt, about="job_completed_on_retry", entry=entry,
        says="The retry finished before the incident began, so it says nothing about it.",
        endpoint="critic", model="a-model", created_at=now,
    )  # fmt: skip
    Draft.objects.filter(pk=draft.pk).update(rubric_result=RubricResult.NEEDS_REVISION)
    RubricEvaluation.objects.create(
        investigation=run, attempt=run.attempt, iteration=1, result=RubricResult.NEEDS_REVISION,
        explanation="The second criterion is not met.", rubric_digest="0" * 64, endpoint="grader",
        model="a-model", draft=draft.text, draft_digest="0" * 64, created_at=now,
        criteria=[
            {"id": "c1", "text": "It names the job.", "passed": True, "gap": ""},
            {"id": "c2", "text": "It says what to do next.", "passed": False, "gap": "No next step."},
        ],
    )  # fmt: skip
    notes.write(incident, "@mats saw the same on Friday. I look at the bank's side first.",
                by=someone("elif"), once="a note", now=now)  # fmt: skip
    notes.write(incident, "Please tell me before you close it, @katarina.",
                by=someone("mats"), once="another", now=now)  # fmt: skip
    editing.keep(number, ANSWER.format(cite=f"[entry {entry}]"), base=0, by=katarina, now=now)
    editing.keep(number, "The payment went through on the second attempt.", base=1, by=katarina, now=now)
    question = Question.objects.create(
        incident_id=number, asked_by=katarina.actor, text="Since when does it fail?", subject="{}",
        state=Asking.ANSWERED, created_at=now, started_at=now, finished_at=now, calls=2, tokens_in=1840,
        tokens_out=212, answer=f"Since nine. It has not run again [entry {entry}].",
    )  # fmt: skip
    said = {"role": "user", "content": "Job job-48301 failed. What does its log say?"}
    record = {
        "request": {"messages": ["2" * 64], "model": "a-model"},
        "reply": {"text": "It timed out 47 times.", "refusal": "", "calls": [], "finish": "stop"},
    }
    for digest, body in (("1" * 64, record), ("2" * 64, said)):
        Transcript.objects.create(digest=digest, body=json.dumps(body), created_at=now)
    exchange = Exchange.objects.create(
        investigation=run, incident_id=number, purpose=Purpose.INVESTIGATOR, endpoint="default",
        model="a-model", step=1, transcript_digest="1" * 64, outcome=Exchanged.STOP, tries=1, tokens_in=1840,
        tokens_out=212, micros=1300, seconds=2.4, created_at=now,
    )  # fmt: skip
    return {"question": question.pk, "run": run.pk, "exchange": exchange.pk}


def _told(now: datetime) -> Words:
    """Routes, and messages that went each way."""
    platform = Team.objects.get(slug="platform")
    made = {"made_by": "person:oskar", "made_at": now, "events": [Event.NEEDS_PERSON, Event.PROPOSED]}
    mail = Route.objects.create(title="Platform by mail", kind="email", team=platform,
                                address="platform@example.com", repeat_minutes=30, **made)  # fmt: skip
    hook = Route.objects.create(title="Chat of the desk", kind="webhook", least_rank=3, nonce="n",
                                address="https://chat.example.com/hooks/assay", **made)  # fmt: skip
    ends = (
        (mail, MessageState.SENT, "the mail server took it"),
        (hook, MessageState.FAILED, "chat.example.com answered 503 eight times"),
        (hook, MessageState.WAITING, ""),
        (mail, MessageState.DROPPED, "somebody came first"),
    )
    for place, (route, state, said) in enumerate(ends):
        notice = Notice.objects.create(
            event=Event.NEEDS_PERSON, about="incident", about_id=1_000_000 + place, team_id=platform.pk,
            severity="critical", title=FAILED, words="It needs a person.",
            path="/incidents/1/", created_at=now - timedelta(minutes=20 * place), ended_at=now,
        )  # fmt: skip
        Message.objects.create(
            notice=notice, route=route, address=route.address, key=f"look-{place}", state=state, due_at=now,
            said=said, tries=place, tried_at=now if said else None, created_at=notice.created_at,
        )  # fmt: skip
    return {"route": hook.pk}


def _standing(now: datetime) -> None:
    """A standing tool rule, and a call that waits for a person."""
    rule = ToolRule.objects.create(
        effect="ask", tool="find_order", caller="token:*", because="It reads what customers bought.",
        made_by="person:oskar", made_at=now,
    )  # fmt: skip
    ToolRule.objects.create(
        effect="deny", tool="count_*", caller="model*", arguments={"query": "*password*"},
        because="Nobody searches for passwords.", made_by="person:oskar", made_at=now,
    )  # fmt: skip
    Ask.objects.create(
        rule=rule.pk, tool="find_order", caller="token:triage-agent", shown={"order_id": "ORD-1042"},
        arguments_digest="0" * 64, opened_at=now, expires_at=now + timedelta(hours=6),
    )  # fmt: skip
    Ask.objects.create(
        rule=rule.pk, tool="find_order", caller="token:triage-agent", shown={"order_id": "ORD-1001"},
        arguments_digest="1" * 64, opened_at=now, expires_at=now + timedelta(hours=6), answer="refused",
        answered_by="person:oskar", answered_at=now, words="Not this customer.",
    )  # fmt: skip
