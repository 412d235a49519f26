"""A PostgreSQL database, asked through its reader role only."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay_core.results import Status
from toolbox.connectors import shaping
from toolbox.connectors.base import Outcome
from toolbox.connectors.credential import CredentialRefused, Guard, Proof, ProofImpossible
from toolbox.connectors.fetched import Fetched, TooLarge
from toolbox.connectors.pgfailures import (
    ArgumentRefused,
    CannotConnect,
    SessionLost,
    SqlFailure,
    status_and_reason,
)
from toolbox.connectors.pgflight import Asked, NotBegun
from toolbox.connectors.pgsession import ReadSession
from toolbox.connectors.pool import Pool, PoolBusy
from toolbox.connectors.proof import proven
from toolbox.connectors.sqlanswer import Answer, ControlBroken, control_row, covered, misfit, weighed
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.definitions import SqlQuestion, ToolDefinition
from toolbox.values import ValueUnreadable

_CONTROL_BYTES = 65_536
_RESET_SECONDS = 2.0
_CANNOT_ASK = (
    SqlFailure,
    CredentialRefused,
    CannotConnect,
    PoolBusy,
    SessionLost,
    ProofImpossible,
    DeadlinePassed,
)


class PostgresConnector:
    """One database under one reader role, whose connection string is in the named environment variable.

    With a guard, each session is proven when it is opened, before anything is asked through it.
    """

    kind = "postgres"

    def __init__(self, name: str, title: str, dsn_env: str, *, connections: int = 4) -> None:
        self.name, self.title, self.dsn_env = name, title, dsn_env
        self.guard: Guard | None = None
        self._pool: Pool[ReadSession] = Pool(self._connect, connections)

    def is_configured(self) -> bool:
        """Whether this process was given the connection string."""
        return bool(os.environ.get(self.dsn_env, "").strip())

    def _connect(self, deadline: Deadline) -> ReadSession:
        dsn = os.environ.get(self.dsn_env, "").strip()
        if not dsn:
            raise CannotConnect(f"the environment variable {self.dsn_env} is not set")
        session = ReadSession.open(dsn, deadline)
        if self.guard is None:
            return session
        try:
            session.proof = proven(session, deadline)
            reason = self.guard(session.proof)
        except BaseException:
            session.abandon()
            raise
        if reason:
            session.close()
            raise CredentialRefused(reason, session.proof)
        return session

    def prove(self, deadline: Deadline) -> Proof:
        """Prove the credential on a session of the pool; raise ProofImpossible."""
        began = time.monotonic()
        try:
            session = self._pool.take(deadline)
        except CredentialRefused as refusal:
            return refusal.proof
        except (CannotConnect, PoolBusy, DeadlinePassed) as error:
            raise ProofImpossible(str(error)) from None
        try:
            proof = session.proof if session.proof and session.opened >= began else proven(session, deadline)
        except BaseException:
            session.abandon()
            self._pool.discard(session)
            raise
        if self.guard is not None and self.guard(proof):
            # Every session that is kept has the same credential: the next ones are proven when they open.
            self._pool.discard(session)
            self._pool.close()
        else:
            self._pool.give_back(session)
        return proof

    def check(self, tool: ToolDefinition, deadline: Deadline) -> str:
        """Have the server read the tool's SQL without running it; return what is wrong with it, or ''."""
        if not isinstance(tool.question, SqlQuestion):
            return f"{tool.name} asks no SQL"
        try:
            session = self._begun(deadline)
        except _CANNOT_ASK as error:
            return _said(error)
        try:
            described: list[Fetched] = []
            for number, part in enumerate((tool.question.statement, tool.question.control)):
                if part is not None:
                    cursor = f"assay_check_{number}"
                    session.declare(cursor, part, {}, deadline)
                    described.append(session.fetch(cursor, 0, tool.limits.bytes, deadline))
        except _CANNOT_ASK as error:
            return _said(error)
        finally:
            session.abandon()
            self._pool.discard(session)
        return misfit(tool, *described)

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Put the tool's question and its control question in one transaction that is rolled back."""
        if not isinstance(tool.question, SqlQuestion):
            return Outcome(Status.ERROR, reason=f"{tool.name} asks no SQL")
        try:
            early = _Early(tool)
            answer = self._answer(tool, tool.question, arguments, early)
            outcome = early.outcome or shaping.shaped(tool, answer.fetched, too_large=answer.too_large)
        except SqlFailure as failure:
            return Outcome(*_pair(failure, self.name))
        except CredentialRefused as error:
            return Outcome(Status.REFUSED, reason=str(error))
        except (CannotConnect, PoolBusy, SessionLost, ProofImpossible) as error:
            return Outcome(Status.UNAVAILABLE, reason=f"{self.name}: {_said(error)}")
        except DeadlinePassed as error:
            return Outcome(Status.ERROR, reason=f"{self.name}: the question {error} and was cancelled")
        except ArgumentRefused as error:
            return Outcome(Status.REFUSED, reason=f"an argument cannot be asked: {error}")
        except (ControlBroken, ValueUnreadable) as error:
            return Outcome(Status.ERROR, reason=f"{self.name}: {error}")
        return weighed(tool, outcome, answer.control, covered(tool, arguments, called_at))

    def close(self) -> None:
        """Close the idle connections."""
        self._pool.close()

    def _answer(
        self, tool: ToolDefinition, question: SqlQuestion, arguments: Mapping[str, Any], early: "_Early"
    ) -> Answer:
        deadline = Deadline(tool.limits.seconds)
        asked = _asked(tool, question, arguments)
        for fresh in (False, True):
            session = self._pool.take(deadline, fresh=fresh)
            try:
                resetting = Deadline(tool.limits.seconds + _RESET_SECONDS)
                answers = session.put(asked, deadline, resetting, early.shape)
            except NotBegun as dead:
                self._pool.discard(session)
                if fresh:
                    raise dead.cause from None
            except SqlFailure:
                # The server refused, rolled back and forgot: most often the session is as it was.
                self._release(session)
                raise
            except BaseException as error:
                session.abandon()
                self._pool.discard(session)
                if isinstance(error, TooLarge):
                    return _cut_short(question, error)
                raise
            else:
                self._pool.give_back(session)
                return Answer(answers[-1], False, _control(question, answers))
        raise AssertionError("unreachable: the second try returns or raises")

    def _release(self, session: ReadSession) -> None:
        if session.is_usable():
            self._pool.give_back(session)
        else:
            session.abandon()
            self._pool.discard(session)

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


