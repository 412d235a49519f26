"""The Celery application. The broker only wakes the workers; what is to be done stands in Postgres."""

import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import celeryd_init, worker_process_init, worker_process_shutdown, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")


# As root only pickled messages would be a danger, and JSON is all that is accepted.
warnings.filterwarnings("ignore", message="You're running the worker", category=SecurityWarning)

app = Celery("triage")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
def keep_over_a_lost_link(**_: Any) -> None:
    """Let a worker outlive a broker that goes away. No other process loads the transport for it."""
    from kombu.transport import redis

    from triage.patience import PatientQoS

    redis.Channel.QoS = PatientQoS


@worker_process_init.connect
def prove_credentials(**_: Any) -> None:
    """Let each process of a worker prove the credentials that it was given, now and on a schedule."""
    from toolbox import proofwatch

    proofwatch.begin()


@worker_ready.connect
def probe_write_credentials(sender: Any = None, **_: Any) -> None:
    """Let the execute worker probe the write credentials as soon as it stands."""
    if "execute" in app.amqp.queues.consume_from:
        app.send_task("approvals.tasks.probe", queue="execute", retry=False, expires=110)


@worker_process_shutdown.connect
def send_last_spans(**_: Any) -> None:
    """Send the spans of the last seconds: a worker's processes end without what Python does at an exit."""
    from investigations import tracing

    tracing.close()
