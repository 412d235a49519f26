"""The addresses of the page of the model endpoints."""

from django.urls import path

from investigations import endpointpage

urlpatterns = [
    path("endpoints/", endpointpage.show_all, name="endpoints"),
    path("endpoints/<slug:name>/record/", endpointpage.record, name="endpoint_record"),
    path("endpoints/<slug:name>/take-back/", endpointpage.take_back, name="endpoint_take_back"),
    path("endpoints/<slug:name>/try/", endpointpage.attempt, name="endpoint_try"),
    path("endpoints/<slug:name>/probed/", endpointpage.probed, name="endpoint_probed"),
]
