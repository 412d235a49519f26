"""A MySQL or MariaDB database, asked through its reader account only."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import pymysql

from assay_core.results import Status
from toolbox.connectors import shaping
from toolbox.connectors.base import Outcome
from toolbox.connectors.credential import CredentialRefused, Guard, Proof, ProofImpossible
from toolbox.connectors.fetched import Fetched, TooLarge
from toolbox.connectors.mysqlfailures import status_and_reason
from toolbox.connectors.mysqlgate import StatementRefused, rendered
from toolbox.connectors.mysqllink import ReadLink
from toolbox.connectors.mysqlproof import proven
from toolbox.connectors.mysqlvalues import literals
from toolbox.connectors.pgfailures import ArgumentRefused, CannotConnect, SessionLost
from toolbox.connectors.slots import Slots, SlotsBusy
from toolbox.connectors.sqlanswer import Answer, ControlBroken, control_row, covered, weighed
from toolbox.deadline import Deadline, DeadlinePassed
from toolbox.definitions import SqlQuestion, Statement, ToolDefinition
from toolbox.values import ValueUnreadable

_CONTROL_BYTES = 65_536
_END_SECONDS = 1.0


class MysqlConnector:
    """One database under one reader account, whose address is in the named environment variable.

    Each call has a connection of its own, proven when it is opened where there is a guard: what a session
    remembers (locks, settings, prepared statements) ends with it.
    """

    kind = "mysql"

    def __init__(self, name: str, title: str, dsn_env: str, *, connections: int = 4) -> None:
        self.name, self.title, self.dsn_env = name, title, dsn_env
        self.guard: Guard | None = None
        self._slots = Slots(connections)

    def is_configured(self) -> bool:
        """Whether this process was given the address."""
        return bool(os.environ.get(self.dsn_env, "").strip())

    def prove(self, deadline: Deadline) -> Proof:
        """Prove the account on a connection of its own; raise ProofImpossible."""
        try:
            with self._slots.one(deadline):
                link = self._open(deadline)
                try:
                    return proven(link, deadline)
                finally:
                    link.close()
        except (CannotConnect, SlotsBusy, DeadlinePassed) as error:
            raise ProofImpossible(str(error)) from None

    def check(self, tool: ToolDefinition, deadline: Deadline) -> str:
        """Have the server plan the tool's SQL without running it; return what is wrong with it, or ''."""
        if not isinstance(tool.question, SqlQuestion):
            return f"{tool.name} asks no SQL"
        try:
            with self._link(deadline) as link:
                for part in (tool.question.statement, tool.question.control):
                    if part is not None:
                        link.run(f"EXPLAIN {_filled(part, {}, tool)}", deadline)
        except _ENDS as error:
            return self._end(error).reason
        return ""

    def ask(self, tool: ToolDefinition, arguments: Mapping[str, Any], called_at: datetime) -> Outcome:
        """Put the tool's question and its control question in one transaction that is rolled back."""
        if not isinstance(tool.question, SqlQuestion):
            return Outcome(Status.ERROR, reason=f"{tool.name} asks no SQL")
        try:
            answer, doubts = self._answer(tool, tool.question, arguments)
            outcome = _doubted(shaping.shaped(tool, answer.fetched, too_large=answer.too_large), doubts)
        except _ENDS as error:
            return self._end(error)
        return weighed(tool, outcome, answer.control, covered(tool, arguments, called_at))

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _answer(
        self, tool: ToolDefinition, question: SqlQuestion, arguments: Mapping[str, Any]
    ) -> tuple[Answer, Sequence[str]]:
        """Return the answer, and what the server itself doubts of it."""
        deadline = Deadline(tool.limits.seconds)
        statement = _filled(question.statement, arguments, tool)
        control = None
        with self._link(deadline) as link:
            if question.control is not None:
                control = _control(link, _filled(question.control, arguments, tool), deadline)
            rows = 2 if tool.shape == "one" else tool.limits.rows + 1
            try:
                fetched = link.fetch(statement, rows, tool.limits.bytes * 2 + 65_536, deadline)
            except TooLarge as error:
                return Answer(error.fetched, True, control), ()
            doubts = link.doubts(deadline)
            if len(fetched.rows) < rows:
                link.roll_back(Deadline(_END_SECONDS))
        return Answer(fetched, False, control), doubts

    @contextmanager
    def _link(self, deadline: Deadline) -> Iterator[ReadLink]:
        """Yield a proven connection inside its read-only transaction; close it whatever happens."""
        with self._slots.one(deadline):
            link = self._open(deadline)
            try:
                self._demand_proof(link, deadline)
                link.begin(deadline)
                yield link
            finally:
                link.close()

    def _open(self, deadline: Deadline) -> ReadLink:
        url = os.environ.get(self.dsn_env, "").strip()
        if not url:
            raise CannotConnect(f"the environment variable {self.dsn_env} is not set")
        return ReadLink.open(url, deadline)

    def _demand_proof(self, link: ReadLink, deadline: Deadline) -> None:
        if self.guard is None:
            return
        proof = proven(link, deadline)
        reason = self.guard(proof)
        if reason:
            raise CredentialRefused(reason, proof)

    def _end(self, error: Exception) -> Outcome:
        status, reason = _how(error)
        if isinstance(error, CredentialRefused | ArgumentRefused):
            return Outcome(status, reason=reason)
        return Outcome(status, reason=f"{self.name}: {reason}")


