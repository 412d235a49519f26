"""The addresses of the figures, of audits of passes, and of an incident's stamps."""

from django.urls import path

from incidents.views import figures, pass_audits, stamps

urlpatterns = [
    path("figures/", figures.show, name="figures"),
    path("figures/<slug:name>.csv", figures.download, name="figures_csv"),
    path("audits/", pass_audits.show_all, name="pass_audits"),
    path("audits/<int:number>/", pass_audits.show, name="pass_audit"),
    path("audits/<int:number>/take/", pass_audits.take, name="pass_audit_take"),
    path("incidents/<int:number>/stamps/", stamps.show, name="stamps"),
]
