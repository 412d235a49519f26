"""The forms of what the API takes and returns, with examples, as its description prints them."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, inline_serializer
from rest_framework import serializers

from incidents.states import Outcome, State
from investigations import labels
from investigations.classification import Checked
from investigations.states import RunResult

Free = OpenApiTypes.OBJECT
_REASON = "What the next reader should know."


def _at() -> serializers.DateTimeField:
    return serializers.DateTimeField(allow_null=True)


class Verdict(serializers.Serializer[object]):
    """The last verdict in short."""

    passed = serializers.BooleanField()
    hypothesis = serializers.CharField()
    reason = serializers.CharField()


class Incident(serializers.Serializer[object]):
    """One incident as lists have it. `verdict` is null while there is none, and where `veiled` is true."""

    number = serializers.IntegerField()
    url = serializers.URLField()
    title = serializers.CharField()
    kind = serializers.CharField()
    severity = serializers.CharField()
    state = serializers.ChoiceField(choices=[state.value for state in State])
    source = serializers.CharField()  # type: ignore[assignment] # shadows what a nested one would read from
    team = serializers.CharField(allow_null=True)
    assignee = serializers.CharField(allow_null=True)
    started_at = serializers.DateTimeField()
    last_received_at = serializers.DateTimeField()
    recovered_at = _at()
    acknowledged_at = _at()
    snoozed_until = _at()
    closed_at = _at()
    version = serializers.IntegerField(help_text="a move sends it back, so that it is made on what you saw")
    veiled = serializers.BooleanField(help_text="you audit this pass and see its verdict once you answered")
    verdict = Verdict(allow_null=True)


class Check(serializers.Serializer[object]):
    """One reason that a model gave, and what code found of it."""

    reason = serializers.CharField()
    outcome = serializers.CharField(help_text=", ".join(Checked))
    words = serializers.CharField()


class Classification(serializers.Serializer[object]):
    """How an issue was classified: what a model said, and what code found of that. It decides nothing."""

    investigation = serializers.IntegerField()
    status = serializers.CharField(help_text=", ".join(RunResult))
    fenced = serializers.BooleanField()
    # DRF takes a declared field out of the class, so that it hides no attribute of it.
    label = serializers.CharField(  # type: ignore[assignment]  # see above
        help_text="empty where the contract was not met: none is guessed"
    )
    reasons = serializers.ListField(child=serializers.CharField())
    checks = Check(many=True)
    needs_human = serializers.BooleanField()
    why = serializers.CharField()
    drifted = serializers.CharField(help_text="a label that it named and the version does not know")
    contract_version = serializers.CharField()
    label_set = serializers.CharField()
    contract_digest = serializers.CharField()
    prompt_digest = serializers.CharField()
    endpoint = serializers.CharField()
    model = serializers.CharField()
    exchanges = serializers.ListField(child=serializers.IntegerField())
    classified_at = serializers.DateTimeField()


class OneIncident(Incident):
    """One incident with what the sender said of it."""

    labels = serializers.DictField()
    annotations = serializers.DictField()
    identifiers = serializers.DictField()
    classification = Classification(
        allow_null=True, help_text="of an issue; null where no model was asked, and where `veiled` is true"
    )


class Incidents(serializers.Serializer[object]):
    """One page of incidents, the newest first."""

    incidents = Incident(many=True)
    next = serializers.CharField(allow_null=True, help_text="the address of the next page")


class Entry(serializers.Serializer[object]):
    """One entry of the audit log. Secrets in its payload are masked; null where it was erased."""

    entry = serializers.IntegerField()
    recorded_at = serializers.DateTimeField()
    kind = serializers.CharField()
    actor = serializers.CharField()
    incident = serializers.IntegerField(allow_null=True)
    investigation = serializers.IntegerField(allow_null=True)
    leaf = serializers.CharField(help_text="the hash that its proof begins with")
    payload = serializers.DictField(allow_null=True)


class Entries(serializers.Serializer[object]):
    """One page of entries, the oldest first."""

    entries = Entry(many=True)
    next = serializers.CharField(allow_null=True)


class FullVerdict(Verdict):
    """One verdict as it was stored, with every fact's outcome and reason."""

    verdict = serializers.IntegerField()
    investigation = serializers.IntegerField()
    rulebook = serializers.CharField()
    created_at = serializers.DateTimeField()
    decided = serializers.DictField()


