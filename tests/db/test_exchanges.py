"""Each exchange is kept: once, masked, by digest, with its cost, before it is sent and after."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role as Group
from audit.models import Entry
from investigations import checks, endpoints, terms, transcripts
from investigations.models import Exchange, Transcript
from investigations.states import Exchanged, Purpose
from investigations.talk import EndpointDown, EndpointRefused, Finish, Message, Model, Role, ToolOffer
from tests import scripted
from tests.scripted import Script, calls, endpoint_settings, refuses, says, status

pytestmark = pytest.mark.django_db
TOOL = ToolOffer("find_job", "Finds a job.", {"type": "object", "properties": {"n": {"minimum": 0.5}}})
SECRET = "ghp_" + "a1B2" * 10


@pytest.fixture
def speaking(settings: Any) -> Iterator[Callable[..., tuple[Model, scripted.Endpoint]]]:
    """Return a Model that speaks to a script: `model, server = speaking([...], key="...")`."""
    running: list[scripted.Endpoint] = []

    def speak(
        script: Script, *, purpose: Purpose = Purpose.ASK, **more: Any
    ) -> tuple[Model, scripted.Endpoint]:
        server = scripted.Endpoint(script)
        running.append(server)
        settings.MODEL_ENDPOINTS = endpoint_settings(default={"base_url": server.url, "model": "m", **more})
        return endpoints.model_for(purpose, investigation=None, incident=7), server

    yield speak
    for server in running:
        server.close()


@pytest.fixture
def administrator(make_user: Callable[..., User]) -> User:
    return make_user("root", role=Group.ADMINISTRATOR)


def talk(*texts: str) -> list[Message]:
    return [Message(Role.SYSTEM, "You look into incidents."), *(Message(Role.USER, text) for text in texts)]


def test_an_endpoint_that_gives_no_reply_leaves_an_exchange_that_says_why(speaking: Any) -> None:
    model, _ = speaking(lambda _: status(500), key="our-own-key")
    with pytest.raises(EndpointDown, match="the last of 2 tries"):
        model.reply(talk("hello"))
    row = Exchange.objects.get()
    assert (row.outcome, row.tries, row.micros) == (Exchanged.DOWN, 2, 0)
    assert "answers 500" in row.reason
    kept = transcripts.read(row.transcript_digest)
    assert (kept["reply"], kept["reason"]) == (None, row.reason)


def test_an_exchange_is_stored_before_it_is_sent(speaking: Any) -> None:
    seen: list[str] = []

    def script(_: scripted.Request) -> scripted.Scripted:
        return says("late")

    model, _ = speaking(script)
    model.reply(talk("hello"), on_text=lambda _: seen.append(Exchange.objects.get().outcome))
    assert set(seen) == {Exchanged.SENT}


def test_whoever_ends_a_run_in_the_middle_of_a_text_leaves_no_exchange_open(speaking: Any) -> None:
    class Stopped(Exception):
        pass

    def stop(_: str) -> None:
        raise Stopped

    model, _ = speaking([says("a long text")])
    with pytest.raises(Stopped):
        model.reply(talk("hello"), on_text=stop)
    row = Exchange.objects.get()
    assert (row.outcome, row.reason) == (Exchanged.DOWN, "Given up by us (Stopped).")


def test_a_refusal_by_an_error_is_a_reply_that_was_refused(speaking: Any) -> None:
    model, _ = speaking([status(400, body={"error": {"message": "no", "code": "content_filter"}})])
    reply = model.reply(talk("hello"))
    assert (reply.finish, reply.refusal) == (Finish.REFUSED, "no")
    assert Exchange.objects.get().outcome == Exchanged.REFUSED


def test_what_is_kept_is_exactly_what_was_sent_and_holds_no_secret(speaking: Any) -> None:
    model, server = speaking([says(f"it is {SECRET}"), says("done")], key="our-own-key")
    said = talk(f"the log says password={SECRET}")
    model.reply(said, tools=[TOOL])
    model.reply([*said, Message(Role.ASSISTANT, f"it is {SECRET}")], tools=[TOOL])
    for row, request in zip(Exchange.objects.all(), server.requests, strict=True):
        assert transcripts.read(row.transcript_digest)["request"] == request.body
    everything = "".join(Transcript.objects.values_list("body", flat=True))
    assert SECRET not in everything + server.requests[0].text + server.requests[1].text
    assert "our-own-key" not in everything


def test_what_is_said_again_at_each_step_is_kept_once(speaking: Any) -> None:
    model, _ = speaking(lambda _: says("x"))
    said = talk("a" * 5_000)
    for number in range(5):
        said.append(Message(Role.USER, str(number)))
        model.reply(said, tools=[TOOL])
    # 7 messages, the tools, and a record for each exchange.
    assert Transcript.objects.count() == 7 + 1 + 5
    assert sum(len(body) for body in Transcript.objects.values_list("body", flat=True)) < 10_000


def test_an_exchange_has_its_cost_as_counted_and_the_names_that_the_reply_gives(speaking: Any) -> None:
    model, _ = speaking([says("x", usage={"prompt_tokens": 1_000, "completion_tokens": 100})])
    reply = model.reply(talk("hello"))
    row = Exchange.objects.get()
    assert (row.tokens_in, row.tokens_out, row.micros) == (1_000, 100, 3_500)
    assert (row.model, row.fingerprint, row.step) == ("scripted-1", "fp_scripted", 1)
    assert (row.endpoint, row.purpose, row.incident_id) == ("default", "ask", 7)
    assert (reply.exchange, reply.spent.micros) == (row.pk, 3_500)
    assert reply.spent.seconds == row.seconds > 0


def test_what_no_column_can_hold_is_kept_all_the_same(speaking: Any) -> None:
    odd = "a\0b\ud800c"
    model, _ = speaking(
        [
            says(odd, model=odd * 100, fingerprint=odd),
            calls((odd, odd), text=odd),
            status(400, body={"error": {"message": odd, "code": odd}}),
        ]
    )
    for _ in range(2):
        model.reply(talk(odd))
    with pytest.raises(EndpointDown):
        model.reply(talk(odd))
    first, second, last = Exchange.objects.all()
    assert (first.fingerprint, len(first.model)) == ("abc", 120)
    assert transcripts.read(second.transcript_digest)["reply"]["calls"][0]["name"] == odd
    assert "answers 400 (a b c)" in last.reason


def test_a_key_that_the_model_says_back_is_masked(speaking: Any) -> None:
    model, _ = speaking([calls(("find_job", '{"q": "our-own-key"}'), text="our-own-key")], key="our-own-key")
    assert "our-own-key" not in str(model.reply(talk("hello")))


def test_no_reply_is_longer_than_the_endpoint_allows_whoever_asks(speaking: Any) -> None:
    model, server = speaking(lambda _: says("x"))
    for tokens in (0, 100, 10_000):
        model.reply(talk("hello"), tokens=tokens)
    assert [request.body["max_tokens"] for request in server.requests] == [500, 100, 500]


def test_a_server_without_tool_calls_is_asked_for_the_next_step_by_schema(speaking: Any) -> None:
    step = json.dumps({"next": "find_job", "arguments": {"n": 1}})
    model, server = speaking([says(step)], quirks="llama-cpp-python")
    reply = model.reply(talk("hello"), tools=[TOOL])
    assert [call.name for call in reply.calls] == ["find_job"]
    assert "tools" not in server.requests[0].body
    assert server.requests[0].body["response_format"]["schema"]["properties"]["next"]["enum"] == [
        "find_job",
        "answer",
    ]


def test_a_refusal_stays_one_without_tool_calls(speaking: Any) -> None:
    model, _ = speaking([refuses("no")], quirks="llama-cpp-python")
    assert model.reply(talk("hello"), tools=[TOOL]).finish is Finish.REFUSED


# --- Which endpoint, and whether it may be used ---------------------------------------------------------


@pytest.mark.parametrize(
    ("default", "sentence"),
    [
        ({}, r"LLM_BASE_URL is not set.*its provider's pages have it.*connect-a-model"),
        ({"base_url": "http://localhost/v1"}, r"MODEL_ID is not set.*GET …/v1/models"),
        ({"base_url": "https://u:p@x.example/v1", "model": "m"}, r"LLM_BASE_URL cannot be used.*LLM_API_KEY"),
        (
            {"base_url": "http://localhost/v1", "model": "m", "quirks": "lama"},
            r"LLM_QUIRKS: 'lama'.*llamacpp",
        ),
        ({"base_url": "http://localhost/v1", "model": "m", "key": "a\nb"}, r"LLM_API_KEY holds characters"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_names_itself_and_its_cure(
    settings: Any, default: Mapping[str, Any], sentence: str
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(default=default)
    with pytest.raises(EndpointRefused, match=sentence) as caught:
        endpoints.model_for(Purpose.INVESTIGATOR, investigation=None, incident=None)
    assert "u:p" not in str(caught.value)


def test_the_system_check_warns_of_settings_that_cannot_be_used(settings: Any) -> None:
    settings.INVESTIGATOR = "model"
    settings.MODEL_ENDPOINTS = endpoint_settings(critic={"base_url": "http://u:p@x.example/v1", "model": "m"})
    assert [each.id for each in checks.endpoints_can_be_used()] == [
        "investigations.W004",
        "investigations.W003",
    ]
    settings.INVESTIGATOR = "auto"
    settings.MODEL_ENDPOINTS = endpoint_settings()
    assert checks.endpoints_can_be_used() == []


def test_a_purpose_without_an_endpoint_of_its_own_is_served_by_the_default_but_never_a_candidate(
    settings: Any,
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(
        default={"base_url": "http://localhost/v1", "model": "m", "key": "k"}
    )
    assert endpoints.endpoint_for(Purpose.CRITIC).name == "default"
    with pytest.raises(EndpointRefused, match="CANDIDATE_LLM_BASE_URL is not set"):
        endpoints.endpoint_for(Purpose.CANDIDATE)


def test_another_model_on_the_same_server_is_used_with_its_key_and_one_elsewhere_is_not(
    settings: Any,
) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings(
        default={"base_url": "https://a.example/v1", "model": "m", "key": "k", "quirks": "vllm"},
        critic={"model": "other"},
        grader={"base_url": "https://b.example/v1", "model": "third"},
    )
    critic, grader = endpoints.endpoint_for(Purpose.CRITIC), endpoints.endpoint_for(Purpose.GRADER)
    assert (critic.name, critic.base_url, critic.model, critic.key) == (
        "critic",
        "https://a.example/v1",
        "other",
        "k",
    )
    assert critic.quirks.name == "vllm"
    assert (grader.host, grader.key, grader.quirks.name) == ("b.example", "", "generic")


def test_who_gathers_follows_what_is_set_unless_it_is_said(settings: Any) -> None:
    settings.MODEL_ENDPOINTS = endpoint_settings()
    settings.INVESTIGATOR = "auto"
    assert endpoints.investigator() == "playbook"
    settings.MODEL_ENDPOINTS = endpoint_settings(default={"base_url": "http://localhost/v1", "model": "m"})
    assert endpoints.investigator() == "model"
    settings.INVESTIGATOR = "playbook"
    assert endpoints.investigator() == "playbook"


def test_nothing_is_sent_to_a_host_of_which_nobody_recorded_whose_it_is(
    settings: Any, administrator: User
) -> None:
    # Never reached: the port is closed, and an exchange would be kept.
    settings.MODEL_ENDPOINTS = endpoint_settings(
        default={"base_url": "https://127.0.0.1.nip.example:9/v1", "model": "m"}
    )
    model = endpoints.model_for(Purpose.ASK, investigation=None, incident=None)
    with pytest.raises(EndpointRefused, match=r"nobody has recorded who hosts 127\.0\.0\.1\.nip\.example:9"):
        model.reply(talk("hello"))
    assert Exchange.objects.count() == 0


def test_a_recorded_word_opens_a_host_and_taking_it_back_closes_it_for_what_is_running(
    settings: Any, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted.endpoint(lambda _: says("x")) as server:
        # What is not local is reached through a company's proxy, where one is set.
        monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
        settings.MODEL_ENDPOINTS = endpoint_settings(
            default={"base_url": "http://models.example:81/v1", "model": "m"}
        )
        model, now = endpoints.model_for(Purpose.ASK, investigation=None, incident=None), timezone.now()
        with pytest.raises(EndpointRefused):
            model.reply(talk("hello"))
        terms.record("models.example:81", hosted_by="Us", terms="Ours, read", by=administrator, now=now)
        assert model.reply(talk("hello")).text == "x"
        terms.end("models.example:81", by=administrator, now=now)
        with pytest.raises(EndpointRefused):
            model.reply(talk("hello"))
        assert len(server.requests) == 1


@pytest.mark.parametrize("role", [Group.SUPPORT, Group.MANAGER, Group.AUDITOR])
def test_whoever_is_no_administrator_records_nothing(role: Group, make_user: Callable[..., User]) -> None:
    with pytest.raises(terms.TermsRefused, match="administrators"):
        terms.record(
            "a.example", hosted_by="x", terms="y", by=make_user("eve", role=role), now=timezone.now()
        )


@pytest.mark.parametrize(("hosted_by", "words"), [("", "read"), ("  \n", "read"), ("Us", ""), ("Us", " ")])
def test_a_word_that_says_nothing_is_refused(administrator: User, hosted_by: str, words: str) -> None:
    with pytest.raises(terms.TermsRefused, match="Say both"):
        terms.record("a.example", hosted_by=hosted_by, terms=words, by=administrator, now=timezone.now())


def test_a_word_is_audited_when_it_is_given_and_when_it_is_taken_back(administrator: User) -> None:
    before = Entry.objects.count()
    now = timezone.now()
    terms.record("a.example", hosted_by="A Ltd", terms="DPA of May", by=administrator, now=now)
    with pytest.raises(terms.TermsRefused, match="its word already"):
        terms.record("a.example", hosted_by="A Ltd", terms="DPA of May", by=administrator, now=now)
    terms.end("a.example", by=administrator, now=now)
    with pytest.raises(terms.TermsRefused, match="Nothing is recorded"):
        terms.end("a.example", by=administrator, now=now)
    kinds = list(Entry.objects.order_by("pk").values_list("kind", flat=True))[before:]
    assert kinds == ["endpoint.permitted", "endpoint.forbidden"]
