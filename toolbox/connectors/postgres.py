"""A PostgreSQL database, asked through its reader role only."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from assay_core.instants import NotAnInstant, as_text, from_text
from assay_core.results import Status
from toolbox.connectors import shaping
from toolbox.connectors.base import Outcome
from toolbox.connectors.pgfailures import (
    ArgumentRefused,
    CannotConnect,
    SessionLost,
    SqlFailure,
    status_and_reason,
)
from toolbox.connectors.pgsession import Fetched, ReadSession, TooLarge
from toolbox.connectors.pool import Pool, PoolBusy
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.definitions import SqlQuestion, Statement, ToolDefinition
from toolbox.values import ValueUnreadable

_CONTROL_BYTES = 65_536
_RESET_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the database said: its rows, and what the control question proved (None: there was none)."""

    fetched: Fetched
    too_large: bool
    control: Mapping[str, Any] | None


class ControlBroken(Exception):
    """The control question did not answer in its form; the message says what was expected."""


class PostgresConnector:
    """One database under one reader role, whose connection string is in the named environment variable."""

    kind = "postgres"

    def __init__(self, name: str, title: str, dsn_env: str, *, connections: int = 4) -> None:
        self.name, self.title, self.dsn_env = name, title, dsn_env
        self._pool: Pool[ReadSession] = Pool(self._connect, connections)

    def _connect(self, deadline: Deadline) -> ReadSession:
        dsn = os.environ.get(self.dsn_env, "").strip()
        if not dsn:
            raise CannotConnect(f"the environment variable {self.dsn_env} is not set")
        return ReadSession.open(dsn, deadline)

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Put the tool's question and its control question in one transaction that is rolled back."""
        if not isinstance(tool.question, SqlQuestion):
            return Outcome(Status.ERROR, reason=f"{tool.name} asks no SQL")
        try:
            answer = self._answer(tool, tool.question, arguments)
            outcome = shaping.shaped(tool, answer.fetched, too_large=answer.too_large)
        except SqlFailure as failure:
            return Outcome(*_pair(failure, self.name))
        except (CannotConnect, PoolBusy, SessionLost) as error:
            reason = "the connection was lost" if isinstance(error, SessionLost) else str(error)
            return Outcome(Status.UNAVAILABLE, reason=f"{self.name}: {reason}")
        except DeadlinePassed as error:
            return Outcome(Status.ERROR, reason=f"{self.name}: the question {error} and was cancelled")
        except ArgumentRefused as error:
            return Outcome(Status.REFUSED, reason=f"an argument cannot be asked: {error}")
        except (ControlBroken, ValueUnreadable) as error:
            return Outcome(Status.ERROR, reason=f"{self.name}: {error}")
        return _weighed(tool, outcome, answer.control, _covered(tool, arguments, called_at))

    def close(self) -> None:
        """Close the idle connections."""
        self._pool.close()

    def _answer(self, tool: ToolDefinition, question: SqlQuestion, arguments: Mapping[str, Any]) -> _Answer:
        deadline = Deadline(tool.limits.seconds)
        session = self._begun(deadline)
        try:
            answer = _put(session, tool, question, arguments, deadline)
            if not answer.too_large:
                session.finish(Deadline(_RESET_SECONDS))
        except SqlFailure:
            self._recover(session)
            raise
        except BaseException:
            session.abandon()
            self._pool.discard(session)
            raise
        if answer.too_large:
            session.abandon()
            self._pool.discard(session)
        else:
            self._pool.give_back(session)
        return answer

    def _begun(self, deadline: Deadline) -> ReadSession:
        """Return a session inside its read-only transaction; one that turns out dead is replaced once."""
        for fresh in (False, True):
            session = self._pool.take(deadline, fresh=fresh)
            try:
                session.begin(deadline)
            except (SqlFailure, SessionLost):
                self._pool.discard(session)
                if fresh:
                    raise
            except BaseException:
                session.abandon()
                self._pool.discard(session)
                raise
            else:
                return session
        raise AssertionError("unreachable: the second try returns or raises")

    def _recover(self, session: ReadSession) -> None:
        """After a refusal by the server: roll back and reset, or discard."""
        try:
            session.finish(Deadline(_RESET_SECONDS))
        except (SqlFailure, SessionLost, DeadlinePassed):
            session.abandon()
            self._pool.discard(session)
        else:
            self._pool.give_back(session)


def _put(
    session: ReadSession,
    tool: ToolDefinition,
    question: SqlQuestion,
    arguments: Mapping[str, Any],
    deadline: Deadline,
) -> _Answer:
    control = None
    if question.control is not None:
        control = _control(session, question.control, arguments, deadline)
    session.declare("assay_answer", question.statement, arguments, deadline)
    rows = 2 if tool.shape == "one" else tool.limits.rows + 1
    try:
        fetched = session.fetch("assay_answer", rows, tool.limits.bytes * 2 + 65_536, deadline)
    except TooLarge as error:
        return _Answer(error.fetched, True, control)
    return _Answer(fetched, False, control)


def _control(
    session: ReadSession, statement: Statement, arguments: Mapping[str, Any], deadline: Deadline
) -> Mapping[str, Any]:
    session.declare("assay_control", statement, arguments, deadline)
    try:
        fetched = session.fetch("assay_control", 2, _CONTROL_BYTES, deadline)
    except TooLarge:
        raise ControlBroken("the control question answers too much") from None
    if len(fetched.rows) != 1:
        raise ControlBroken("the control question does not answer with exactly one row")
    row = dict(zip(fetched.columns, fetched.rows[0], strict=True))
    if not isinstance(row.get("holds"), bool):
        raise ControlBroken("the control question has no boolean column `holds`")
    return row


def _weighed(
    tool: ToolDefinition,
    outcome: Outcome,
    control: Mapping[str, Any] | None,
    covered: Mapping[str, Any] | None,
) -> Outcome:
    """Return the outcome, or `unanswerable` where nothing proves that the place and window hold data."""
    if outcome.status is Status.ERROR:
        return outcome
    if control is not None and not control["holds"]:
        reason = "the control question finds nothing where this was searched, so the answer proves nothing"
        return replace(outcome, status=Status.UNANSWERABLE, reason=_joined(reason, outcome.reason))
    if control is None and outcome.status is Status.EMPTY:
        reason = "nothing was found, and the tool has no control question to prove that it could have been"
        return replace(outcome, status=Status.UNANSWERABLE, reason=_joined(reason, outcome.reason))
    total = control.get("total") if control else None
    if isinstance(total, int) and not isinstance(total, bool):
        covered = {**(covered or {}), "total": total}
    return replace(outcome, covered=covered)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _covered(
    tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime
) -> dict[str, Any] | None:
    """Return the window that the question spans. Nobody can have searched what lay in the future."""
    if not tool.covers:
        return None
    now = as_text(called_at)
    try:
        since = as_text(from_text(arguments[tool.covers["since"]]))
        asked = arguments.get(tool.covers["until"]) if "until" in tool.covers else None
        until = min(as_text(from_text(asked)), now) if asked is not None else now
    except (KeyError, TypeError, NotAnInstant):
        return None
    return {"since": since, "until": until}


def _pair(failure: SqlFailure, name: str) -> tuple[Status, Any, str]:
    status, reason = status_and_reason(failure)
    return status, None, f"{name}: {reason}"