_ENDS = (
    pymysql.MySQLError,
    StatementRefused,
    CredentialRefused,
    CannotConnect,
    SlotsBusy,
    SessionLost,
    ProofImpossible,
    DeadlinePassed,
    ArgumentRefused,
    ControlBroken,
    ValueUnreadable,
)


def _how(error: Exception) -> tuple[Status, str]:
    match error:
        case pymysql.MySQLError():
            return status_and_reason(error)
        case StatementRefused():
            return Status.ERROR, f"the statement is not one that only reads: {error}"
        case CredentialRefused():
            return Status.REFUSED, str(error)
        case ArgumentRefused():
            return Status.REFUSED, f"an argument cannot be asked: {error}"
        case SessionLost():
            return Status.UNAVAILABLE, "the connection was lost"
        case DeadlinePassed():
            return Status.ERROR, f"the question {error} and was cancelled"
        case ControlBroken() | ValueUnreadable():
            return Status.ERROR, str(error)
    return Status.UNAVAILABLE, str(error)


def _doubted(outcome: Outcome, doubts: Sequence[str]) -> Outcome:
    """An answer that the server warns of is never plain, and finding nothing in it proves nothing."""
    if not doubts or outcome.status not in (Status.OBSERVED, Status.EMPTY):
        return outcome
    status = Status.TRUNCATED if outcome.status is Status.OBSERVED else Status.UNANSWERABLE
    return replace(outcome, status=status, reason="; ".join(filter(None, (*doubts, outcome.reason))))


def _filled(part: Statement, arguments: Mapping[str, Any], tool: ToolDefinition) -> str:
    return rendered(part, literals(part.names, arguments, tool))


def _control(link: ReadLink, statement: str, deadline: Deadline) -> Mapping[str, Any]:
    try:
        fetched = link.fetch(statement, 3, _CONTROL_BYTES, deadline)
    except TooLarge:
        raise ControlBroken("the control question answers too much") from None
    if doubts := link.doubts(deadline):
        raise ControlBroken(f"the control question is answered with a doubt: {doubts[0]}")
    return control_row(_with_truth(fetched))


def _with_truth(fetched: Fetched) -> Fetched:
    """These servers have no boolean: a `holds` of 0 or 1 is one."""
    if "holds" not in fetched.columns:
        return fetched
    place = fetched.columns.index("holds")
    rows = [
        tuple(bool(value) if index == place and value in (0, 1) else value for index, value in enumerate(row))
        for row in fetched.rows
    ]
    return Fetched(fetched.columns, rows)
