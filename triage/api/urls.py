"""The addresses of the API, version 1."""

from django.urls import path

from triage.api import investigations, problems

urlpatterns = [
    path("investigations/own", investigations.state),
    path("investigations/own/submission", investigations.submission),
    path("investigations/<int:number>", investigations.state, name="api_investigation"),
    path("investigations/<int:number>/submission", investigations.submission, name="api_submission"),
    path("schemas/submission", investigations.schema, name="api_submission_schema"),
    path("<path:rest>", problems.unknown),
]
