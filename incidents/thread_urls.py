"""The addresses of an incident's thread, of its runs, of what can be watched, and of how models do."""

from django.urls import path

from incidents.views import agent, live, runs, thread

urlpatterns = [
    path("agent/", agent.show, name="agent"),
    path("incidents/<int:number>/live/", live.run, name="live"),
    path("incidents/<int:number>/stop/", runs.stop, name="run_stop"),
    path("incidents/<int:number>/tell/", runs.tell, name="run_tell"),
    path("incidents/<int:number>/runs/<int:run>/", runs.show, name="run"),
    path("incidents/<int:number>/exchanges/<int:exchange>/", runs.transcript, name="transcript"),
    path("incidents/<int:number>/questions/ask/", thread.ask, name="question_ask"),
    path("incidents/<int:number>/questions/<int:question>/", thread.show, name="question"),
    path("incidents/<int:number>/questions/<int:question>/stop/", thread.stop, name="question_stop"),
    path("incidents/<int:number>/questions/<int:question>/live/", live.question, name="question_live"),
]
