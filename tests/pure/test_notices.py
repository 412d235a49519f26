"""Signatures of webhooks and the words of severities, without a database."""

from datetime import UTC, datetime

import pytest

from notices import signing
from notices.events import SEVERITIES, rank_of

KEY = bytes(range(32))
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_the_signature_is_that_of_the_specification_s_own_example() -> None:
    """The numbers stand in the reference libraries' tests, in each of their languages."""
    import base64

    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    at = datetime.fromtimestamp(1_614_265_330, UTC)
    signed = signing.signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_one_changed_byte_changes_the_signature() -> None:
    whole = signing.signature(KEY, "msg_1", AT, b"{}")
    assert whole != signing.signature(KEY, "msg_1", AT, b"{ }")
    assert whole != signing.signature(KEY, "msg_2", AT, b"{}")
    assert whole != signing.signature(KEY, "msg_1", AT.replace(second=1), b"{}")
    assert whole != signing.signature(KEY[::-1], "msg_1", AT, b"{}")


def test_while_a_secret_is_changed_both_sign() -> None:
    found = signing.headers([KEY, KEY[::-1]], "msg_1", AT, b"{}")["webhook-signature"].split(" ")
    assert found == [signing.signature(key, "msg_1", AT, b"{}") for key in (KEY, KEY[::-1])]


@pytest.mark.parametrize(("word", "rank"), [("critical", 0), ("info", 6), ("unknown", 7), ("", 7)])
def test_a_severity_that_nobody_knows_comes_last(word: str, rank: int) -> None:
    assert rank_of(word) == rank
    assert len(SEVERITIES) == 7
