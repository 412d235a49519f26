"""The addresses of what is done on the queue, of its saved views, and of the palette."""

from django.urls import path

from incidents.views import queue_acts, queue_saved, steps

urlpatterns = [
    path("queue/act/", queue_acts.act, name="queue_act"),
    path("queue/undo/<int:number>/", queue_acts.undo, name="queue_undo"),
    path("queue/people/", queue_acts.people, name="queue_people"),
    path("queue/views/", queue_saved.save, name="queue_view_save"),
    path("queue/views/<int:number>/delete/", queue_saved.delete, name="queue_view_delete"),
    path("queue/columns/", queue_saved.columns, name="queue_columns"),
    path("incidents/<int:number>/next/", steps.step, {"is_back": False}, name="step_next"),
    path("incidents/<int:number>/previous/", steps.step, {"is_back": True}, name="step_previous"),
    path("find/", queue_saved.palette, name="palette"),
]
