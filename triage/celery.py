"""The Celery application. The broker only wakes the workers; what is to be done stands in Postgres."""

import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import worker_process_init, worker_process_shutdown, worker_ready
from kombu.transport import redis

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")


class PatientQoS(redis.QoS):
    """Celery's book of unacknowledged messages, without the wish to give them back over a lost link.

    Celery 5.7 closes a broken connection before kombu puts its unacknowledged messages back, and the
    attempt ends the worker with an AttributeError. The visibility timeout brings the messages back anyway.
    """

    def restore_unacked(self, client: Any = None) -> None:
        """Put the messages back while there is a link; else leave that to the visibility timeout."""
        link = getattr(self.channel, "connection", None)
        if client is not None or getattr(link, "client", None) is not None:
            super().restore_unacked(client)


redis.Channel.QoS = PatientQoS
# As root only pickled messages would be a danger, and JSON is all that is accepted.
warnings.filterwarnings("ignore", message="You're running the worker", category=SecurityWarning)

app = Celery("triage")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


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
