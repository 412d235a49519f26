"""The addresses of the tools' page."""

from django.urls import path

from toolbox import views

urlpatterns = [
    path("tools/", views.show_all, name="tools"),
    path("tools/rules/", views.make, name="toolrule_make"),
    path("tools/rules/<int:number>/end/", views.end, name="toolrule_end"),
    path("tools/<slug:name>/pause/", views.pause, name="tool_pause"),
    path("tools/<slug:name>/resume/", views.resume, name="tool_resume"),
]
