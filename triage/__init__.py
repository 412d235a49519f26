"""The Django project: settings, urls, asgi, celery, and the wiring between the apps."""

from triage.celery import app as celery_app

__all__ = ["celery_app"]
