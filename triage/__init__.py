"""The Django project: settings, urls, asgi, celery, and the wiring between the apps."""