@dataclass(slots=True)
class _Early:
    """An answer that is shaped while the server still forgets the question."""

    tool: ToolDefinition
    outcome: Outcome | None = None

    def shape(self, answers: Sequence[Fetched]) -> None:
        with suppress(ValueUnreadable):  # said once the session is given back
            self.outcome = shaping.shaped(self.tool, answers[-1], too_large=False)


def _cut_short(question: SqlQuestion, error: TooLarge) -> Answer:
    return Answer(error.fetched, True, _control(question, error.before))


def _control(question: SqlQuestion, answers: Sequence[Fetched]) -> Mapping[str, Any] | None:
    if question.control is None:
        return None
    if not answers or len(str(answers[0].rows)) > _CONTROL_BYTES:
        raise ControlBroken("the control question answers too much")
    return control_row(answers[0])


def _asked(tool: ToolDefinition, question: SqlQuestion, arguments: Mapping[str, Any]) -> list[Asked]:
    rows = 2 if tool.shape == "one" else tool.limits.rows + 1
    most = tool.limits.bytes * 2 + 65_536
    asked = [Asked("assay_answer", question.statement, arguments, rows, most)]
    if question.control is not None:
        asked.insert(0, Asked("assay_control", question.control, arguments, 2, _CONTROL_BYTES))
    return asked


def _said(error: Exception) -> str:
    if isinstance(error, SqlFailure):
        return status_and_reason(error)[1]
    return "the connection was lost" if isinstance(error, SessionLost) else str(error)


def _pair(failure: SqlFailure, name: str) -> tuple[Status, Any, str]:
    status, reason = status_and_reason(failure)
    return status, None, f"{name}: {reason}"
