"""The addresses of the rulebook's pages, and of what a person does about a verdict."""

from django.urls import include, path

from incidents.views import labels, rules, second_looks

urlpatterns = [
    path("", include("incidents.thread_urls")),
    path("", include("incidents.desk_urls")),
    path("rules/diff/", rules.show_diff, name="rule_diff"),
    path("rules/<slug:name>/", rules.show, name="rule"),
    path("rules/<slug:name>/suspend/", rules.suspend, name="rule_suspend"),
    path("rules/<slug:name>/lift/", rules.lift, name="rule_lift"),
    path("incidents/<int:number>/refute/", second_looks.refute, name="refute"),
    path("incidents/<int:number>/withdraw/", second_looks.withdraw, name="withdraw"),
    path("incidents/<int:number>/identify/", second_looks.identify, name="identify"),
    path("incidents/<int:number>/investigate/", second_looks.investigate, name="investigate"),
    path("incidents/<int:number>/label/", labels.propose, name="propose_label"),
    path("incidents/<int:number>/rule/", second_looks.draft_rule, name="draft_rule"),
]
