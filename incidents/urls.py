"""The addresses that senders post to, and those of the audit log. Other pages have theirs in triage.urls."""

from django.urls import include, path, re_path

from incidents.views import hooks, log

urlpatterns = [
    path("", include("incidents.page_urls")),
    path("", include("incidents.figure_urls")),
    path("", include("incidents.queue_urls")),
    # With and without the slash at the end: a redirect would lose a sender's POST.
    re_path(r"^hooks/(?P<slug>[^/]+)/?$", hooks.receive, name="hook"),
    path("log/", log.show, name="log"),
    path("log/checkpoint", log.checkpoint, name="checkpoint"),
    path("entries/<int:number>/proof", log.proof, name="proof"),
    path("incidents/<int:number>/proof", log.proof_of_verdict, name="verdict_proof"),
]
