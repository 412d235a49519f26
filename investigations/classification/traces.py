"""Whether a text quotes a stack trace, by the shapes that the common languages print. Pure.

One frame is enough where its line can be nothing else; where prose may look like one, two are asked for.
"""

import re

_QUOTE = r"^[ \t>|]{0,40}"
_FILE = r"[^\s:()\"']{1,200}"
_PLACE = rf"(?:[a-z-]+:/*)?{_FILE}:\d+:\d+"
_END = r"[ \t\r]*$"
_JVM = r"[\w$-]+\.(?:java|kt|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source"

# Language, how many frames it takes, and a frame.
_SHAPES: tuple[tuple[str, int, str], ...] = (
    ("Python", 1, rf"{_QUOTE}File \"[^\"\n]{{1,300}}\", line \d+(?:, in \S+)?"),
    ("Java or Kotlin", 1, rf"{_QUOTE}at [\w$.<>/@-]{{1,300}}\((?:{_JVM})\)"),
    ("JavaScript", 1, rf"{_QUOTE}at (?:async )?(?:[^\n(]{{1,200}} \()?{_PLACE}\)?{_END}"),
    ("JavaScript", 2, rf"{_QUOTE}[\w$.<>/]{{0,200}}@{_PLACE}{_END}"),
    ("C#", 1, rf"{_QUOTE}at [\w.<>`+\[\],]{{1,300}}\([^\n)]{{0,300}}\) in [^\n]{{1,300}}:line \d+"),
    (
        "C#",
        2,
        rf"^[ \t>|]{{1,40}}at [\w<>`+]{{1,100}}(?:\.[\w<>`+]{{1,100}}){{1,20}}\([^\n)]{{0,300}}\){_END}",
    ),
    ("Go", 1, rf"{_QUOTE}goroutine \d+ \[[^\]\n]{{1,80}}\]:"),
    ("Go", 1, r"^[ \t>|]{1,40}/?[^\s:]{1,200}\.go:\d+ \+0x[0-9a-f]+"),
    ("Rust", 1, r"thread '[^'\n]{0,200}' (?:\(\d+\) )?panicked at "),
    ("Rust", 1, rf"{_QUOTE}\d+: [^\n]{{1,300}}\n[ \t>|]{{1,40}}at [^\s:]{{1,300}}\.rs:\d+"),
    ("Ruby", 1, rf"{_QUOTE}(?:from |\d+: from )?[^\s:]{{1,300}}\.rb:\d+:in [`'][^'\n]{{1,200}}'"),
    ("PHP", 1, rf"{_QUOTE}#\d+ (?:[^\s(]{{1,300}}\(\d+\): |\{{main\}})"),
    ("C or C++", 1, rf"{_QUOTE}#\d+[ \t]+(?:0x[0-9a-f]+ in )?[^\n]{{1,200}}? \([^\n)]{{0,300}}\)"),
    ("Elixir", 1, rf"{_QUOTE}\([\w.]+ [\d.]+\) [^\s:]{{1,200}}\.exs?:\d+: "),
    ("Swift or Objective-C", 2, rf"{_QUOTE}\d+ +\S+ +0x[0-9a-f]{{6,16}} \S+"),
    ("Perl", 2, rf"{_QUOTE}\S[^\n]{{0,200}} called at \S+ line \d+"),
)
_FRAMES = tuple((language, least, re.compile(frame, re.MULTILINE)) for language, least, frame in _SHAPES)


def found_in(text: str) -> str:
    """Return the language whose stack trace a text quotes, or an empty text."""
    for language, least, frame in _FRAMES:
        for count, _ in enumerate(frame.finditer(text), start=1):
            if count >= least:
                return language
    return ""
