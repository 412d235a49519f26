"""The addresses as a description prints them: with what stands before them."""

from django.urls import include, path

urlpatterns = [path("api/v1/", include("triage.api.urls"))]
