"""The write credentials: what the execute worker's probes found, and whether this process holds any."""

from collections.abc import Iterator

from django.conf import settings
from django.utils import timezone

from approvals.actions import registry
from approvals.models import CredentialProbe
from triage.doctor.line import Line, failing, spoken, warning, well

_ALONE = "Take EXECUTOR_SECRETS out of this environment: only the execute worker is to hold it."
_WORKER = "Start the execute worker and beat: the worker probes every two minutes."


def credentials() -> Iterator[Line]:
    """How each write credential stood when it was probed last."""
    if settings.EXECUTOR_SECRETS:
        yield warning("write credentials", "EXECUTOR_SECRETS is set in this process's environment", _ALONE)
    declared = registry.current()
    names = sorted({each.credential for each in declared.actions.values()})
    if not names:
        yield well("write credentials", "no action is declared: nothing is written")
        return
    probes = {each.credential: each for each in CredentialProbe.objects.filter(credential__in=names)}
    for name in names:
        yield _stands(f"write {name}", probes.get(name), declared.policy.probe_seconds)


def _stands(name: str, probe: CredentialProbe | None, seconds: int) -> Line:
    if probe is None:
        return warning(name, "was not probed yet: nobody can approve with it", _WORKER)
    age = (timezone.now() - probe.probed_at).total_seconds()
    if age > seconds:
        return warning(name, f"was probed {spoken(age)} ago: nobody can approve with it", _WORKER)
    if not probe.is_ok:
        return failing(
            name,
            f"is not fit: {probe.sentence}",
            "Give the execute worker a credential that can do what the actions need and nothing else.",
        )
    return well(name, f"{probe.sentence}; probed {spoken(max(0.0, age))} ago")
