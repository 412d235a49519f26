"""The Django project: settings, urls, asgi, celery, and the wiring between the apps."""

import gc

from triage.celery import app as celery_app

__all__ = ["celery_app"]

# A start makes hundreds of thousands of objects that stay. Searched for garbage at every 700 of them, as is
# usual, a tenth of each start went into looking.
gc.set_threshold(20_000, 20, 20)
