"""An alert fired while its service was being deployed, and the new build is healthy.

Earned when the alert began inside the rollout, the rollout succeeded with every pod ready, probes
from outside reach the service since, and the build itself counts hardly any errors. Ready pods alone
say nothing about a service that nobody can reach, and none of this says how fast it answers.
"""

from datetime import timedelta

from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule


def _fell_into_rollout(answer: Answer, subject: Subject) -> bool:
    return (
        answer.text("deploy.state") == "succeeded"
        and answer.instant("deploy.started_at") <= subject.started_at
        and subject.started_at <= answer.instant("deploy.finished_at")
        and answer.integer("deploy.pods_ready") == answer.integer("deploy.pods_total") > 0
        and answer.text("deploy.service") == subject["service"]
        and answer.text("deploy.id") == subject["deploy_id"]
    )


def _is_reached(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("health.probes_ok") == answer.integer("health.probes") > 0
        and answer.integer("health.samples") >= 5
        and answer.integer("health.errors") >= 0
        and answer.integer("health.errors") * 100 <= answer.integer("health.requests")
        and answer.integer("health.requests") > 0
        and 0 <= answer.integer("health.newest_age_seconds") <= 180
        and answer.text("health.service") == subject["service"]
        and answer.text("health.deploy_id") == subject["deploy_id"]
    )


def _counts_hardly_any_errors(answer: Answer, subject: Subject) -> bool:
    errors = answer.integer("report.counters.error_count")
    requests = answer.integer("report.counters.requests_total")
    return (
        errors >= 0
        and errors * 100 <= requests
        and requests > 0
        and 0 <= answer.integer("report.age_seconds") <= 900
        and answer.instant("report.reported_at") > subject.started_at
        and answer.text("report.service") == subject["service"]
        and answer.text("report.deploy_id") == subject["deploy_id"]
    )


class DeployWindowHealthy(Rule):
    """An alert fired while its service was being deployed, and the new build is healthy."""

    version = 3
    kinds = {"alert"}
    needs = {"deploy_id", "service"}
    applies_to = {"alertname": {"PodNotReady", "TargetDown"}}
    draft_pass = (
        "The alert began while {deploy_id} rolled out {service}. The rollout succeeded, probes reach the "
        "service since, and its error rate is as usual. Nothing has to be done."
    )

    alert_fell_into_rollout = Fact(
        tool="find_deploy",
        ask=lambda subject: {"deploy_id": subject["deploy_id"]},
        holds=_fell_into_rollout,
        sentence="The alert began inside the rollout of its service, which succeeded with every pod ready",
    )
    service_is_reached_since = Fact(
        tool="deploy_health",
        ask=lambda subject: {"deploy_id": subject["deploy_id"]},
        holds=_is_reached,
        max_age=timedelta(minutes=10),
        sentence="Since the rollout every probe answered and at most one request in a hundred failed",
    )
    build_counts_hardly_any_errors = Fact(
        tool="deploy_counters",
        ask=lambda subject: {"deploy_id": subject["deploy_id"]},
        holds=_counts_hardly_any_errors,
        max_age=timedelta(minutes=10),
        sentence="The build's own counters show at most one error in a hundred requests",
    )
