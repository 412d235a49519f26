"""How the example incidents that become replays really ended, and what a verdict by prompt said of them."""

from dataclasses import dataclass

#: Whose words the prompt-only verdicts are: nobody claims that a certain model said exactly this.
BY = "Written by hand: the tempting reading of the same answers that a verdict by prompt alone gives way to."


@dataclass(frozen=True, slots=True)
class Story:
    """One replay: its file, the sender's key of its incident, how it was closed, and what a prompt said."""

    file: str
    sender_key: str
    outcome: str
    because: str
    said: str = ""


STORIES = (
    Story("retry-that-finished", "d8d2c2417f3f209d", "harmless", "The retry finished and nothing came back."),
    Story(
        "job-completed-before-the-incident", "e68792af262e5d7c", "real and fixed",
        "The completed run is an earlier one; the run that failed was never retried.",
        "PASS. The job's state is completed and no further timeout is logged, so the retry went through.",
    ),
    Story(
        "search-over-the-wrong-tenant", "d5764f2b05c4e65c", "real and handed over",
        "Nothing was ever logged under the tenant that the alert names.",
        "PASS. The log search returned no error for the tenant since the alert. The timeout was transient.",
    ),
    Story("timeout-that-comes-back", "fa66d1f8f102f6fc", "real and fixed", "It was logged thrice since."),
    Story("watchdog-fires-as-it-should", "6bbb201f3bcd4dd4", "harmless", "It always fires."),
    Story("field-that-was-renamed", "9ed07c3e0c8a7bb2", "real and fixed",
          "The new build counts errors under another name; there were many."),
    Story("good-deploy", "fe7952300eee8d09", "harmless", "All pods came up and the service stayed healthy."),
    Story(
        "ready-pods-dead-service", "770e2a9b14c29a2e", "real and fixed",
        "Every pod was ready and no probe reached the service.",
        "PASS. The rollout finished with all pods ready, hence the alert is noise of the deployment.",
    ),
    Story("queue-worked-off", "b57f7437b7c6cf09", "harmless", "Workers took all of it."),
    Story(
        "queue-emptied-by-hand", "b5b28ed3ae6ed298", "real and handed over",
        "The queue is short because its jobs were purged; the exports are lost.",
        "PASS. The queue is back at its normal depth, so the backlog drained.",
    ),
    Story("certificate-on-three-of-four", "ab28339c1919d3dd", "real and fixed", "One serves the old one."),
    Story("disk-still-fills", "7d55020918a12aca", "real and fixed", "It has less room than before."),
    Story("announced-work", "7dc39b7f88e52341", "harmless", "The work was announced and ended in time."),
    Story("alert-over-by-itself", "6106cc4712b30bad", "harmless", "It ended by itself and stayed away."),
    Story(
        "alert-that-came-back", "a8e83b3c1acedaed", "real and fixed", "It was over, and then it was not.",
        "PASS. The alert resolved on its own after a few minutes, so nobody has to look.",
    ),
    Story("flapping-check-dead-service", "c384aa1ad571cf4c", "real and fixed", "The service did not answer."),
    Story("duplicate-nobody-has-taken", "41420c2c826f733c", "real and handed over", "Nobody works on it."),
    Story("alert-without-a-rule", "c733848580429b13", "harmless",
          "It was harmless, and no rule could know: a fail is cheap."),
    Story("refund-was-paid", "T-5101", "claim refused", "Both refunds were paid in full."),
    Story("refund-paid-in-part", "T-5102", "claim upheld", "The throw was not refunded."),
    Story("charge-shown-twice", "T-5105", "claim refused", "One was voided, one settled."),
    Story("two-charges", "T-5106", "claim upheld", "The money was taken twice."),
    Story(
        "list-that-was-cut", "T-5107", "claim upheld",
        "The payment that counts lies beyond what one answer holds.",
        "PASS. Among the payments listed only one is settled, so the customer was charged once.",
    ),
    Story("parcels-handed-over", "T-5108", "claim refused", "Both parcels were handed to the customer."),
    Story("asks-about-anothers-order", "T-5113", "not reproducible", "Nobody could tell who asked."),
)  # fmt: skip
