"""A certificate was about to run out, and its successor is being served.

Earned when a certificate that began after the alert is the one that every endpoint serves, a check of
the last minutes saw it, and it is good for two more weeks. A renewal that one endpoint never loaded
earns nothing.
"""

from datetime import timedelta

from assay_core.arguments import lower
from verdicts.answer import Answer
from verdicts.case import Subject
from verdicts.fact import Fact
from verdicts.rule import Rule

TWO_WEEKS = 14 * 24 * 3600


def _is_served(answer: Answer, subject: Subject) -> bool:
    return (
        answer.integer("certificate.endpoints_serving") == answer.integer("certificate.endpoints") > 0
        and answer.text("certificate.served_serial") == answer.text("certificate.issued_serial")
        and answer.text("certificate.served_serial").strip() != ""
        and answer.instant("certificate.not_before") > subject.started_at
        and answer.integer("certificate.seconds_left") > TWO_WEEKS
        and 0 <= answer.integer("certificate.check_age_seconds") <= 900
        # A check from before it began has seen another one, whatever stands beside it now.
        and answer.instant("certificate.checked_at") > answer.instant("certificate.not_before")
        and answer.text("certificate.host") == lower(subject["host"].strip())
    )


class CertificateRenewed(Rule):
    """A certificate was about to run out, and its successor is being served."""

    version = 2
    kinds = {"alert"}
    needs = {"host"}
    applies_to = {"alertname": {"CertificateExpiresSoon"}}
    draft_pass = (
        "The certificate of {host} has been renewed since the alert began, and every endpoint serves it. "
        "Nothing has to be done."
    )

    successor_is_served_everywhere = Fact(
        tool="find_certificate",
        ask=lambda subject: {"host": subject["host"]},
        holds=_is_served,
        max_age=timedelta(minutes=10),
        sentence="A certificate that began after the alert is served everywhere and good for two weeks",
    )
