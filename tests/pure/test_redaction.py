"""Redaction both ways: every secret of the corpus is masked, and no evidence is.

The secrets are made up, and put together here from parts so that no scanner takes this file for a leak.
"""

import base64
import json
import os
import random
import re
import string
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox import redaction, secretshapes
from toolbox.redaction import Cut, copy_for_readers

FULL = os.environ.get("FULL") == "1"
_LETTERS = string.ascii_letters + string.digits
_chance = random.Random(20)


def some(count: int, letters: str = _LETTERS) -> str:
    """Made-up letters of a secret: the same in every run."""
    return "".join(_chance.choice(letters) for _ in range(count))


def _joined(*parts: str) -> str:
    return "".join(parts)


def _escapes_read(text: str) -> str:
    """What a person reads who knows the escapes of JSON, also where a mask has taken half of one."""
    meant = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(
        r"\\(?:u([0-9a-f]{4})|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else meant.get(found[2], found[2]),
        text,
    )


_PEM = "PRIVATE" + " KEY-----"
# What is secret, and the log line around it.
SECRETS: dict[str, tuple[str, str]] = {
    name: (secret, line.format(secret))
    for name, (secret, line) in {
        "GitHub classic": (_joined("gh", "p_", some(36)), "cloning with {} failed"),
        "GitHub fine-grained": (_joined("github", "_pat_", some(22), "_", some(59)), "token in use: {}"),
        "GitLab": (_joined("gl", "pat-", some(20)), "push by {} refused"),
        "AWS key id": (_joined("AK", "IA", some(16, string.ascii_uppercase + string.digits)), "signed by {}"),
        "AWS secret": (some(40), "aws_secret_access_key = {}"),
        "AWS secret bare": (some(40), _joined("AK", "IA", some(16, string.ascii_uppercase), ",{},eu-1")),
        "OpenAI": (_joined("sk", "-proj-", some(60)), "model key {} has no quota"),
        "OpenAI old": (_joined("sk", "-", some(48)), "using {} for completion"),
        "Anthropic": (_joined("sk", "-ant-", "api03-", some(80)), "x-api-key was {}"),
        "Google API": (_joined("AI", "za", some(35)), "https://maps.example/api?key={}&q=x"),
        "Slack": (_joined("xo", "xb-", some(12, string.digits), "-", some(24)), "posting with {}"),
        "Slack webhook": (
            _joined("T", some(8), "/B", some(8), "/", some(24)),
            _joined("POST https://hooks.", "slack.com/services/", "{} 404"),
        ),
        "Stripe": (_joined("sk", "_live_", some(24)), "charge refused for {}"),
        "bearer": (some(40), "GET /v1/jobs Authorization: Bearer {} 401"),
        "bearer alone": (_joined(some(20), "1", some(20)), "sent bearer {} to upstream"),
        "password bare": ("correct-horse-9", "login failed password={} user=ada"),
        "Hugging Face": (_joined("h", "f_", some(34)), "download as {}"),
        "npm": (_joined("n", "pm_", some(36)), "publishing with {}"),
        "SAS": (_joined(some(43), "%3D"), "GET https://x.blob.example/c?sv=2024&se=2026&sig={}&sp=r"),
        "JWT": (
            ".".join(
                base64.urlsafe_b64encode(part).decode().rstrip("=")
                for part in (b'{"alg":"none"}', b'{"sub":"ada","n":1}', b"0123456789abcdef")
            ),
            "session {} expired",
        ),
        "address": ("p4ss%21word", "connecting to postgres://reader:{}@db.internal:5432/shop"),
        # Beyond the twenty.
        "private key": (
            _joined("-----BEGIN RSA ", _PEM, "\n", some(64), "\n", some(64), "\n-----END RSA ", _PEM),
            "loaded {} from disk",
        ),
        "private key cut off": (_joined("-----BEGIN ", _PEM, "\n", some(64)), "loaded {}"),
        "PyPI": (_joined("py", "pi-", some(90)), "upload with {}"),
        "SendGrid": (_joined("S", "G.", some(22), ".", some(43)), "mail key {}"),
        "assay's own": (_joined("ass", "ay_", some(43)), "agent came with {}"),
        "Telegram": (_joined(some(9, "123456789"), ":A", "A", some(33)), "bot{} silent"),
        "basic": (base64.b64encode(b"ada:secret words 1").decode(), "authorization: basic {}"),
        "cookie": (_joined("sessionid=", some(32)), "Cookie: {}"),
        "JSON in a line": ("tr0ub4dor", 'body was {{"user": "ada", "password": "{}"}}'),
        "escaped JSON in a line": ("tr0ub4dor", 'body was "{{\\"password\\": \\"{}\\"}}"'),
        "password with a colon": ("hunter2!", "password: {}"),
        "connection string": ("P@55w0rd", "Server=db;User Id=sa;Password={};Encrypt=yes"),
        "Azure key": (
            _joined(some(86), "=="),
            "DefaultEndpointsProtocol=https;AccountKey={};EndpointSuffix=x",
        ),
        "client secret": (some(32), "client_secret={}&grant_type=x"),
        "card": ("4111 1111 1111 1111", "paid with {} today"),
        "Vault": (_joined("hv", "s.", some(24)), "lease for {}"),
        "token": (_joined(some(12), "7", some(12)), "token={}"),
    }.items()
}
HARMLESS = {
    "trace": f"trace_id={some(32, '0123456789abcdef')} span_id={some(16, '0123456789abcdef')} took 31 ms",
    "image": f"pulled registry.example/shop@sha256:{some(64, '0123456789abcdef')}",
    "commit": f"deployed commit {some(40, '0123456789abcdef')} by ada (main)",
    "uuid": "job 7d0b0c2e-7d0c-4b51-93be-0a1f6f2f3c11 finished for order ORD-1042",
    "plain": "UpstreamTimeout: POST https://pay.example/v1/charges after 30.0 s, retry 2 of 5",
    "prose": "The password was reset; the bearer authentication failed, basic understanding is needed.",
    "next token": "unexpected token: identifier at line 12; token: expired",
    "base64": f"payload {base64.b64encode(b'the quick brown fox jumps over').decode()} stored",
    "numbers": "order 1234567890123456 shipped, snowflake 1790471282311229440, epoch 1764500000000",
    "words that begin alike": "task-force-risk-assessment-2026-overview-of-everything half_npm_x sk-learn",
    "placeholders": "password=*** secret=<hidden> api_key=${API_KEY} token=null pwd: [redacted: password]",
    "urls": "see https://user@host.example:8443/path and redis://cache:6379/0 and http://[::1]:80/",
    "path": "PWD=/home/app OLDPWD=/srv",
    "monkey": "monkey=banana turnkey: solution keyboard=qwertz",
    "etag": 'etag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
}


