"""The addresses of an incident's thread and of what can be watched."""

from django.urls import path

from incidents.views import live, thread

urlpatterns = [
    path("incidents/<int:number>/live/", live.run, name="live"),
    path("incidents/<int:number>/questions/ask/", thread.ask, name="question_ask"),
    path("incidents/<int:number>/questions/<int:question>/", thread.show, name="question"),
    path("incidents/<int:number>/questions/<int:question>/stop/", thread.stop, name="question_stop"),
    path("incidents/<int:number>/questions/<int:question>/live/", live.question, name="question_live"),
]
