"""ticket.reply: sends an answer that a person approved, word for word, by the desk that the claim came by."""

import base64
import smtplib
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from html import escape
from typing import Any
from urllib.parse import quote

from approvals.actions import httpwrite, reads
from approvals.actions.base import ActionFailed, Footprint, Hands, Observed, OutcomeUnknown
from approvals.actions.declared import DeclaredAction
from approvals.actions.httpwrite import Request
from approvals.actions.reads import Common
from toolbox.yamlfile import Place

_MORE = frozenset({"desk", "url", "admin", "from", "host", "port"})
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["ticket", "text"],
    "properties": {
        "ticket": {"type": "string", "minLength": 1, "maxLength": 200},
        "text": {"type": "string", "minLength": 1, "maxLength": 8000},
    },
}


class TicketReply(DeclaredAction):
    """One desk. What was sent cannot be taken back, so there is no rollback."""

    def __init__(self, common: Common, desk: str, settings: Mapping[str, Any]) -> None:
        super().__init__(common)
        self._desk, self._settings = desk, settings

    def dry_run(self, arguments: Mapping[str, Any], hands: Hands) -> Footprint:
        """Return the text that would be sent, whole. Raises CouldNotCheck."""
        hands.field(_SECRET[self._desk])
        observed = self.observe(arguments)
        return Footprint((self.target(arguments),), (), observed.state, {"reply": arguments["text"]})

    def execute(
        self, arguments: Mapping[str, Any], observed: Observed, hands: Hands, key: str
    ) -> Mapping[str, Any]:
        """Send the reply once. Raises ActionFailed, OutcomeUnknown."""
        if self._desk == "email":
            return _mailed(self._settings, arguments, hands, key)
        request = _REQUESTS[self._desk](self._settings, arguments, hands)
        headers = {**request.headers, "Idempotency-Key": key}
        return httpwrite.send(
            Request(request.method, request.url, request.body, headers, self._common.seconds)
        )

    def probe(self, hands: Hands) -> str:
        """Desks show no rights of a key; that it is there is what can be seen. Raises CouldNotCheck."""
        hands.field(_SECRET[self._desk])
        return ""


def _zendesk(settings: Mapping[str, Any], arguments: Mapping[str, Any], hands: Hands) -> Request:
    pair = f"{hands.field('email')}/token:{hands.field('token')}"
    body = {"ticket": {"comment": {"body": arguments["text"], "public": True}}}
    url = f"{settings['url']}/api/v2/tickets/{quote(arguments['ticket'], safe='')}.json"
    return Request("PUT", url, body, {"Authorization": f"Basic {_b64(pair)}"})


def _freshdesk(settings: Mapping[str, Any], arguments: Mapping[str, Any], hands: Hands) -> Request:
    url = f"{settings['url']}/api/v2/tickets/{quote(arguments['ticket'], safe='')}/reply"
    authorization = f"Basic {_b64(hands.field('token') + ':X')}"
    return Request("POST", url, {"body": _html(arguments["text"])}, {"Authorization": authorization})


def _intercom(settings: Mapping[str, Any], arguments: Mapping[str, Any], hands: Hands) -> Request:
    url = f"{settings['url']}/conversations/{quote(arguments['ticket'], safe='')}/reply"
    body = {
        "message_type": "comment",
        "type": "admin",
        "admin_id": str(settings["admin"]),
        "body": _html(arguments["text"]),
    }
    headers = {"Authorization": f"Bearer {hands.field('token')}", "Intercom-Version": "2.11"}
    return Request("POST", url, body, headers)


def _mailed(
    settings: Mapping[str, Any], arguments: Mapping[str, Any], hands: Hands, key: str
) -> Mapping[str, Any]:
    """Send one mail over TLS. A refusal is a clear no; a broken connection after the text is not."""
    message = EmailMessage()
    try:
        message["From"], message["To"] = settings["from"], arguments["ticket"]
        message["Subject"], message["Message-ID"] = "Your request", f"<{key}@assay>"
    except ValueError:
        raise ActionFailed("the address is not one that mail can be sent to") from None
    message.set_content(arguments["text"])
    try:
        with smtplib.SMTP(settings["host"], int(settings.get("port", 587)), timeout=20) as server:
            server.starttls()
            server.login(hands.field("user"), hands.field("password"))
            server.send_message(message)
    except (
        smtplib.SMTPResponseException,
        smtplib.SMTPRecipientsRefused,
        smtplib.SMTPNotSupportedError,
    ) as error:
        raise ActionFailed(f"the mail server refused ({type(error).__name__})") from None
    except ConnectionRefusedError:
        raise ActionFailed("the mail server cannot be reached") from None
    except (OSError, smtplib.SMTPException) as error:
        raise OutcomeUnknown(f"the connection to the mail server broke ({type(error).__name__})") from None
    return {"message": f"<{key}@assay>"}


_Maker = Callable[[Mapping[str, Any], Mapping[str, Any], Hands], Request]
_REQUESTS: Mapping[str, _Maker] = {"zendesk": _zendesk, "freshdesk": _freshdesk, "intercom": _intercom}
_SECRET = {"zendesk": "token", "freshdesk": "token", "intercom": "token", "email": "password"}


def declared(place: Place) -> tuple[TicketReply, ...]:
    """Read the `replies` of the actions' file. Raises DefinitionError."""
    return tuple(_of(each) for each in place.items())


def _of(place: Place) -> TicketReply:
    desk = place.at("desk").text()
    if desk not in _SECRET:
        raise place.at("desk").error(f"{desk} is not known", f"Use {', '.join(sorted(_SECRET))}.")
    if isinstance(place.data, dict):
        place.data.setdefault("arguments", _SCHEMA)
        place.data.setdefault("target", f"ticket:{desk}:{{ticket}}")
    needed = {"email": ("from", "host"), "intercom": ("url", "admin")}.get(desk, ("url",))
    for name in needed:
        place.at(name).text()
    common = reads.common(place, "ticket.reply", _MORE)
    return TicketReply(common, desk, {**place.data, "url": str(place.data.get("url", "")).rstrip("/")})


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _html(text: str) -> str:
    return escape(text).replace("\n", "<br>")