def test_each_secret_of_the_corpus_is_masked_in_a_line_and_in_a_result() -> None:
    for name, (secret, line) in SECRETS.items():
        masked = redaction.text(line)
        assert secret not in masked, name
        assert "[redacted: " in masked, name
        copied = copy_for_readers({"lines": [{"message": line, "n": 1}], line: 2})
        assert secret not in json.dumps(copied.value), name
        assert sum(copied.counts.values()) >= 1, name
        assert secret not in copied.note + str(copied.plain()), name


def test_evidence_is_left_as_it_is() -> None:
    for name, line in HARMLESS.items():
        assert redaction.text(line) == line, name
        value = {"lines": [{"message": line}]}
        assert copy_for_readers(value) == redaction.Redacted(value), name


def test_what_surrounds_a_secret_stays_readable() -> None:
    secret, line = SECRETS["address"]
    assert redaction.text(line) == line.replace(secret, "[redacted: address password]")
    secret, line = SECRETS["password bare"]
    assert redaction.text(line) == "login failed password=[redacted: password] user=ada"


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Password",
        "db_password",
        "dbPassword",
        "client-secret",
        "apiKey",
        "api_key",
        "Authorization",
        "set-cookie",
        "dsn",
        "auth.token",
        "accessToken",
    ],
)
def test_a_field_that_is_named_a_secret_is_masked_whatever_it_holds(name: str) -> None:
    copied = copy_for_readers({"row": {name: "plain words"}, "other": [{name: ["one more text"]}]})
    assert copied.value == {"row": {name: "[redacted: field]"}, "other": [{name: ["[redacted: field]"]}]}
    assert copied.counts == {"field": 2}


def test_a_field_that_only_sounds_like_one_is_not() -> None:
    for name, value in (
        ("token_count", "12345678"), ("tokens", 7), ("next_page_token", "abcdefgh12"), ("token", "expired"),
        ("password_reset_at", "2026-01-01"), ("has_password", True), ("password", None), ("password", ""),
        ("secretary", "ada lovelace"), ("order_id", "4111111111111111"), ("trace_id", "4111111111111111"),
        ("commit", "4111111111111111"), ("key", "orders"), ("monkey", "banana"), ("cookies_accepted", "yes"),
    ):  # fmt: skip
        assert copy_for_readers({name: value}).value == {name: value}


@pytest.mark.parametrize("value", [True, False, 7, 1.5, "x", ["a", "b"], {"a": 1}])
def test_a_field_that_somebody_named_is_masked_whatever_stands_in_it(value: object) -> None:
    copied = copy_for_readers({"job": {"ill": value, "id": 7}}, hints=["job.ill"]).value["job"]
    masks = copied["ill"] if isinstance(copied["ill"], list) else [copied["ill"]]
    assert (set(masks), copied["id"]) == ({"[redacted: field]"}, 7)


