"""The addresses that senders post to. Pages have theirs in triage.urls."""

from django.urls import re_path

from incidents.views import hooks

# With and without the slash at the end: a redirect would lose a sender's POST.
urlpatterns = [re_path(r"^hooks/(?P<slug>[^/]+)/?$", hooks.receive, name="hook")]
