"""What model servers send is read strictly where it matters, and patiently where they differ."""

import json
from typing import Any

import pytest

from investigations import quirks, replied
from investigations.budget import Prices
from investigations.replied import ReplyUnreadable, Sent, Stream
from investigations.streamed import Shown, events
from investigations.talk import Finish, ToolCall

GENERIC = quirks.named("")
SENT = Sent(asked=40, allowed=500)


def read(message: Any, *, finish: Any = "stop", usage: Any = None, kind: str = "", sent: Sent = SENT) -> Any:
    whole = {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}
    return replied.reply(whole, quirks.named(kind), sent)


@pytest.mark.parametrize(
    "whole",
    [
        None,
        [],
        "text",
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{"message": "hello"}]},
        {"choices": [{"delta": {"content": "x"}}]},
        {"error": {"message": "overloaded"}},
        {"choices": [{"message": {"tool_calls": "find_job"}}]},
        {"choices": [{"message": {"tool_calls": [None]}}]},
        {"choices": [{"message": {"tool_calls": [{"id": "1"}]}}]},
        {"choices": [{"message": {"tool_calls": [{"function": {"name": "x"}}] * 65}}]},
    ],
)
def test_what_is_no_completion_is_never_read_as_an_empty_answer(whole: Any) -> None:
    with pytest.raises(ReplyUnreadable):
        replied.reply(whole, GENERIC, SENT)


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a": NaN}', b"[" * 100_000, b"\xff\xfe", b'{"a": 1} {"b": 2}'])
def test_a_body_that_is_not_one_json_value_is_unreadable(raw: bytes) -> None:
    with pytest.raises(ReplyUnreadable):
        replied.loads(raw)


@pytest.mark.parametrize("word", ["length", "max_tokens", "MAX_TOKENS", "model_length", "incomplete"])
def test_each_servers_word_for_a_cut_reply_means_cut_off(word: str) -> None:
    assert read({"content": '{"hypothesis": "x"}'}, finish=word).finish is Finish.CUT_OFF


@pytest.mark.parametrize("word", [None, "", "Stop", "done", 7, ["stop"]])
def test_an_end_for_a_reason_that_nobody_gives_is_unknown(word: Any) -> None:
    assert read({"content": "x"}, finish=word).finish is Finish.UNKNOWN


def test_a_reply_that_used_all_its_tokens_is_cut_off_even_when_it_says_that_it_calls_tools() -> None:
    call = {"id": "1", "function": {"name": "find_job", "arguments": '{"a": 1}'}}
    usage = {"prompt_tokens": 9, "completion_tokens": 500}
    assert read({"tool_calls": [call]}, finish="tool_calls", usage=usage).finish is Finish.CUT_OFF


@pytest.mark.parametrize(
    ("message", "finish"),
    [
        ({"content": None, "refusal": "I can't help with that."}, "stop"),
        ({"content": "So"}, "content_filter"),
        ({"content": "So"}, "SAFETY"),
    ],
)
def test_a_refusal_is_an_outcome_of_its_own(message: Any, finish: str) -> None:
    assert read(message, finish=finish).finish is Finish.REFUSED


@pytest.mark.parametrize("content", [None, "", 7, {"text": "x"}, [{"type": "image"}], [None]])
def test_reasoning_beside_an_empty_answer_is_not_taken_for_the_answer(content: Any) -> None:
    said = {"content": content, "reasoning_content": '{"hypothesis": "x"}', "reasoning": "because"}
    assert read(said).text == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a {brace}</think>\n{}", "{}"),
        ("\n<think>never closed {}", ""),
        ("a <think> in the middle", "a <think> in the middle"),
    ],
)
def test_reasoning_before_the_answer_is_taken_off(text: str, left: str) -> None:
    assert read({"content": text}).text == left


def test_parts_of_a_text_are_joined() -> None:
    assert read({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}).text == "ab"


def test_calls_without_an_id_or_with_the_same_one_get_ids_of_ours() -> None:
    made = [
        {"id": "call_1", "function": {"name": "a", "arguments": "{}"}},
        {"id": "call_1", "function": {"name": "b"}},
        {"function": {"name": "c", "arguments": None}},
        {"id": 7, "function": {"name": "d", "arguments": {"x": 1}}},
    ]
    calls = read({"content": None, "tool_calls": made}, finish="stop").calls
    assert [call.name for call in calls] == ["a", "b", "c", "d"]
    assert len({call.id for call in calls}) == 4
    assert [call.arguments for call in calls] == ["{}", "", "", '{"x": 1}']


def test_a_reply_that_calls_tools_and_says_stop_calls_tools() -> None:
    said = {"tool_calls": [{"id": "1", "function": {"name": "a", "arguments": "{}"}}]}
    assert read(said, finish="stop").finish is Finish.TOOL_CALLS


