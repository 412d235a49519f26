"""The addresses of the API, version 1."""

from django.urls import path

from triage.api import describing, investigations, moving, problems, reading

urlpatterns = [
    path("incidents", reading.Incidents.as_view()),
    path("incidents.csv", reading.IncidentsCsv.as_view()),
    path("incidents/<int:number>", reading.OneIncident.as_view(), name="api_incident"),
    path("incidents/<int:number>/entries", reading.IncidentEntries.as_view()),
    path("incidents/<int:number>/verdicts", reading.Verdicts.as_view()),
    path("incidents/<int:number>/close", moving.Close.as_view()),
    path("incidents/<int:number>/reopen", moving.Reopen.as_view()),
    path("incidents/<int:number>/acknowledge", moving.Acknowledge.as_view()),
    path("incidents/<int:number>/assign", moving.Assign.as_view()),
    path("incidents/<int:number>/notes", moving.Notes.as_view()),
    path("entries/<int:number>", reading.OneEntry.as_view()),
    path("rules", reading.Rules.as_view()),
    path("investigations/own", investigations.State.as_view()),
    path("investigations/own/submission", investigations.Submission.as_view()),
    path("investigations/<int:number>", investigations.State.as_view(), name="api_investigation"),
    path(
        "investigations/<int:number>/submission", investigations.Submission.as_view(), name="api_submission"
    ),
    path("schemas/submission", investigations.Schema.as_view(), name="api_submission_schema"),
    path("openapi.json", describing.Description.as_view()),
    path("", problems.unknown),
    path("<path:rest>", problems.unknown),
]
