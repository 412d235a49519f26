"""The addresses of what people write on an incident's page, of its record, and of what stands around it."""

from django.urls import path

from incidents.views import desk, overrides, rechecks, records, rules

urlpatterns = [
    path("incidents/<int:number>/notes/", desk.note, name="note"),
    path("incidents/<int:number>/draft/", desk.keep, name="draft_keep"),
    path("incidents/<int:number>/edits/", desk.edits, name="draft_edits"),
    path("incidents/<int:number>/record.<str:form>", records.download, name="record"),
    path("incidents/<int:number>/around/", records.around, name="around"),
    path("entries/<int:number>/again/", rechecks.again, name="entry_again"),
    path("mentions/", desk.mentions, name="mentions"),
    path("overrides/", overrides.show_all, name="overrides"),
    path("rules/<slug:name>/let-close/", rules.let_close, name="rule_let_close"),
    path("rules/<slug:name>/keep-open/", rules.keep_open, name="rule_keep_open"),
]