def test_a_name_beside_its_value_counts_as_the_fields_name() -> None:
    headers = [{"name": "Authorization", "value": "anything"}, {"name": "Accept", "value": "text/html"}]
    assert [header["value"] for header in copy_for_readers(headers).value] == [
        "[redacted: field]",
        "text/html",
    ]


def test_hinted_fields_are_masked_at_their_place_alone() -> None:
    value = {"customer": {"email": "a@b.example", "phone": 436601234567}, "shop": {"email": "shop@b.example"}}
    copied = copy_for_readers(value, hints=("customer.email", "phone"))
    assert copied.value == {
        "customer": {"email": "[redacted: field]", "phone": "[redacted: field]"},
        "shop": {"email": "shop@b.example"},
    }


def test_a_copy_is_cut_and_says_by_how_much() -> None:
    copied = copy_for_readers({"text": "x" * 50, "rows": list(range(9))}, cut=Cut(text=10, items=4))
    assert copied.value == {"text": "x" * 10 + "… (+40 characters)", "rows": [0, 1, 2, 3]}
    assert copied.note == "1 long text cut, 5 items left out"


def test_a_secret_across_the_cut_is_masked_before_it_is_cut() -> None:
    secret, line = SECRETS["GitHub classic"]
    copied = copy_for_readers("y" * 20 + line, cut=Cut(text=50))
    assert secret[:8] not in copied.value


ESCAPED: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "JSON": (json.dumps, _escapes_read),
    "JSON as PHP writes it": (lambda line: json.dumps(line).replace("/", r"\/"), _escapes_read),
    "JSON as Go writes it": (lambda line: json.dumps(line).replace("&", r"\u0026"), _escapes_read),
    "JSON in JSON": (
        lambda line: json.dumps(json.dumps("\n" + line)),
        lambda kept: _escapes_read(_escapes_read(kept)),
    ),
    "a form": (quote_plus, unquote_plus),
    "an address": (lambda line: quote(" " + line, safe=""), unquote),
    "each sign by its number": (lambda line: "".join(rf"\u{ord(char):04x}" for char in line), _escapes_read),
}


@pytest.mark.parametrize("form", sorted(ESCAPED))
def test_each_secret_of_the_corpus_is_masked_under_escapes_too(form: str) -> None:
    write, read = ESCAPED[form]
    for name, (secret, line) in SECRETS.items():
        written = write(line)
        shown = redaction.text(written, is_form=form == "a form")
        assert secret not in read(shown), name
        assert "redacted" in shown, name
        if form != "a form":
            assert copy_for_readers({"said": [written]}).value == {"said": [shown]}, name
            assert copy_for_readers({written: 1}).value == {shown: 1}, name


def test_escapes_hide_no_evidence() -> None:
    for line in HARMLESS.values():
        for form, (write, _) in ESCAPED.items():
            assert redaction.text(write(line), is_form=form == "a form") == write(line)


def test_a_text_is_never_cut_through_a_secret() -> None:
    for name, (_, line) in SECRETS.items():
        said = "y " * 1_100 + line
        for limit in range(2_195, len(said), 7):
            kept = redaction.cut(said, limit)
            assert said.startswith(kept), name
            assert len(kept) <= limit, name
            for begin, end in redaction.spans(said):
                # A private key is found by its beginning alone, so that its half is masked as well.
                assert not begin < len(kept) < end or redaction.text(kept) != kept, (name, limit)
    assert redaction.cut("y" * 500, 300) == "y" * 300


def test_masking_twice_changes_nothing_more() -> None:
    for _, line in SECRETS.values():
        once = copy_for_readers({"message": line, "password": "x y z"})
        assert copy_for_readers(once.value) == redaction.Redacted(once.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=30),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
        max_leaves=20,
    )
)
def test_any_json_keeps_its_form_and_the_original_is_untouched(value: Any) -> None:
    before = json.dumps(value)
    copied = copy_for_readers(value).value
    assert json.dumps(value) == before
    assert type(copied) is type(value)
    json.dumps(copied)


_LINES = [line for _, line in SECRETS.values()] + list(HARMLESS.values())
_PIECES = st.sampled_from(
    [*_LINES, *"=:\"' -._/4", "password", "4111111111111111", "\u212a", "\n", "plain", ""]
)
_WORDS = st.lists(_PIECES, min_size=1, max_size=3).map("".join)
_NAMES = st.sampled_from(["note", "value", "name", "api_key", "token", "order_id", "rows"]) | _WORDS


