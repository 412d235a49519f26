"""What a draft may say: what the facts hold, with citations, and nothing else."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from investigations.drafting import draft, plain
from verdicts.case import NONE_OF_THESE, Subject
from verdicts.fact import Fact, Refutation
from verdicts.outcomes import Effect, FactOutcome, Outcome, RefutationOutcome, Verdict
from verdicts.rule import Rule, RuleSpec, spec_of

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


class ParcelDelivered(Rule):
    """The parcel was handed over."""

    version = 1
    kinds = {"claim", "alert"}
    needs = {"order_id"}

    handed_over = Fact(
        tool="find_shipment",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=lambda answer, subject: answer.text("shipment.state") == "delivered",
        sentence="The carrier has recorded the delivery",
    )
    not_sent_back = Fact(
        tool="find_return",
        ask=lambda subject: {"order_id": subject["order_id"]},
        holds=lambda answer, subject: answer.integer("row_count") == 0,
    )
    lost = Refutation(tool="find_shipment", when=lambda answer, subject: False)


class WithWords(ParcelDelivered):
    """The parcel was handed over."""

    draft_pass = "Order {order_id} was handed over."


def rule(words: str = "") -> RuleSpec:
    made = type(
        "ParcelDelivered", (ParcelDelivered,), {"draft_pass": words, "__doc__": ParcelDelivered.__doc__}
    )
    return spec_of(made)


def subject(kind: str = "claim", title: str = "Where is my parcel?", **identifiers: str) -> Subject:
    return Subject(
        incident=1,
        kind=kind,
        source="shop-form",
        title=title,
        severity="warning" if kind == "alert" else "",
        started_at=NOON,
        received_at=NOON,
        identifiers=identifiers or {"order_id": "ORD-1042"},
        labels={},
        annotations={},
    )


def decided(
    handed_over: Outcome = Outcome.HOLDS,
    not_sent_back: Outcome = Outcome.HOLDS,
    *,
    effect: Effect = Effect.SILENT,
    reasons: Mapping[str, str] | None = None,
) -> Verdict:
    said = {
        "handed_over": 'Entry 12: shipment.state is "delivered".',
        "not_sent_back": "Entry 13: row_count is 0.",
    }
    said.update(reasons or {})
    facts = tuple(
        FactOutcome(name, outcome, said[name], "find", entry, {})
        for name, outcome, entry in (("handed_over", handed_over, 12), ("not_sent_back", not_sent_back, 13))
    )
    passed = handed_over is not_sent_back is Outcome.HOLDS and effect is Effect.SILENT
    return Verdict(
        passed=passed,
        hypothesis="parcel_delivered",
        rule_version=1,
        facts=facts,
        refutations=(RefutationOutcome("lost", effect, "The carrier lost it.", 14),),
        citations=(),
        words="All 2 facts hold." if passed else "handed_over does not hold: see entry 12.",
        deciding="" if passed else "handed_over",
        rulebook_digest="d" * 64,
    )


def nothing_raised() -> Verdict:
    return Verdict(False, NONE_OF_THESE, None, (), (), (), "No hypothesis was raised.", "", "d" * 64)


def test_a_fact_that_fails_is_never_stated_as_found() -> None:
    text = draft(subject(), decided(Outcome.FAILS), rule())
    before, _, after = text.partition("Our records do not agree with this:")
    assert "has recorded the delivery" not in before
    assert "- The carrier has recorded the delivery. [entry 12]" in after


@pytest.mark.parametrize("outcome", [Outcome.FAILS, Outcome.UNANSWERABLE])
def test_a_customer_is_told_no_value_and_nothing_that_holds_before_a_pass_is_earned(outcome: Outcome) -> None:
    reasons = {
        "handed_over": 'Entry 12: shipment.email is "marit@example.com".',
        "not_sent_back": 'Entry 13: return.email is "marit@example.com".',
    }
    text = draft(subject(), decided(outcome, effect=Effect.FIRES, reasons=reasons), rule())
    assert "marit" not in text
    assert "Not sent back" not in text


def test_an_unanswered_fact_is_said_to_be_missing() -> None:
    reasons = {"not_sent_back": "Entry 13 gave no answer (unavailable): the database is down."}
    verdict = decided(not_sent_back=Outcome.UNANSWERABLE, reasons=reasons)
    assert "could not confirm yet:\n\n- Not sent back. [entry 13]" in draft(subject(), verdict, rule())
    assert "the database is down. [entry 13]" in draft(subject("alert"), verdict, rule())


def test_a_refutation_is_said_as_what_counts_against_it() -> None:
    verdict = decided(effect=Effect.FIRES)
    for kind, said in (("claim", "- Lost. [entry 14]"), ("alert", "- The carrier lost it. [entry 14]")):
        text = draft(subject(kind), verdict, rule("All is well."))
        assert said in text
        assert "All is well" not in text


@pytest.mark.parametrize("kind", ["claim", "alert"])
def test_a_fail_promises_nothing(kind: str) -> None:
    for verdict in (decided(Outcome.FAILS), decided(Outcome.UNANSWERABLE), nothing_raised()):
        text = draft(subject(kind), verdict, rule() if verdict.facts else None).lower()
        assert not any(
            word in text for word in ("we will", "we'll", "you will", "soon", "sorry", "guarantee")
        )


@pytest.mark.parametrize("kind", ["claim", "alert"])
def test_a_hypothesis_without_a_rule_states_no_finding(kind: str) -> None:
    text = draft(subject(kind), nothing_raised(), None)
    assert "[entry" not in text
    assert "delivered" not in text


def test_a_claim_that_names_no_order_is_asked_for_it() -> None:
    assert "your order number" in draft(subject(customer_id="C-1"), nothing_raised(), None)
    assert "your order number" not in draft(subject(), nothing_raised(), None)


def test_a_sender_can_not_write_a_citation_or_markup_into_the_draft() -> None:
    title = "[entry 99] <script>x</script>\n\n# Refund **approved** [here](http://x)"
    text = draft(subject(title=title), decided(), rule("Order {order_id}."))
    assert "[entry 99]" not in text
    assert not any(sign in text.split("We have looked")[0] for sign in "<>[]#*`")
    assert "\n\n＃" not in text


def test_an_identifier_can_not_write_a_citation_into_the_rules_own_words() -> None:
    text = draft(
        subject(order_id="[entry 99]{customer}"), decided(), rule("Order {order_id} was handed over.")
    )
    assert "[entry 99]" not in text
    assert "(entry 99){customer}" in text


@pytest.mark.parametrize(
    "words",
    [
        "{customer} is right",
        "{order_id.__class__}",
        "{order_id!r:>99}",
        "{0}",
        "{}",
        "{order_id",
        "{order_id[0]}",
    ],
)
def test_words_that_can_not_be_filled_in_are_left_out_whole(words: str) -> None:
    text = draft(subject(), decided(), rule(words))
    assert "{" not in text
    assert "is right" not in text
    assert "We have looked into it" in text


def test_an_earned_claim_opens_with_a_greeting_and_cites_each_fact() -> None:
    text = draft(subject(), decided(), rule("Order {order_id} was handed over."))
    assert text.startswith("Hello,\n\nthank you for writing to us")
    assert "(order ORD-1042)" in text
    assert "Order ORD-1042 was handed over." in text
    assert "- The carrier has recorded the delivery. [entry 12]" in text
    assert "- Not sent back. [entry 13]" in text


def test_an_earned_alert_says_what_happened_what_shows_it_and_what_to_do() -> None:
    text = draft(subject("alert"), decided(), rule())
    assert "began at 04 May 2026, 12:00 UTC (source shop-form, severity warning)" in text
    assert '- The carrier has recorded the delivery. shipment.state is "delivered". [entry 12]' in text
    assert "close the incident" in text


def test_a_failed_alert_names_where_to_start() -> None:
    text = draft(subject("alert"), decided(Outcome.FAILS), rule())
    assert "Start with what decided: [entry 12]." in text
    assert "close the incident" not in text


def test_a_long_strange_text_becomes_one_short_line() -> None:
    assert plain("a\x00b\n\n c" * 200).count("\n") == 0
    assert len(plain("x" * 5000)) == 160
    assert plain("a\u202eb\u2066c\u200fd") == "abcd", "nothing unseen goes into an answer"
