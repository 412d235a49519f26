"""Handing over through Langfuse's SDK: a dataset with its items, an experiment for each repetition, scores.

The tracer is its own and none of the process: the SDK would else make itself the one that everything is
traced by. Ids follow from the evaluation's number, so that what is sent again replaces what is there.
"""

import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from django.conf import settings

from toolbox import redaction
from trials.handover.items import Item, Repetition, Told

if TYPE_CHECKING:
    from langfuse import Langfuse

PACKAGE = "langfuse>=5,<6"
_REQUEST_SECONDS = 5
_LOGGERS = ("langfuse", "opentelemetry.exporter", "opentelemetry.sdk")


class HandoverFailed(Exception):
    """Langfuse did not take an evaluation, or not all of it; the message says what to do."""


def is_installed() -> bool:
    """Whether the SDK is there, without importing it."""
    return find_spec("langfuse") is not None


def hand_over(told: Told) -> int:
    """Send an evaluation; return how many runs were sent. Raises HandoverFailed.

    Once in a process: the SDK keeps a client for each key, and one that was closed takes nothing more.
    """
    if settings.LANGFUSE_KEYS is None:
        raise HandoverFailed(
            "Langfuse is not set up: set LANGFUSE_HOST, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY "
            "(docs/howto/send-to-langfuse.md)."
        )
    if not is_installed():
        raise HandoverFailed(f"Langfuse's SDK is not installed: pip install {PACKAGE!r}.")
    with _complaints() as complaints, _client(told.number) as client:
        try:
            _send(client, told)
        except Exception as error:  # noqa: BLE001 the SDK raises what its transport does: all of it is theirs
            raise _failed(error) from None
    if complaints:
        raise _failed(complaints[0])
    return sum(len(each.results) for each in told.repetitions)


def _failed(what: object) -> HandoverFailed:
    keys: Any = settings.LANGFUSE_KEYS
    words = redaction.text(f"{type(what).__name__}: {what}" if isinstance(what, Exception) else str(what))
    for key in (keys.secret_key, keys.public_key):
        words = words.replace(key, "…")
    return HandoverFailed(
        f"Langfuse at {keys.host} did not take it all: {' '.join(words.split())[:300]}. "
        "What is there is replaced when it is sent again, and not doubled."
    )


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """Gather what the SDK and the exporter complain of, which they log and do not raise."""
    found: list[str] = []

    class Gathering(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.getMessage())

    # What they log may quote what was sent, and goes nowhere but here.
    gathering, loggers = Gathering(logging.WARNING), [logging.getLogger(name) for name in _LOGGERS]
    before = [each.propagate for each in loggers]
    for each in loggers:
        each.addHandler(gathering)
        each.propagate = False
    try:
        yield found
    finally:
        for each, propagated in zip(loggers, before, strict=True):
            each.removeHandler(gathering)
            each.propagate = propagated


@contextmanager
def _client(number: int) -> Iterator["Langfuse"]:
    from langfuse import Langfuse
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.id_generator import IdGenerator

    class Following(IdGenerator):
        """The same ids each time that an evaluation is sent, one after the other."""

        def __init__(self) -> None:
            self._chance = random.Random(f"assay evaluation {number}")  # noqa: S311 ids, no secrets

        def generate_span_id(self) -> int:
            return self._chance.getrandbits(64) | 1

        def generate_trace_id(self) -> int:
            return self._chance.getrandbits(128) | 1

    keys: Any = settings.LANGFUSE_KEYS
    client = Langfuse(
        public_key=keys.public_key,
        secret_key=keys.secret_key,
        base_url=keys.host,
        timeout=_REQUEST_SECONDS,
        tracer_provider=TracerProvider(id_generator=Following(), shutdown_on_exit=False),
    )
    try:
        yield client
    finally:
        client.shutdown()


def _send(client: "Langfuse", told: Told) -> None:
    client.create_dataset(name=told.dataset, description="Cases of Assay's evaluations.", metadata={})
    for item in told.items:
        _put(client, told.dataset, item)
    found = {each.id: each for each in client.get_dataset(told.dataset).items}
    for repetition in told.repetitions:
        _experiment(client, told, repetition, [found[each] for each in repetition.results])


def _put(client: "Langfuse", dataset: str, item: Item) -> None:
    client.create_dataset_item(
        dataset_name=dataset,
        id=item.id,
        input=dict(item.input),
        expected_output=dict(item.expected),
        metadata=dict(item.about),
        source_trace_id=item.trace,
    )


def _experiment(client: "Langfuse", told: Told, repetition: Repetition, items: list[Any]) -> None:
    """Send one repetition: the SDK asks for an output, and is given the one that the run came to."""

    def task(*, item: Any, **_: Any) -> dict[str, Any]:
        return dict(repetition.results[item.id].output)

    if not items:
        return
    # One at a time: ids are drawn in the order of the cases.
    done = client.run_experiment(
        name=f"{told.about['endpoint']}: {told.about['chosen']}",
        run_name=repetition.name,
        data=items,
        task=task,
        max_concurrency=1,
        metadata=dict(told.about),
    )
    for result in done.item_results:
        for name, value in repetition.results[result.item.id].scores.items():  # type: ignore[union-attr] # theirs
            key = f"{repetition.name}/{result.item.id}/{name}"  # type: ignore[union-attr] # as above
            client.create_score(
                trace_id=result.trace_id,
                name=name,
                value=value,
                score_id=sha256(key.encode()).hexdigest()[:32],
                data_type="NUMERIC",
            )
    client.flush()
