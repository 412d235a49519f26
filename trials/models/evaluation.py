"""Evaluations: an agent run again on past incidents, against the answers that were recorded then."""

from django.db import models

from investigations.states import RunResult
from trials.states import RunState, Stopped


class Evaluation(models.Model):
    """One evaluation: a set of cases, each run so many times by one endpoint, all else unchanged.

    The digests say what the agent was told and judged by. A rerun goes on with this very row as long as they
    are the same; what they were is kept for whoever compares two of them.
    """

    chosen = models.TextField(help_text="the set as it was asked for")
    endpoint = models.CharField(max_length=40)
    model = models.CharField(max_length=200, help_text="as the settings name it")
    runs = models.PositiveIntegerField(help_text="of each case")
    is_live = models.BooleanField(default=False, help_text="calls that were never recorded go to live tools")
    cap_micros = models.PositiveBigIntegerField(null=True, blank=True)
    spent_micros = models.BigIntegerField(default=0, help_text="booked at each exchange, of lost runs too")
    reserved_micros = models.BigIntegerField(default=0, help_text="the most that open exchanges may cost")
    set_digest = models.CharField(max_length=64)
    prompt_digest = models.CharField(max_length=64)
    contract_digest = models.CharField(max_length=64)
    rulebook_digest = models.CharField(max_length=64)
    endpoint_digest = models.CharField(max_length=64, help_text="of the endpoint's settings without its key")
    stopped = models.CharField(
        max_length=12, choices=[(each.value, each.value) for each in Stopped], blank=True, default=""
    )
    note = models.TextField(blank=True, default="", help_text="why it stopped, in words")
    asked_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"evaluation {self.pk} of {self.endpoint}"


class EvaluationCase(models.Model):
    """One case of an evaluation as it was planned.

    Its recorded answers stay in the audit log, or in its file: what is erased there is gone here too.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="cases")
    position = models.PositiveIntegerField()
    key = models.CharField(
        max_length=300, help_text="the incident's number, or the file's name in its folder"
    )
    incident_id = models.BigIntegerField(null=True, blank=True)
    path = models.TextField(blank=True, default="")
    title = models.CharField(max_length=300)
    kind = models.CharField(max_length=10)
    is_twin = models.BooleanField(default=False, help_text="a healthy window: nothing there may pass")
    actual = models.CharField(max_length=20, help_text="what really was so: pass, fail, not comparable")
    rule = models.CharField(max_length=120, blank=True, default="", help_text="whose facts are needed")
    needs = models.JSONField(default=list, help_text="the facts of the rule that can be asked here")
    answers = models.PositiveIntegerField(help_text="recorded questions that have an answer")
    erased = models.PositiveIntegerField(default=0, help_text="recorded answers whose content was erased")
    world_digest = models.CharField(max_length=64)
    recorded_passed = models.BooleanField(null=True, blank=True, help_text="the verdict of that time")
    playbook_passed = models.BooleanField(null=True, blank=True)
    playbook_gathered = models.JSONField(default=list)
    title_passed = models.BooleanField(null=True, blank=True, help_text="guessed from the title alone")

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "position"], name="one_case_of_each_position"),
        ]

    def __str__(self) -> str:
        return f"case {self.key} of evaluation {self.evaluation_id}"


class EvaluationRun(models.Model):
    """One run of one case, whatever becomes of it. `attempt` grows with each try: only the last writes."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="all_runs")
    case = models.ForeignKey(EvaluationCase, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField(help_text="from 1 within the case")
    state = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in RunState], default=RunState.WAITING
    )
    attempt = models.PositiveIntegerField(default=0)
    outcome = models.CharField(
        max_length=14, choices=[(r.value, r.value) for r in RunResult], blank=True, default=""
    )
    reason = models.TextField(blank=True, default="")
    hypothesis = models.CharField(max_length=120, blank=True, default="")
    passed_before = models.BooleanField(null=True, blank=True, help_text="on the agent's own calls alone")
    passed = models.BooleanField(null=True, blank=True, help_text="after code asked what was missing")
    decided_by = models.TextField(blank=True, default="")
    gathered = models.JSONField(default=list, help_text="needed facts that the agent asked for by itself")
    calls = models.PositiveIntegerField(default=0)
    own_calls = models.PositiveIntegerField(default=0, help_text="of the agent, before code asked")
    not_recorded = models.PositiveIntegerField(default=0)
    live = models.PositiveIntegerField(default=0)
    redeclared = models.PositiveIntegerField(
        default=0, help_text="answers recorded when the tool was declared otherwise"
    )
    refused = models.PositiveIntegerField(default=0)
    exchanges = models.PositiveIntegerField(default=0)
    citations_missing = models.PositiveIntegerField(default=0)
    citations_unchecked = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)
    model_seconds = models.FloatField(default=0.0)
    seconds = models.FloatField(default=0.0)
    model = models.CharField(max_length=200, blank=True, default="", help_text="as the replies name it")
    fingerprint = models.CharField(max_length=200, blank=True, default="")
    critic_note = models.CharField(max_length=400, blank=True, default="")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("case_id", "number")
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "case", "number"], name="one_run_of_each_number_of_a_case"
            ),
        ]
        indexes = [
            models.Index(fields=["evaluation", "state"], name="evaluation_runs_by_state"),
        ]

    def __str__(self) -> str:
        return f"run {self.number} of case {self.case_id}"


class EvaluationTranscript(models.Model):
    """What was said in one run, as the model was shown it: redacted, and no part of the audit log."""

    run = models.OneToOneField(EvaluationRun, on_delete=models.CASCADE, related_name="transcript")
    body = models.TextField(help_text="canonical JSON: the steps in order, then the answers to its calls")

    def __str__(self) -> str:
        return f"transcript of run {self.run_id}"
