"""What others wrote, as a model is shown it: labelled data that can't pose as anything else. Pure.

A label with a random number says where data begins and ends. What a chat template or our own labels are made
of is written in look-alike characters, and what nobody can see is shown as U+FFFD. None of this is a control:
a model that obeys what it reads all the same can still only ask and submit.
"""

import json
import re
import secrets
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolbox.redaction import Cut, Redacted, copy_for_readers

SHOWN = Cut(text=2_000, items=50)
LONGEST = 12_000
# Control, zero-width, bidirectional, variation and tag characters: text for a model alone can hide in them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
# The special tokens of the chat templates in use, and what older models were trained to read as a turn.
_TEMPLATE = re.compile(
    r"<\s*/?\s*(?:[a-z]{2,20}:)?(?:s|bos|eos|pad|unk|mask|sep|cls|sop|eop|eoh|eoa|eosys|system|developer|user|"
    r"assistant|model|observation|admin|instructions?|tools?|tool_calls?|tool_(?:response|result|code|output)s?|"
    r"function|function_calls?|function_results?|invoke|parameters?|think|thinking|start_of_turn|end_of_turn|"
    r"start_of_image|im_start|im_end|(?:extra_id|reserved|special|tokens_unused|unused)_?\d+|data)\b[^<>\n]{0,80}>?"
    r"|<\|[^|<>\n]{0,80}\|?>?|\|>|<｜|｜>|<<\s*/?\s*SYS\s*>>|>>[A-Z]{4,20}<<|\]~!?b[\[\]]|\[e~\["
    r"|\[/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID|SYSTEM_PROMPT|THINK|IMG|"
    r"PREFIX|MIDDLE|SUFFIX|[gs]?MASK|CLS|SEP|BOS|EOS|PAD|UNK)\]"
    r"|^[ \t]*(?:#{1,6}[ \t]*(?:system|instructions?|input|assistant|user|human|response)\b"
    r"|(?:system|assistant|human|user|developer)[ \t]*:)|```",
    re.IGNORECASE | re.MULTILINE,
)
# Wide, bold, italic and other letters and digits that NFKC makes the plain ones, and spaces that are none.
_OTHER_SHAPES = re.compile(
    "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d6a3\U0001d7ce-\U0001d7ff"
    "\U0001fbf0-\U0001fbf9\xa0\u2000-\u200a\u202f\u205f\u3000]"
)
_HEX_LOOK_ALIKE = str.maketrans("аАеЕсСВԁОоΑΒΕΟο", "aAeEcCBd00ABE00")
_WORD_LOOK_ALIKE = str.maketrans("еЕуУіІѕЅΕ", "eEyYiIsSE")
_LIKE_ENTRY = re.compile("[eеEЕΕ]ntr(?:[yуYУ]|[iіIІ][eеEЕ][sѕSЅ])", re.IGNORECASE)
_LIKE_HEX = re.compile(r"(?<![^\W_])[0-9A-Fa-fаАеЕсСВԁОоΑΒΕΟο]{24,32}(?![^\W_])")
_LOOK_ALIKE = str.maketrans("<>|[]#:`｜", "‹›¦⟦⟧＃꞉ˋ¦")
_NAMED = re.compile(r"<data ([0-9a-f]{16}) ")


@dataclass(frozen=True, slots=True)
class Marker:
    """The label of one run: what others wrote stands between `<data N …>` and `</data N>`."""

    nonce: str

    @classmethod
    def of(cls, told: str) -> "Marker":
        """Return the marker that a prompt names; raise LookupError for one that names none."""
        found = _NAMED.search(told)
        if found is None:
            raise LookupError("the prompt of this run names no marker")
        return cls(found[1])

    def data(self, what: str, text: str) -> str:
        """Return a stranger's text as labelled data; `what` says in our words what it is."""
        return f"<data {self.nonce} {what}>\n{self._without_nonce(inert(text))}\n</data {self.nonce}>"

    def _without_nonce(self, text: str) -> str:
        return text.replace(self.nonce, "\ufffd")


