"""How a worker keeps its book of messages over a lost link to the broker."""

from typing import Any

from kombu.transport import redis


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
