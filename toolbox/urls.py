"""The addresses of the tools' page."""

from django.urls import path

from toolbox import connectorpages, views

urlpatterns = [
    path("tools/", views.show_all, name="tools"),
    path("tools/rules/", views.make, name="toolrule_make"),
    path("tools/rules/<int:number>/end/", views.end, name="toolrule_end"),
    path("tools/<slug:name>/pause/", views.pause, name="tool_pause"),
    path("tools/<slug:name>/resume/", views.resume, name="tool_resume"),
    path("tools/<slug:name>/acknowledge/", connectorpages.acknowledge_tool, name="tool_acknowledge"),
    path("connectors/<slug:name>/", connectorpages.show, name="connector"),
    path("connectors/<slug:name>/prove/", connectorpages.prove, name="connector_prove"),
    path("connectors/<slug:name>/acknowledge/", connectorpages.acknowledge, name="connector_acknowledge"),
    path("connectors/<slug:name>/take-back/", connectorpages.take_back, name="connector_take_back"),
]
