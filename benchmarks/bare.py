"""The least that Django can do for a webhook: one view, no middleware, one INSERT of the body."""

import os
from datetime import UTC, datetime

import django
from django.conf import settings

if not settings.configured:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
    from triage import settings as whole

    settings.configure(
        SECRET_KEY=whole.SECRET_KEY,
        ALLOWED_HOSTS=whole.ALLOWED_HOSTS,
        DATABASES=whole.DATABASES,
        ROOT_URLCONF="benchmarks.bare",
        INSTALLED_APPS=[],
        MIDDLEWARE=[],
        USE_TZ=True,
        DEFAULT_AUTO_FIELD=whole.DEFAULT_AUTO_FIELD,
        LOGGING=whole.LOGGING,
        DATA_UPLOAD_MAX_MEMORY_SIZE=whole.DATA_UPLOAD_MAX_MEMORY_SIZE,
    )
    django.setup()

from django.core.asgi import get_asgi_application
from django.db import models
from django.http import HttpRequest, JsonResponse
from django.urls import path


class Received(models.Model):
    """One body as it came."""

    body = models.BinaryField()
    received_at = models.DateTimeField()

    class Meta:
        app_label = "benchmarks"
        db_table = "bench_received"

    def __str__(self) -> str:
        return f"received {self.pk}"


def receive(request: HttpRequest) -> JsonResponse:
    """Insert the body and answer 202."""
    row = Received._default_manager.create(body=request.body, received_at=datetime.now(UTC))
    return JsonResponse({"id": row.pk}, status=202)


urlpatterns = [path("hook/", receive)]
application = get_asgi_application()
