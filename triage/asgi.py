"""The ASGI application that the web process serves."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
application = get_asgi_application()
