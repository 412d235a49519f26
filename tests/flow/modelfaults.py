"""What models have been seen to send, each as a script with the ending it must have."""

import json
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from investigations.states import RunResult
from tests import scripted
from tests.scripted import Request, Scripted, calls, cut_off, finishing, message, refuses, says, status

FIND = ("find_job", '{"job_id": "job-1"}')
OTHER = ("find_job", '{"job_id": "job-2"}')
THIRD = ("find_job", '{"job_id": "job-3"}')
FINAL = {"version": 1, "hypothesis": "none_of_these", "findings": [], "draft": "Looked, and found nothing."}
DONE = says(json.dumps(FINAL))


def final(**changes: Any) -> Scripted:
    """Return a submission with changes."""
    return says(json.dumps({**FINAL, **changes}))


@dataclass(frozen=True)
class Fault:
    """A script by which a model misbehaves, its ending, and which questions are really put to a tool."""

    script: Sequence[Scripted]
    result: RunResult
    asked: Sequence[str] = ()  # the job ids of calls that ran
    refused: int = 0  # calls that are recorded as refused
    unreadable: int = 0  # calls that are recorded as unreadable
    told: str = ""  # stands in what the model is told afterwards


_FIRST, _REPAIRED, _FALLBACK = RunResult.FIRST_PASS, RunResult.REPAIRED, RunResult.FALLBACK
_AGAIN = "Send the call again"
_NO_TEXT = message({"role": "assistant", "content": None, "reasoning_content": '{"hypothesis": "x"}'})

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
_HUGE = scripted.raw(_HEAD + b"x" * 10_000_000)
_CALL = {"type": "function", "function": {"name": FIND[0], "arguments": FIND[1]}}


def _whole(sent: Mapping[str, Any], finish: str) -> Scripted:
    """Return a reply that comes in one piece: in the usual small ones a large one would take its time."""
    told = {
        "model": "scripted-1",
        "choices": [{"message": {"role": "assistant", **sent}, "finish_reason": finish}],
    }
    return scripted.raw(_HEAD + json.dumps(told).encode())


def _at_once(**changes: Any) -> Scripted:
    return _whole({"content": json.dumps({**FINAL, **changes})}, "stop")


