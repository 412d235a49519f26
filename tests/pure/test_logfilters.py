"""A refusal by role is one line of the log; a failure keeps its stack."""

import logging
import sys

import pytest

from triage.logfilters import RefusalInOneLine


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
