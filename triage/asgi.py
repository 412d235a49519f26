"""The ASGI application that the web process serves."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
_django = get_asgi_application()

from django.conf import settings  # noqa: E402 settings are there once Django is

from triage.bodylimit import limit_bodies  # noqa: E402

application = limit_bodies(_django, prefix="/hooks/", limit=settings.DELIVERY_MAX_BYTES)
