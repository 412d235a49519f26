"""The placeholders of a declared SQL text, brought into the numbered form that the server itself reads."""

import re

from toolbox.definitions import Statement

_TOKEN = re.compile(r"%(?:\((?P<name>[a-z_][a-z0-9_]*)\)s|(?P<percent>%)|(?P<other>.?))", re.DOTALL)
_CAST_AFTER = re.compile(r"\s*::\s*[a-z_\"]", re.IGNORECASE)
_AS_AFTER = re.compile(r"\s+as\s+[a-z_\"]", re.IGNORECASE)
_CAST_BEFORE = re.compile(r"\bcast\s*\(\s*$", re.IGNORECASE)


class PlaceholderRefused(ValueError):
    """A SQL text has a percent sign or a placeholder that cannot be used; the message says the cure."""


def numbered(sql: str) -> Statement:
    """Return the statement with $1, $2, ... in place of %(name)s, and a percent sign for each %%.

    Raises PlaceholderRefused for a placeholder without a cast and for any other use of a percent sign.
    """
    names: list[str] = []
    pieces: list[str] = []
    end = 0
    for match in _TOKEN.finditer(sql):
        pieces.append(sql[end : match.start()])
        end = match.end()
        if match["percent"]:
            pieces.append("%")
            continue
        name = match["name"]
        if name is None:
            raise PlaceholderRefused(
                f"{match.group(0)!r} is no placeholder: write %(name)s::type, or %% for a percent sign"
            )
        if not _has_cast(sql[: match.start()], sql[end:]):
            raise PlaceholderRefused(
                f"%({name})s has no cast: write %({name})s::text, ::bigint, ::timestamptz, ..."
            )
        if name not in names:
            names.append(name)
        pieces.append(f"${names.index(name) + 1}")
    pieces.append(sql[end:])
    text = "".join(pieces).strip()
    if "\x00" in text:
        raise PlaceholderRefused("the SQL holds a NUL character: remove it")
    return Statement(text, tuple(names))


def _has_cast(before: str, after: str) -> bool:
    if _CAST_AFTER.match(after):
        return True
    return bool(_CAST_BEFORE.search(before) and _AS_AFTER.match(after))
