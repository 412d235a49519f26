"""One token used by many requests at the same moment."""

from django.db import connections
from django.utils import timezone

from accounts import tokens
from tests.web.mcp_world import together_in_threads
from tests.web.test_tokens import BASE, kinds, make, person


def test_the_first_use_is_one_entry_however_many_requests_come_at_once(committed_db: None) -> None:
    _, secret = make(person())

    def use(_: int) -> None:
        try:
            tokens.verify(secret, audience=BASE, now=timezone.now())
        finally:
            connections.close_all()

    together_in_threads(8, use)
    assert kinds() == ["token.made", "token.first_used"]
