"""A mailbox: what was sent can't be taken back, nor read by us."""

from collections.abc import Sequence
from dataclasses import dataclass
from smtplib import SMTPException

from django.core.mail import EmailMessage

from audit.places.base import PlaceFailed

_WORDS = """This is what the audit log was at {size} entries. Keep it: with it, anybody who is given a copy of
the log can tell whether an entry up to there was changed or taken out (manage.py verify_audit --copy FILE).

"""


@dataclass(frozen=True, slots=True)
class MailPlace:
    """Sends one message a checkpoint, once a day unless told otherwise."""

    address: str
    every: int = 86_400
    can_be_read: bool = False

    @property
    def name(self) -> str:
        """The mailbox."""
        return f"mailto:{self.address}"

    def last(self) -> str | None:
        """Nothing: a mailbox is not read."""
        return None

    def read(self) -> Sequence[str]:
        """Nothing: a mailbox is not read."""
        return ()

    def publish(self, note: str) -> str:
        """Send the checkpoint, attached as a file. Raises PlaceFailed."""
        origin, size = note.split("\n")[:2]
        message = EmailMessage(
            subject=f"Audit log {origin} at {size} entries",
            body=_WORDS.format(size=size) + note,
            to=[self.address],
        )
        message.attach(f"{size}.checkpoint", note, "text/plain")
        try:
            message.send()
        except (SMTPException, OSError) as error:
            raise PlaceFailed(f"the mail server would not take it: {type(error).__name__}") from None
        return "sent"
