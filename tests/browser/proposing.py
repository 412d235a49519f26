"""Writes that are proposed to somebody at a browser, and what else is done in the database meanwhile."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import pytest
from django.db import connections
from django.test import override_settings
from django.utils import timezone

from approvals import preparing
from approvals.actions.base import Proposal
from approvals.models import CredentialProbe, WriteSwitch
from approvals.outcomes import Proposer
from approvals.proposing import About, propose
from tests.browser.site import Site
from tests.db import writing
from tests.fakes import writes

Propose = Callable[..., int]
Found = TypeVar("Found")
WHY = "The count fell to 0 after the deploy of 09:40, and the shop shows every article as sold out."


def beside(what: Callable[[], Found]) -> Found:
    """Use the database from a thread of its own: the browser's loop shuts it out of this one."""

    def asked() -> Found:
        try:
            return what()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asked).result()


@contextmanager
def proposing(site: Site) -> Iterator[Propose]:
    """Propose and prepare writes from this process, as a run and the execute worker do.

    The web process declares the same actions, and reads the same target.
    """

    def make(name: str, *, action: str = "stock.set_count", why: str = WHY) -> int:
        now = timezone.now()
        request = propose(
            Proposal(action, {"name": name, "value": 7}, why),
            by=Proposer("model"),
            about=About(None, None, None, ()),
            now=now,
        )
        preparing.prepare(request.pk, now=now)
        CredentialProbe.objects.update_or_create(
            credential="numbers", defaults={"is_ok": True, "sentence": "", "probed_at": now}
        )
        for scope in ("global", f"action:{action}"):
            WriteSwitch.objects.update_or_create(
                scope=scope,
                defaults={"writes_enabled": True, "changed_at": now, "changed_by": "person:oskar"},
            )
        return request.pk

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(writes.FOLDER, str(site.folder))
        declared = str(site.folder / "actions.yaml")
        with override_settings(TRIAGE_ACTIONS=declared, EXECUTOR_SECRETS=writing.SECRETS):
            yield lambda name, **more: beside(lambda: make(name, **more))
