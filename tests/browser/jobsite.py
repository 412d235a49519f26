"""What the jobs of the roles find: a person on call, a run that goes on, a pass to be audited, a seal."""

import time
from datetime import datetime, timedelta

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from accounts.models import User
from assay_core.notes import SigningKey
from audit import sealing
from incidents import services as incidents
from incidents.figures import audits, recount
from incidents.models import Incident, PassAudit
from investigations.models import EndpointUse, Investigation
from investigations.states import State
from tests.web import trialled
from tests.web.signing import with_app
from toolbox.proofrows import ToolAcknowledgement
from triage.demo import seeding
from trials.models import Drill

PASSWORD = "a sentence for the night"
_LONG_AGO = 3600


def on_call_with_an_app(name: str) -> None:
    """Make somebody of the platform team who signs in with an authenticator app."""
    seeding.seed_people(
        [{"username": name, "full_name": "Nora Nacht", "role": "on-call", "team": "platform",
          "password": PASSWORD}]
    )  # fmt: skip
    with_app(User.objects.get(username=name))


def an_hour_later(name: str) -> None:
    """Let it be long ago that this person showed who they are; they stay signed in."""
    number = str(User.objects.get(username=name).pk)
    for row in Session.objects.all():
        store = SessionStore(session_key=row.session_key)
        if store.get("_auth_user_id") == number:
            records = store["account_authentication_methods"]
            store["account_authentication_methods"] = [
                {**record, "at": time.time() - _LONG_AGO} for record in records
            ]
            store.save()


def running(number: int) -> None:
    """Let a model's run of this incident go on, as far as anybody can see."""
    now = timezone.now()
    Incident.objects.filter(pk=number).update(state="investigating")
    Investigation.objects.create(
        incident_id=number, investigator="model", state=State.RUNNING, subject="{}", attempt=1, tries=1,
        lease_until=now + timedelta(hours=6), created_at=now, queued_at=now, started_at=now,
    )  # fmt: skip


def to_be_audited(number: int, *, closer: str, reviewer: str) -> int:
    """Let somebody close this pass, and draw it for somebody else; return the audit's number."""
    now = timezone.now()
    incidents.close(
        number, version=Incident.objects.get(pk=number).version, by=User.objects.get(username=closer),
        outcome="harmless", answer="As the rule says.", reason="", now=now,
    )  # fmt: skip
    recount.recount(now)
    audits.draw(now)
    PassAudit.objects.filter(incident_id=number).update(reviewer=User.objects.get(username=reviewer))
    return PassAudit.objects.values_list("pk", flat=True).get(incident_id=number)


def changed(tool: str) -> None:
    """Let the tool's declaration be another than the acknowledged one."""
    row = ToolAcknowledgement.objects.filter(tool=tool).latest("pk")
    ToolAcknowledgement.objects.filter(tool=tool).exclude(pk=row.pk).delete()
    ToolAcknowledgement.objects.filter(pk=row.pk).update(
        digest="0" * 64, declaration=row.declaration.replace(tool, f"{tool}_as_it_was")
    )


def passed_drill(now: datetime) -> int:
    """Let a candidate pass a drill against what the critic asks; return the drill's number."""
    nothing_is_in_use()
    drill: Drill = trialled.drilled({}, lenient=True)
    EndpointUse.objects.create(
        purpose="critic", base_url=drill.baseline.base_url, model=drill.baseline.model, endpoint="default",
        how="first", began_by="settings", began_at=now,
    )  # fmt: skip
    return drill.pk


def nothing_is_in_use() -> None:
    """Take away what a promotion put in use."""
    EndpointUse.objects.filter(purpose="critic").delete()


def sealed() -> None:
    """Let the upkeep worker seal the log for the first time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM audit_checkpoint")
        is_sealed = cursor.fetchone()[0] > 0
    if not is_sealed:
        sealing.seal_all(SigningKey.make("assay.test/audit"))