def fresh() -> Marker:
    """Return a marker that nobody can have foreseen."""
    return Marker(secrets.token_hex(8))


def inert(text: str) -> str:
    """Return a text in which nothing poses as a turn, a tool call or a label, and nothing is unseen."""
    seen = _SURROGATES.sub("\ufffd", _UNSEEN.sub("\ufffd", text))
    return _TEMPLATE.sub(lambda found: found[0].translate(_LOOK_ALIKE), seen)


def shown(
    value: Any, *, hints: tuple[str, ...] = (), longest: int = LONGEST, masked: Redacted | None = None
) -> str:
    """Return a recorded value as a model is shown it: secrets masked, cut, with totals of what was cut.

    The record stays whole, and checks read the record. `masked` is a copy for readers that was made before.
    """
    beginning, left_out = _beginning(value if masked is None else masked.value)
    if masked is None:
        copied = replace(copy_for_readers(beginning, hints=hints, cut=SHOWN), items_left_out=left_out)
    else:
        copied = _shorter(masked, beginning, left_out)
    text = json.dumps(copied.value, ensure_ascii=False, separators=(",", ":"), default=str)
    note = f"\n[This copy lacks: {copied.note}.{_totals(value)}]" if copied.note else ""
    if len(text) > longest:
        note = f"\n[Cut here: {longest} of {len(text)} characters shown.{_totals(value)}" + (
            f" It also lacks: {copied.note}.]" if copied.note else "]"
        )
        text = text[:longest]
    return text + note


def _beginning(value: Any) -> tuple[Any, int]:
    """Return a value without the items that the cut would leave out anyway, and how many those are.

    Masking all of them would cost as much again. Texts stay whole: a secret may begin in what is shown of one
    and end beyond it.
    """
    if isinstance(value, Mapping):
        parts = {key: _beginning(item) for key, item in value.items()}
        return {key: part for key, (part, _) in parts.items()}, sum(left for _, left in parts.values())
    if isinstance(value, list | tuple):
        items = [_beginning(item) for item in value[: SHOWN.items]]
        return [part for part, _ in items], len(value) - len(items) + sum(left for _, left in items)
    return value, 0


def _shorter(masked: Redacted, beginning: Any, left_out: int) -> Redacted:
    """Return a masked copy with its texts as short as a model's are."""
    value, texts = _cut(beginning)
    return replace(
        masked,
        value=value,
        texts_cut=masked.texts_cut + texts,
        items_left_out=masked.items_left_out + left_out,
    )


def _cut(value: Any) -> tuple[Any, int]:
    if isinstance(value, str) and len(value) > SHOWN.text:
        return f"{value[: SHOWN.text]}… (+{len(value) - SHOWN.text} characters)", 1
    if isinstance(value, Mapping):
        parts = {key: _cut(item) for key, item in value.items()}
        return {key: part for key, (part, _) in parts.items()}, sum(count for _, count in parts.values())
    if isinstance(value, list):
        items = [_cut(item) for item in value]
        return [part for part, _ in items], sum(count for _, count in items)
    return value, 0


def _totals(value: Any) -> str:
    """Say how long each list at the top is, so that what was cut is not taken for all there is."""
    if not isinstance(value, Mapping):
        return ""
    totals = [f"{key} has {len(item)} items" for key, item in value.items() if isinstance(item, list)]
    return f" In the whole record {', '.join(totals[:5])}." if totals else ""


def seen(text: str) -> str:
    """Return a text without what nobody can see in it, for one that people read and ids are looked for in.

    Letters and digits of other shapes (wide, bold) become the plain ones that they look like, and so do those
    of other scripts in the word entry and inside what else is hexadecimal: what reads as an id is one.
    """
    plain = _SURROGATES.sub("\ufffd", _UNSEEN.sub("", text))
    if plain.isascii():
        return plain
    plain = _OTHER_SHAPES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), plain)
    plain = _LIKE_ENTRY.sub(lambda found: found[0].translate(_WORD_LOOK_ALIKE), plain)
    return _LIKE_HEX.sub(lambda found: found[0].translate(_HEX_LOOK_ALIKE), plain)