def test_the_older_form_of_a_call_is_one_call() -> None:
    said = {"content": None, "function_call": {"name": "a", "arguments": "{}"}}
    assert read(said, finish="function_call").calls == (ToolCall("call_1", "a", "{}"),)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {},
        {"prompt_tokens": -4, "completion_tokens": True},
        {"prompt_tokens": "9"},
        {"prompt_tokens": 1e9},
    ],
)
def test_tokens_that_the_server_does_not_count_are_estimated_and_paid_for(usage: Any) -> None:
    sent = Sent(asked=40, allowed=500, prices=Prices(1_000_000, 2_000_000))
    spent = read({"content": "x" * 250}, usage=usage, sent=sent).spent
    assert (spent.tokens_in, spent.tokens_out, spent.micros) == (40, 101, 242)


def test_tokens_that_the_server_counts_are_paid_for_rounded_up() -> None:
    sent = Sent(asked=1, allowed=500, prices=Prices(150_000, 600_000))
    spent = read({"content": "x"}, usage={"prompt_tokens": 7, "completion_tokens": 1}, sent=sent).spent
    assert (spent.tokens_in, spent.tokens_out, spent.micros) == (7, 1, 2)


def delta(**more: Any) -> dict[str, Any]:
    return {"choices": [{"delta": more, "finish_reason": None}]}


def streamed(*parts: Any, finish: Any = "stop") -> dict[str, Any]:
    stream = Stream()
    for part in [*parts, {"choices": [{"delta": {}, "finish_reason": finish}]}]:
        stream.add(json.dumps(part).encode())
    return stream.whole()


def piece(**more: Any) -> dict[str, Any]:
    return delta(tool_calls=[more])


def test_parallel_calls_that_come_interleaved_keep_their_own_names_and_arguments() -> None:
    whole = streamed(
        piece(index=0, id="a", function={"name": "one", "arguments": ""}),
        piece(index=1, id="b", function={"name": "two", "arguments": ""}),
        piece(index=1, function={"arguments": '{"y"'}),
        piece(index=0, function={"arguments": '{"x"'}),
        piece(index=0, function={"arguments": ": 1}"}),
        piece(index=1, function={"arguments": ": 2}"}),
    )
    calls = replied.reply(whole, GENERIC, SENT).calls
    assert calls == (ToolCall("a", "one", '{"x": 1}'), ToolCall("b", "two", '{"y": 2}'))


def test_whole_calls_that_all_come_under_index_0_stay_apart_by_their_ids() -> None:
    whole = streamed(
        piece(index=0, id="a", function={"name": "one", "arguments": "{}"}),
        piece(index=0, id="b", function={"name": "two", "arguments": "[]"}),
    )
    calls = replied.reply(whole, GENERIC, SENT).calls
    assert calls == (ToolCall("a", "one", "{}"), ToolCall("b", "two", "[]"))


def test_calls_without_an_index_are_continued_in_their_order() -> None:
    whole = streamed(
        piece(id="a", function={"name": "one", "arguments": "{"}),
        piece(function={"arguments": "}"}),
        piece(id="b", function={"name": "two"}),
    )
    calls = replied.reply(whole, GENERIC, SENT).calls
    assert calls == (ToolCall("a", "one", "{}"), ToolCall("b", "two", ""))


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[]",
        b'{"error": {"message": "x"}}',
        b'{"choices": [7]}',
        b'{"choices": [{"delta": {"tool_calls": [7]}}]}',
        b'{"choices": [{"delta": {"tool_calls": [{"index": [0], "id": "a"}]}}]}',
        b'{"choices": [{"delta": {"tool_calls": [{"index": {}, "id": "a"}]}}]}',
    ],
)
def test_an_event_that_cannot_be_read_makes_the_whole_reply_unreadable(data: bytes) -> None:
    with pytest.raises(ReplyUnreadable):
        Stream().add(data)


def test_what_was_cut_off_is_not_whole_because_a_later_event_says_so() -> None:
    cut = {"choices": [{"delta": {"content": "{}"}, "finish_reason": "length"}]}
    assert replied.reply(streamed(cut), GENERIC, SENT).finish is Finish.CUT_OFF


def test_a_stream_that_breaks_off_is_no_reply() -> None:
    stream = Stream()
    stream.add(json.dumps(delta(content="half an ans")).encode())
    with pytest.raises(ReplyUnreadable, match="broke off"):
        stream.whole()


def test_events_are_found_however_the_network_cuts_them() -> None:
    raw = b': ping\r\n\r\ndata: {"a": 1}\r\n\r\nevent: x\ndata:{"b": 2}\n\ndata: [DONE]\n\ndata: {"cut'
    for size in range(1, len(raw)):
        pieces = (raw[place : place + size] for place in range(0, len(raw), size))
        assert list(events(pieces)) == [b'{"a": 1}', b'{"b": 2}', b"[DONE]"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>hidden</think>\nseen", "seen"),
        ("<thin ice", "<thin ice"),
        ("plain", "plain"),
        ("<think>never closed", ""),
    ],
)
def test_reasoning_is_not_shown_while_it_comes(text: str, shown: str) -> None:
    for size in (1, 3, 100):
        seen: list[str] = []
        shows = Shown(seen.append, GENERIC.thinking)
        for place in range(0, len(text), size):
            shows.add(text[place : place + size])
        assert "".join(seen) == shown
