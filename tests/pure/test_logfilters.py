"""A refusal by role is one line of the log; a failure keeps its stack; neither holds a secret."""

import logging
import sys

import pytest

from triage.logfilters import MaskedLine, RefusalInOneLine


def _record(**more: int) -> logging.LogRecord:
    try:
        raise PermissionError("not by this role")
    except PermissionError:
        record = logging.LogRecord("django.request", 30, __file__, 1, "Forbidden: /rules", (), sys.exc_info())
    record.__dict__.update(more)
    return record


@pytest.mark.parametrize(("more", "lines"), [({"status_code": 403}, 1), ({"status_code": 404}, 1)])
def test_a_refusal_is_one_line(more: dict[str, int], lines: int) -> None:
    record = _record(**more)
    assert RefusalInOneLine().filter(record)
    assert len(logging.Formatter().format(record).splitlines()) == lines


@pytest.mark.parametrize("more", [{"status_code": 500}, {}])
def test_a_failure_keeps_its_stack(more: dict[str, int]) -> None:
    record = _record(**more)
    assert RefusalInOneLine().filter(record)
    assert "PermissionError" in logging.Formatter().format(record)


def test_no_secret_is_written_neither_in_the_line_nor_in_what_failed() -> None:
    secret = "gh" + "p_" + "a1B2c3" * 6
    try:
        raise ValueError(f"Failing row contains (7, {secret}, password=Tr0ub4dor).")
    except ValueError:
        record = logging.LogRecord("x", 40, __file__, 1, "not folded: %s", (secret,), sys.exc_info())
    line = MaskedLine().format(record)
    assert "ERROR x: not folded: [redacted: GitHub token]" in line
    assert not {part for part in (secret, "Tr0ub4dor") if part in line}
    assert "Failing row contains (7, " in line
