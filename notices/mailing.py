"""One mail to one address."""

import smtplib
from collections.abc import Sequence
from email.utils import make_msgid
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from notices import wording
from notices.ending import Ended
from notices.models import Message

_SECONDS = 10


def mail(messages: Sequence[Message]) -> Ended:
    """Send these messages, all to the same address, as one mail."""
    address = messages[0].address
    host = urlsplit(settings.BASE_URL).hostname or "localhost"
    thread = f"<{messages[0].notice.about}-{messages[0].notice.about_id}@{host}>"
    try:
        letter = EmailMessage(
            subject=wording.subject(messages),
            body=wording.text(messages),
            to=[address],
            connection=get_connection(timeout=_SECONDS),
            headers={
                "Message-ID": make_msgid(idstring=messages[0].key, domain=host),
                "References": thread,
                "Auto-Submitted": "auto-generated",
            },
        )
        letter.send()
    except smtplib.SMTPRecipientsRefused as refused:
        codes = [code for code, _ in refused.recipients.values()]
        is_final = bool(codes) and all(500 <= code < 600 for code in codes)
        return Ended(False, f"the mail server refuses the address ({codes[0] if codes else '–'})", is_final)
    except smtplib.SMTPResponseException as error:
        return Ended(False, f"the mail server would not take it ({error.smtp_code})")
    except (smtplib.SMTPException, OSError, ValueError) as error:
        return Ended(False, f"the mail server cannot be reached, or breaks off ({type(error).__name__})")
    return Ended(True, "the mail server took it")
