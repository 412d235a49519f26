"""Django's system checks of rules, ids and model endpoints. Warnings: the service stays up without."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning

from investigations import endpoints
from investigations.citations import declared
from investigations.rulebook import SHIPPED, loaded_rulebook
from investigations.talk import EndpointRefused
from toolbox import registry
from toolbox.yamlfile import DefinitionError
from verdicts.load_check import NOTHING, LoadComplaint, load_complaints
from verdicts.loading import NO_TOOL, rule_files


def rules_load(**_: Any) -> list[CheckMessage]:
    """verdicts.W001 a rule or W002 a pack is not loaded; W003 a suspension is idle; W004 nothing loads."""
    try:
        rulebook = loaded_rulebook()
    except DefinitionError:  # toolbox.E001 says so
        return []
    ours = {path.stem for path in rule_files(SHIPPED)}
    return [
        Warning(each.sentence, hint=each.cure, id=each.id)
        for each in load_complaints(rulebook)
        if not _is_expected(each, ours)
    ]


def ids_can_be_looked_up(**_: Any) -> list[CheckMessage]:
    """investigations.W001 TRIAGE_CITATIONS can't be used; W002 a look-up in it could never be put."""
    try:
        patterns = declared.current()
    except DefinitionError as error:
        hint = "Correct the file. Until then entries and traces alone are looked for in drafts."
        return [Warning(f"TRIAGE_CITATIONS: {error}", hint=hint, id="investigations.W001")]
    try:
        tools = registry.current().definitions
    except DefinitionError:  # toolbox.E001 says so
        return []
    hint = "Correct it in the file that TRIAGE_CITATIONS names. Such ids stay unchecked until then."
    return [Warning(said, hint=hint, id="investigations.W002") for said in declared.troubles(patterns, tools)]


def endpoints_can_be_used(**_: Any) -> list[CheckMessage]:
    """investigations.W003 the settings of a model endpoint cannot be used; W004 INVESTIGATOR has none."""
    found: list[CheckMessage] = []
    if settings.INVESTIGATOR == "model" and not endpoints.is_set():
        hint = "Set LLM_BASE_URL and MODEL_ID, or INVESTIGATOR=playbook, which gathers until then."
        found.append(
            Warning("INVESTIGATOR=model, and no model is named.", hint=hint, id="investigations.W004")
        )
    for name in endpoints.names():
        try:
            endpoints.endpoint_named(name)
        except EndpointRefused as error:
            hint = "Correct it (docs/settings.md). Until then the playbook gathers and no model is asked."
            found.append(Warning(str(error), hint=hint, id="investigations.W003"))
    return found


def _is_expected(complaint: LoadComplaint, ours: set[str]) -> bool:
    """Whether a shipped rule asks what nobody offers here, or nothing is set up yet."""
    if complaint.id == NOTHING:
        return not settings.TRIAGE_TOOLS and not settings.TRIAGE_RULES
    return complaint.rule in ours and f"{NO_TOOL} " in complaint.sentence
