"""GitHub's door: the signature on the raw bytes, and what is answered."""

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from incidents import signing
from incidents.intake import secret_digest
from incidents.models import Delivery, Source
from tests.db.issues import a_source, event, headers
from tests.db.sources import SECRET

pytestmark = pytest.mark.django_db
BODY = json.dumps(event()).encode()


@pytest.fixture
def source() -> Source:
    return a_source()


def post(client: Client, body: bytes, sent: dict[str, str], kind: str = "application/json") -> Any:
    return client.post("/hooks/github/", body, content_type=kind, headers=sent)


def changed(sent: dict[str, str], given: str | None) -> dict[str, str]:
    rest = {name: value for name, value in sent.items() if name != signing.HEADER}
    return rest if given is None else {**rest, signing.HEADER: given}


@pytest.mark.parametrize(
    "given",
    [
        None, "", "sha256=", "sha256=" + "0" * 64, "0" * 64, "sha256=é", "sha1=" + "0" * 40,
        signing.signature(SECRET, BODY), signing.signature(secret_digest(SECRET), BODY),
        signing.signature("", BODY),
    ],
)  # fmt: skip
def test_a_missing_or_wrong_signature_is_401_and_stores_nothing(
    client: Client, source: Source, given: str | None
) -> None:
    answer = post(client, BODY, changed(headers(source, BODY), given))
    assert answer.status_code == 401
    assert signing.HEADER in answer.json()["error"]
    assert not Delivery.objects.exists()


def test_the_signature_holds_for_these_bytes_alone(client: Client, source: Source) -> None:
    sent = headers(source, BODY)
    for body in (BODY + b" ", BODY.replace(b"opened", b"closed"), b""):
        assert post(client, body, sent).status_code == 401
    bearer = {**changed(sent, None), "Authorization": f"Bearer {SECRET}"}
    assert post(client, BODY, bearer).status_code == 401
    assert not Delivery.objects.exists()


def test_a_signed_delivery_is_stored_as_it_came_and_a_second_sending_is_no_error(
    client: Client, source: Source
) -> None:
    sent = headers(source, BODY)
    first, second = (post(client, BODY, sent) for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    delivery = Delivery.objects.get()
    assert bytes(delivery.body) == BODY
    assert delivery.headers["x-github-event"] == "issues"
    assert "x-hub-signature-256" not in delivery.headers


@pytest.mark.parametrize("identity", ["00000000-0000-0000-0000-000000000000", "x" * 150])
def test_something_else_under_an_id_that_was_there_before_is_news_and_is_told_apart_from_itself(
    client: Client, source: Source, identity: str
) -> None:
    bodies = [BODY, json.dumps(event("closed")).encode(), json.dumps(event("edited")).encode()]
    answers = [
        post(client, body, headers(source, body, identity=identity)).json()["delivery"]
        for body in (*bodies, *bodies)
    ]
    assert len(set(answers)) == Delivery.objects.count() == 3
    assert answers[:3] == answers[3:]
    assert {bytes(each.body) for each in Delivery.objects.all()} == set(bodies)


def test_a_form_is_signed_as_it_is_sent(client: Client, source: Source) -> None:
    body = urlencode({"payload": BODY.decode()}).encode()
    answer = post(client, body, headers(source, body), "application/x-www-form-urlencoded")
    assert answer.status_code == 202
    assert bytes(Delivery.objects.get().body) == body


def test_github_computes_what_is_compared(source: Source) -> None:
    key = signing.secret_of(source.secret_digest).encode()
    expected = "sha256=" + hmac.new(key, BODY, hashlib.sha256).hexdigest()
    assert signing.signature(key.decode(), BODY) == expected
    assert signing.is_signed(source, BODY, expected)


def test_both_secrets_of_a_change_sign(client: Client, source: Source) -> None:
    following = secret_digest("the next one")
    Source.objects.update(next_secret_digest=following)
    sent = changed(headers(source, BODY), signing.signature(signing.secret_of(following), BODY))
    assert post(client, BODY, sent).status_code == 202


def test_a_body_over_the_limit_is_413_whoever_signed_it(
    client: Client, source: Source, settings: Any
) -> None:
    settings.DELIVERY_MAX_BYTES = len(BODY) - 1
    assert post(client, BODY, headers(source, BODY)).status_code == 413
    source.refresh_from_db()
    assert source.oversized_count == 0


def test_without_the_key_nothing_is_taken_and_github_is_told_to_try_again(
    client: Client, source: Source, settings: Any
) -> None:
    sent = headers(source, BODY)
    settings.HOOK_KEY = ""
    assert post(client, BODY, sent).status_code == 503
    with pytest.raises(CommandError, match="HOOK_KEY"):
        call_command("addsource", "repo", adapter="github")


def test_the_command_prints_the_secret_that_signs(capsys: Any) -> None:
    call_command("addsource", "repo", adapter="github")
    printed = capsys.readouterr().out
    assert signing.secret_of(Source.objects.get(slug="repo").secret_digest) in printed
    assert "bearer" not in printed
    with pytest.raises(CommandError, match="--secret-env"):
        call_command("addsource", "other", adapter="github", secret_env="GITHUB_SECRET")
