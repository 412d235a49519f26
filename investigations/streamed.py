"""A reply that comes in server-sent events: the events, and the text that is shown of them. Pure."""

from collections.abc import Callable, Iterator


def events(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the data of each event. Comments and other fields, which some send to keep alive, are skipped,
    and so is one that the connection's end cut."""
    pending = b""
    for chunk in chunks:
        *lines, pending = (pending + chunk).replace(b"\r\n", b"\n").split(b"\n")
        yield from (line[5:].strip() for line in lines if line.startswith(b"data:"))


class Shown:
    """Hands on an answer's text as it comes, without the reasoning that may stand before it."""

    def __init__(self, on_text: Callable[[str], None] | None, thinking: tuple[str, ...]) -> None:
        """`thinking` are the marks around that reasoning, if the server has any."""
        self._on_text = on_text
        self._marks = thinking if len(thinking) == 2 else ("", "")
        self._shown = 0
        self.begin_again()

    def begin_again(self) -> None:
        """Expect the answer from its beginning: as much as was shown of it already is left out."""
        self._held = ""
        self._is_open = not self._marks[0]
        self._skip = self._shown

    def add(self, text: str) -> None:
        """Take in the next piece."""
        if not self._is_open:
            text = self._after_thinking(text)
        fresh = text[self._skip :]
        self._skip = max(0, self._skip - len(text))
        if fresh and self._on_text is not None:
            self._shown += len(fresh)
            self._on_text(fresh)

    def _after_thinking(self, text: str) -> str:
        self._held += text
        begin, close = self._marks
        start = self._held.lstrip()
        if begin.startswith(start[: len(begin)]) and len(start) < len(begin):
            return ""  # it may be the beginning of the mark
        if start.startswith(begin):
            if close not in start:
                return ""
            start = start.partition(close)[2].lstrip()
            if not start:
                return ""
        self._is_open, self._held = True, ""
        return start