@given(
    st.recursive(
        st.none() | st.integers(0, 10**17) | _WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
        max_leaves=6,
    )
)
@settings(max_examples=2_000 if FULL else 150, deadline=None)
def test_what_is_passed_over_quickly_holds_nothing_that_a_search_of_every_text_finds(value: Any) -> None:
    every = tuple(replace(shape, hints=("",), likely=None) for shape in secretshapes.SHAPES)
    walk = redaction._Walk(every, (), True, Cut(text=60, items=2))
    searched = redaction.Redacted(walk.copy(value, ()), walk.counts, walk.texts_cut, walk.items_left_out)
    assert copy_for_readers(value, cut=Cut(text=60, items=2)) == searched


@pytest.mark.parametrize("sign", ["", " ", "-"])
@pytest.mark.parametrize("digits", ["4111111111111111", "378282246310005"])
def test_a_card_number_is_found_however_it_is_grouped_and_no_longer_number_is_one(
    digits: str, sign: str
) -> None:
    places = (4, 10) if len(digits) == 15 else (4, 8, 12)
    number = sign.join(digits[a:b] for a, b in zip((0, *places), (*places, len(digits)), strict=True))
    for said in (number, f"paid with {number}.", f"({number})", f"a\n{number}\nb"):
        assert number not in redaction.text(said)
        assert number not in str(copy_for_readers({"said": [said]}).value)
    for said in (f"1{number}", f"{number}1", f"x{number}", f"{number}x"):
        assert redaction.text(said) == said


def test_a_secret_is_found_wherever_a_long_text_is_parted_and_beside_half_a_character() -> None:
    secret, line = SECRETS["GitHub fine-grained"]
    for begin in range(65_500, 65_550):
        assert secret not in redaction.text(" " * begin + secret)
    assert secret not in redaction.text(f"\ud800{line}\udfff")
    assert secret not in str(copy_for_readers({"a": ["\ud800", line]}).value)


def test_what_has_nothing_to_hide_is_its_own_copy_and_what_is_no_json_is_looked_through_too() -> None:
    plain = {"rows": [{"at": "2026-11-30", "message": "the password was reset", "n": 1}]}
    assert copy_for_readers(plain, cut=Cut()).value is plain
    assert copy_for_readers(plain, cut=Cut(text=5)).value == {
        "rows": [{"at": "2026-… (+5 characters)", "message": "the p… (+17 characters)", "n": 1}]
    }
    secret, line = SECRETS["GitHub classic"]
    for odd in ((line, 1), {7: line}, {"at": datetime.now(UTC), "said": line}):
        assert secret not in str(copy_for_readers(odd).value)


@given(st.text(alphabet="0123456789abcdef", min_size=8, max_size=64))
def test_no_hexadecimal_id_is_ever_masked(digits: str) -> None:
    if not digits.isdigit():
        assert redaction.text(f"span {digits} of trace {digits}") == f"span {digits} of trace {digits}"


LONG: dict[str, Callable[[int], str]] = {
    "schemes": lambda n: "a." * (n // 2) + "://",
    "colons": lambda n: "a://" * (n // 4),
    "users": lambda n: "a://" + "b" * n,
    "passwords": lambda n: "password:" * (n // 9),
    "bearers": lambda n: "bearer " * (n // 7),
    "dots": lambda n: "eyJ" + "a." * (n // 2),
    "begins": lambda n: "-----BEGIN PRIVATE" * (n // 18),
    "keys": lambda n: "AKIA sk- hf_ npm_ cookie: token= secret" + "A" * n,
    "digits": lambda n: "4111 " * (n // 5),
    "dashes": lambda n: "sk-" * (n // 3),
    "escapes": lambda n: r"\u0070assword=" * (n // 15),
    "escapes of escapes": lambda n: "\\" * n,
}


@pytest.mark.parametrize("name", sorted(LONG))
def test_no_text_takes_long(name: str) -> None:
    length = 200_000 if FULL else 50_000
    began = time.process_time()
    redaction.text(LONG[name](length))
    assert time.process_time() - began < length / 20_000


def test_every_shape_has_hints_in_lower_case_and_a_sample_in_the_corpus() -> None:
    seen = {name for _, line in SECRETS.values() for name in copy_for_readers(line).counts}
    assert seen >= {shape.name for shape in secretshapes.SHAPES} - {"DigitalOcean token"}
    assert all(hint == hint.lower() and hint for shape in secretshapes.SHAPES for hint in shape.hints)


def test_a_long_log_in_which_words_for_secrets_stand_by_themselves_needs_no_search() -> None:
    line = "the key is new, the token valid: basic 1f3870be274f6c49b3e31a0c6728957f4111 eaa password ok"
    assert secretshapes.possible((line + "\n").lower() * 50) == tuple(
        shape for shape in secretshapes.SHAPES if shape.name == "bearer token"
    )