class Verdicts(serializers.Serializer[object]):
    """The verdicts of an incident, the last one first: that one counts."""

    verdicts = FullVerdict(many=True)


class Rule(serializers.Serializer[object]):
    """One rule, and what it asks."""

    name = serializers.CharField()
    sentence = serializers.CharField()
    version = serializers.IntegerField()
    kinds = serializers.ListField(child=serializers.CharField())
    needs = serializers.ListField(child=serializers.CharField())
    facts = serializers.ListField(child=serializers.DictField())


class Rules(serializers.Serializer[object]):
    """The rules that can earn a pass at present."""

    rulebook = serializers.CharField()
    rules = Rule(many=True)


class Move(serializers.Serializer[object]):
    """What every move sends back."""

    version = serializers.IntegerField(min_value=0)


class Close(Move):
    """How an incident ends."""

    outcome = serializers.ChoiceField(choices=[outcome.value for outcome in Outcome])
    answer = serializers.CharField(required=False, allow_blank=True, default="", trim_whitespace=False)
    reason = serializers.CharField(required=False, allow_blank=True, default="", help_text=_REASON)
    duplicate_of = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=1)
    label = serializers.ChoiceField(  # type: ignore[assignment]  # see Classification
        choices=labels.labels(), required=False, allow_blank=True, default="", help_text="of an issue alone"
    )


class Reopen(Move):
    """Why an incident is open again."""

    reason = serializers.CharField()


class Assign(Move):
    """To whom; null for nobody."""

    to = serializers.CharField(allow_null=True, max_length=150)


class Note(serializers.Serializer[object]):
    """A note on an incident; `@name` names a person who sees it."""

    text = serializers.CharField(trim_whitespace=False)


class Noted(serializers.Serializer[object]):
    """The note as it was kept, and the names in it that reach nobody."""

    note = serializers.IntegerField()
    text = serializers.CharField()
    unreached = serializers.ListField(child=serializers.CharField())


Submission = inline_serializer(
    "Submission",
    {
        "version": serializers.IntegerField(),
        "hypothesis": serializers.CharField(),
        "findings": serializers.ListField(child=serializers.DictField()),
        "draft": serializers.CharField(),
        "proposed_hypothesis": serializers.CharField(required=False),
        "proposed_actions": serializers.ListField(child=serializers.DictField(), required=False),
    },
)
Judged = inline_serializer(
    "Judged",
    {
        "investigation": serializers.IntegerField(),
        "incident": serializers.IntegerField(),
        "passed": serializers.BooleanField(),
        "hypothesis": serializers.CharField(),
        "reason": serializers.CharField(),
        "deciding": serializers.CharField(),
    },
)
LIMIT = OpenApiParameter("limit", int, description="1 to 100; 50 unless told")
AFTER = OpenApiParameter("after", int, description="from the page before: its `next` has it")
ENTRY_KIND = OpenApiParameter("kind", str, description="of an entry, such as incident.closed")
FILTERS = [
    OpenApiParameter("state", str, enum=[state.value for state in State]),
    OpenApiParameter("passed", bool, description="of the last verdict"),
    *(OpenApiParameter(name, str) for name in ("kind", "severity", "source", "team", "assignee")),
]
CLOSE = OpenApiExample(
    "Close",
    {"version": 4, "outcome": "real and fixed", "answer": "The job was started again.", "reason": ""},
    request_only=True,
)
NOTE = OpenApiExample("Note", {"text": "Asked @ada to look at the queue."}, request_only=True)
ASSIGN = OpenApiExample("To ada", {"version": 4, "to": "ada"}, request_only=True)
SUBMISSION = OpenApiExample(
    "Findings",
    {
        "version": 1,
        "hypothesis": "transient_upstream_timeout",
        "findings": [{"fact": "job_completed_on_retry", "entry": 4711}],
        "draft": "The job finished on its retry [entry 4711].",
    },
    request_only=True,
)
JUDGED = OpenApiExample(
    "A fail",
    {
        "investigation": 57,
        "incident": 42,
        "passed": False,
        "hypothesis": "transient_upstream_timeout",
        "reason": "Entry 4713: match_count is 3.",
        "deciding": "no_recurrence_since",
    },
    response_only=True,
    status_codes=["200"],
)