def _talks_on(piece: bytes) -> Scripted:
    """Return a stream that says this again and again, for longer than anybody listens."""
    delta = piece if piece.startswith(b"{") else b'{"content": "%s"}' % piece
    event = b'data: {"choices": [{"delta": %s}]}\n\n' % delta if piece else b": still here\n\n"
    head = _HEAD.replace(b"application/json", b"text/event-stream")
    return scripted.raw(head + event * (9_000_000 // len(event)))


def _named_in(*pieces: str) -> Scripted:
    """Return a stream with one call, whose tool's name comes in these pieces."""
    calls = [{"index": 0, "id": "a", "function": {"name": each, "arguments": ""}} for each in pieces]
    calls[-1]["function"] = {"name": pieces[-1], "arguments": FIND[1]}
    choices: list[object] = [{"delta": {"tool_calls": [each]}, "finish_reason": None} for each in calls]
    choices.append({"delta": {}, "finish_reason": "tool_calls"})
    events = [{"choices": [choice]} for choice in choices]
    body = b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in events)
    return scripted.raw(_HEAD.replace(b"application/json", b"text/event-stream") + body)


_FLOOD = _whole({"content": None, "tool_calls": [_CALL] * 10_000}, "tool_calls")

FAULTS: Mapping[str, Fault] = {
    "arguments cut in the middle": Fault(
        [calls(("find_job", '{"job_id": "pro')), DONE], _FIRST, unreadable=1, told=_AGAIN
    ),
    "arguments with one brace too many": Fault(
        [calls(("find_job", '{"job_id": "job-1"}}')), DONE], _FIRST, unreadable=1, told=_AGAIN
    ),
    "arguments encoded twice": Fault(
        [calls(("find_job", json.dumps('{"job_id": "job-1"}'))), DONE], _FIRST, asked=["job-1"]
    ),
    "arguments encoded three times": Fault(
        [calls(("find_job", json.dumps(json.dumps('{"job_id": "job-1"}')))), DONE], _FIRST, unreadable=1
    ),
    "arguments left out": Fault([calls(("find_job", None)), DONE], _FIRST, unreadable=1),
    "arguments that are empty": Fault([calls(("find_job", "")), DONE], _FIRST, unreadable=1),
    "arguments that are null": Fault([calls(("find_job", "null")), DONE], _FIRST, unreadable=1),
    "arguments with a doubled key": Fault(
        [calls(("find_job", '{"job_id": "job-1", "job_id": "job-2"}')), DONE], _FIRST, unreadable=1
    ),
    "arguments with one that nobody declares": Fault(
        [calls(("find_job", '{"job_id": "job-1", "tenant": "x"}')), DONE], _FIRST, refused=1
    ),
    "arguments of another type": Fault([calls(("find_job", '{"job_id": 7}')), DONE], _FIRST, refused=1),
    "a cut off call, length": Fault(
        [finishing(calls(FIND), "length"), DONE], _FIRST, unreadable=1, told="did not end"
    ),
    "a cut off call, max_tokens": Fault([finishing(calls(FIND), "max_tokens"), DONE], _FIRST, unreadable=1),
    "a cut off call, MAX_TOKENS": Fault([finishing(calls(FIND), "MAX_TOKENS"), DONE], _FIRST, unreadable=1),
    "a call that says it stopped": Fault([finishing(calls(FIND), "stop"), DONE], _FIRST, asked=["job-1"]),
    "a call that ended nobody knows how": Fault([finishing(calls(FIND), None), DONE], _FIRST, unreadable=1),
    "arguments with half of a character": Fault(
        [calls(("find_job", '{"job_id": "\\ud83d"}')), DONE], _FIRST, unreadable=1, told=_AGAIN
    ),
    "a call whose place is no number": Fault(
        [
            scripted.raw(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                b'data: {"choices": [{"delta": {"tool_calls": [{"index": [0], "id": "a"}]}}]}\n\n'
            ),
            DONE,
        ],
        _FIRST,
    ),
    "a call whose tool's name comes in pieces": Fault(
        [_named_in("find_", "job"), DONE], _FIRST, asked=["job-1"]
    ),
    "a call whose tool's name comes again": Fault(
        [_named_in(*["find_job"] * 3), DONE], _FIRST, asked=["job-1"]
    ),
    "a call whose tool's name goes on": Fault([_named_in("find_job", "s"), DONE], _FIRST, refused=1),
    "three calls at once": Fault(
        [calls(FIND, OTHER, THIRD), DONE], _FIRST, asked=["job-1", "job-2", "job-3"]
    ),
    "three calls at once, one unreadable": Fault(
        [calls(FIND, ("find_job", "{"), THIRD), DONE], _FIRST, asked=["job-1", "job-3"], unreadable=1
    ),
    "calls that share one id": Fault(
        [
            message(
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "x", "type": "function", "function": {"name": name, "arguments": arguments}}
                        for name, arguments in (FIND, OTHER)
                    ],
                },
                finish="tool_calls",
            ),
            DONE,
        ],
        _FIRST,
        asked=["job-1", "job-2"],
    ),
    "a tool that there is not": Fault(
        [calls(("kubectl_delete", '{"name": "db"}')), DONE], _FIRST, refused=1, told="There is no tool"
    ),
    "a tool with a name that is no name": Fault(
        [calls(("<|im_start|>find_job\n", '{"job_id": "job-1"}')), DONE], _FIRST, refused=1
    ),
    "an empty answer": Fault([says(""), DONE], _REPAIRED, told="no text"),
    "nothing but spaces, twice": Fault([says("  \n"), says("\t")], _FALLBACK),
    "an answer in the reasoning alone": Fault([_NO_TEXT, _NO_TEXT], _FALLBACK),
    "a refusal": Fault([refuses("I can't help with that.")], RunResult.REFUSED),
    "a refusal after a call": Fault(
        [calls(FIND), refuses("I can't help with that.")], RunResult.REFUSED, asked=["job-1"]
    ),
    "a content filter": Fault([says("", finish="content_filter")], RunResult.REFUSED),
    "a content filter with a call": Fault([finishing(calls(FIND), "content_filter")], RunResult.REFUSED),
    "prose around fenced JSON": Fault(
        [says(f"Here you are:\n```json\n{json.dumps(FINAL)}\n```\nBye."), DONE], _REPAIRED
    ),
    "fenced JSON": Fault([says(f"```json\n{json.dumps(FINAL)}\n```")], _FIRST),
    "two objects": Fault([says(json.dumps(FINAL) * 2), DONE], _REPAIRED, told="something follows"),
    "prose, twice": Fault([says("It is harmless."), says("It really is.")], _FALLBACK),
    "a hypothesis in capitals": Fault([final(hypothesis="NONE_OF_THESE"), DONE], _REPAIRED),
    "a hypothesis with a dot": Fault([final(hypothesis="none_of_these."), DONE], _REPAIRED),
    "a hypothesis that nobody wrote a rule for": Fault(
        [final(hypothesis="gremlins"), final(hypothesis="gremlins")], _FALLBACK
    ),
    "a verdict of its own": Fault([final(verdict="pass"), final(confidence=0.99)], _FALLBACK),
    "NaN in a submission": Fault([says(json.dumps(FINAL)[:-1] + ', "x": NaN}'), DONE], _REPAIRED),
    "a doubled key in a submission": Fault(
        [says(json.dumps(FINAL)[:-1] + ', "draft": ""}'), DONE], _REPAIRED
    ),
    "an answer that is cut off though it parses": Fault([cut_off(json.dumps(FINAL)), DONE], _REPAIRED),
    "an answer that is cut off, twice": Fault(
        [cut_off(json.dumps(FINAL)[:40]), cut_off(json.dumps(FINAL))], RunResult.CUT_OFF
    ),
    "an answer that ended nobody knows how": Fault(
        [finishing(DONE, None), finishing(DONE, "some_new_word")], _FALLBACK
    ),
    "a call in place of the repair": Fault([says("no"), calls(FIND)], _FALLBACK),
    "the same call for ever": Fault([calls(FIND)] * 9, _FALLBACK, asked=["job-1"]),
    "two calls in turn for ever": Fault([calls(FIND), calls(OTHER)] * 5, _FALLBACK, asked=["job-1", "job-2"]),
    "other calls for ever": Fault(
        [calls(("find_job", json.dumps({"job_id": f"job-{number}"}))) for number in range(30)],
        _FALLBACK,
        asked=[f"job-{number}" for number in range(7)],
    ),
    "unreadable calls for ever": Fault([calls(("find_job", "{"))] * 9, _FALLBACK, unreadable=2),
    "a citation of an entry of nobody's": Fault(
        [final(findings=[{"fact": "job_completed", "entry": 999_999_999, "note": "seen"}])], _FIRST
    ),
    "NUL and a lone surrogate": Fault([says(json.dumps({**FINAL, "draft": "a\u0000b\ud83d"}))], _FIRST),
    "a server that is busy": Fault(
        [status(429, retry_after=0.1), calls(FIND), DONE], _FIRST, asked=["job-1"]
    ),
    "a server that fails once": Fault([status(500), DONE], _FIRST),
    "a server that fails for ever": Fault([status(503)] * 9, RunResult.ENDPOINT_DOWN),
    "a server that fails after a call": Fault(
        [calls(FIND), *([status(500)] * 9)], RunResult.ENDPOINT_DOWN, asked=["job-1"]
    ),
    "a server that does not know the key": Fault([status(401)], RunResult.ENDPOINT_DOWN),
    "a server that sends us elsewhere": Fault([status(302)], RunResult.ENDPOINT_DOWN),
    "an answer that breaks off": Fault([scripted.drops_after(60, DONE), DONE], _FIRST),
    "an answer that is no JSON": Fault(
        [
            scripted.raw(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{{{"
            ),
            DONE,
        ],
        _FIRST,
    ),
    "ten megabytes": Fault([_HUGE, DONE], _FIRST),
    "ten megabytes, for ever": Fault([_HUGE] * 9, RunResult.ENDPOINT_DOWN),
    "ten thousand calls at once": Fault([_FLOOD, DONE], _FIRST),
    "as many calls as are read, all the same": Fault([calls(*[FIND] * 64)], _FALLBACK, asked=["job-1"]),
    "a tool in letters that look alike": Fault(
        [calls(("find_j\u043eb", FIND[1])), DONE], _FIRST, refused=1, told="There is no tool"
    ),
    "a tool with a letter that nobody sees": Fault(
        [calls(("find_job\u200b", FIND[1])), DONE], _FIRST, refused=1, told="There is no tool"
    ),
    "a tool in wide letters and capitals": Fault(
        [calls(("\uff46ind_job", FIND[1]), ("FIND_JOB", FIND[1])), DONE], _FIRST, refused=2
    ),
    "tools that write": Fault(
        [calls(("restart_job", FIND[1]), ("approve", '{"request": 1}'), ("submit", "{}")), DONE],
        _FIRST,
        refused=3,
    ),
    # Too long to be said again whole beside what is wrong with it: its beginning is, and that is mended.
    "a draft of 200 KB": Fault([_at_once(draft="x" * 200_000), DONE], _REPAIRED, told="left out here"),
    "a draft of 200 KB, twice": Fault([_at_once(draft="x" * 200_000)] * 2, _FALLBACK),
    # That alone is more than a run may spend.
    "a draft of 4 MB": Fault([_at_once(draft="x" * 4_000_000), DONE], _FALLBACK),
    "an answer in pieces that goes on": Fault([_talks_on(b"x" * 500), DONE], _REPAIRED, told="was cut off"),
    "an answer in crumbs that goes on": Fault(
        [_talks_on(b'{"content": "x", "pad": "%s"}' % (b"." * 2_000)), DONE], _REPAIRED, told="was cut off"
    ),
    "an answer that goes on, twice": Fault([_talks_on(b"x" * 500)] * 2, RunResult.CUT_OFF),
    "a call whose arguments go on": Fault(
        [_talks_on(b'{"tool_calls": [{"index": 0, "function": {"arguments": "%s"}}]}' % (b"x" * 500)), DONE],
        _FIRST,
        unreadable=1,
        told="did not end",
    ),
    "signs of life for ever, and no word": Fault([_talks_on(b""), DONE], _FIRST),
    "a draft that is too long": Fault([_at_once(draft="x" * 20_001), DONE], _REPAIRED, told="is too long"),
    "an action with 200 KB of arguments": Fault(
        [
            _at_once(proposed_actions=[{"action": "x", "arguments": {"x": "y" * 200_000}, "why": "z"}]),
            DONE,
        ],
        _REPAIRED,
    ),
    "a supposition with markup": Fault([final(proposed_hypothesis="<img src=x onerror=alert(1)>")], _FIRST),
    "a reply by another model": Fault([says(json.dumps(FINAL), model="other-9\u202e<b>")], _FIRST),
    "a stream that never ends": Fault([scripted.dribbles(0.02, DONE)] * 9, RunResult.ENDPOINT_DOWN),
    "a server that says nothing": Fault([scripted.slow(9, DONE)] * 9, RunResult.ENDPOINT_DOWN),
}


@dataclass
class Misbehaving:
    """The endpoint's script: each incident's requests are answered from the script that its title names."""

    seen: Counter[str] = field(default_factory=Counter)
    requests: dict[str, list[Request]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    faults: Mapping[str, Fault] = field(default_factory=lambda: FAULTS)

    def __call__(self, request: Request) -> Scripted:
        """Return the next reply to this incident's run."""
        told = request.text
        name = next((each for each in self.faults if f"fault: {each}." in told), "")
        with self.lock:
            self.requests.setdefault(name, []).append(request)
            place, self.seen[name] = self.seen[name], self.seen[name] + 1
        script = self.faults[name].script if name else []
        return script[place] if place < len(script) else status(400)


def unpaired(requests: Sequence[Request]) -> list[str]:
    """Return what is wrong with the pairing of calls and answers in what was sent to a server."""
    wrong = []
    for request in requests:
        wanted: list[str] = []
        for each in request.messages:
            if each["role"] == "tool":
                if each["tool_call_id"] not in wanted:
                    wrong.append(f"an answer to {each['tool_call_id']}, which nobody asked")
                else:
                    wanted.remove(each["tool_call_id"])
            elif wanted:
                wrong.append(f"no answer to {wanted}")
            if each["role"] == "assistant":
                wanted = [call["id"] for call in each.get("tool_calls") or ()]
    return wrong
