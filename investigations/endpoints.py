"""The named endpoints of the settings, and the Model that each purpose is served by."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from investigations import inuse, named, quirks, transcripts
from investigations.byschema import BySchema
from investigations.named import AddressUnusable, Endpoint
from investigations.quirks import QuirksUnknown, Tools
from investigations.speaking import Speaker
from investigations.states import Purpose
from investigations.talk import EndpointRefused, Model
from investigations.transcripts import Keeper, Occasion

DEFAULT = "default"
_OWN = {
    Purpose.CRITIC: "critic",
    Purpose.GRADER: "grader",
    Purpose.ASK: "ask",
    Purpose.CANDIDATE: "candidate",
}
_WHERE = {
    "LLM_BASE_URL": "the address of an OpenAI-compatible server, with its /v1; its provider's pages have it",
    "MODEL_ID": "the model as the server spells it; GET …/v1/models lists them",
}


def model_for(
    purpose: Purpose, *, investigation: int | None, incident: int | None, endpoint: str = ""
) -> Model:
    """Return the Model that serves a purpose, or the named endpoint. Raises EndpointRefused.

    Its exchanges are kept as those of this investigation and incident, where there is one. Only a process
    that is given the key can use what it returns.
    """
    place = endpoint_named(endpoint) if endpoint else endpoint_in_use(purpose)
    return speaking_to(place, Occasion(purpose, investigation, incident))


def speaking_to(place: Endpoint, occasion: Occasion, keeper: Keeper = transcripts) -> Model:
    """Return the Model of an endpoint on one occasion, its exchanges kept where `keeper` says."""
    speaker = Speaker(place, occasion, keeper)
    return BySchema(speaker) if place.quirks.tools is Tools.BY_SCHEMA else speaker


def endpoint_for(purpose: Purpose) -> Endpoint:
    """Return the endpoint that the settings name for a purpose: its own where one is set, else the default,
    which a candidate never falls back to. Raises EndpointRefused."""
    return endpoint_named(serving(purpose))


def endpoint_in_use(purpose: Purpose) -> Endpoint:
    """Return the endpoint that serves a purpose and may: the one in use, under whatever name it is set.

    Without one in use yet it is the one that the settings name. Raises EndpointRefused where what is set is
    not what is in use: it takes that place by a passed drill alone.
    """
    place, now = endpoint_for(purpose), timezone.now()
    found = inuse.chosen(purpose, place, _others(place), now)
    if found is None:
        raise EndpointRefused(f"{inuse.refusal(purpose, place, now)}.")
    return found


def _others(place: Endpoint) -> Iterator[Endpoint]:
    """Yield the other endpoints that are set and can be used: what was promoted stands among them."""
    for name in names():
        if name == place.name:
            continue
        try:
            yield endpoint_named(name)
        except EndpointRefused:
            continue


def serving(purpose: Purpose) -> str:
    """Return the name of the endpoint that serves a purpose, whether it is set or not."""
    own = _OWN.get(purpose, DEFAULT)
    return own if own == "candidate" or is_set(own) else DEFAULT


def is_set(name: str = DEFAULT) -> bool:
    """Return whether an endpoint is set on its own: whether it names a model or a server."""
    given = settings.MODEL_ENDPOINTS[name]
    if name == DEFAULT:
        return bool(given["base_url"] and given["model"])
    return bool(given["base_url"] or given["model"])


def investigator() -> str:
    """Return who gathers, as INVESTIGATOR says: `model` or `playbook`."""
    if settings.INVESTIGATOR == "auto":
        return "model" if is_set() else "playbook"
    return str(settings.INVESTIGATOR)


def names() -> list[str]:
    """Return the endpoints that are set on their own, the default first."""
    return [name for name in settings.MODEL_ENDPOINTS if is_set(name)]


def endpoint_named(name: str) -> Endpoint:
    """Return an endpoint by its name. Raises EndpointRefused that says what is missing or wrong."""
    refuse_unknown(name)
    given = _inherited(name)
    prefix = given["prefix"]
    _refuse_unset(name, given)
    try:
        named.refuse_unusable(given["base_url"], has_key=bool(given["key"]))
        found = quirks.named(given["quirks"], host=named.host_of(given["base_url"]))
    except AddressUnusable as error:
        raise EndpointRefused(f"{prefix}LLM_BASE_URL cannot be used: {error}.") from None
    except QuirksUnknown as error:
        raise EndpointRefused(f"{prefix}LLM_QUIRKS: {error}.") from None
    if not (given["key"].isascii() and (given["key"].isprintable() or not given["key"])):
        raise EndpointRefused(f"{prefix}LLM_API_KEY holds characters that no key has. Copy it anew.")
    return _endpoint(name, given, found)


def refuse_unknown(name: str) -> None:
    """Raise EndpointRefused for a name that no endpoint can have."""
    if name not in settings.MODEL_ENDPOINTS:
        known = ", ".join(settings.MODEL_ENDPOINTS)
        raise EndpointRefused(f"There is no model endpoint named {name!r}. There are {known}.")


def _refuse_unset(name: str, given: Mapping[str, Any]) -> None:
    for variable, field in (("LLM_BASE_URL", "base_url"), ("MODEL_ID", "model")):
        if not given[field]:
            raise EndpointRefused(
                f"{given['prefix']}{variable} is not set, which the model endpoint {name} needs: "
                f"{_WHERE[variable]} (docs/howto/connect-a-model.md)."
            )


def _inherited(name: str) -> dict[str, Any]:
    """Return an endpoint's settings; one without a server is on the default's, with its key and quirks.

    A key goes with its server only: an endpoint that names a server of its own never gets another's key.
    """
    given: dict[str, Any] = dict(settings.MODEL_ENDPOINTS[name])
    default = settings.MODEL_ENDPOINTS[DEFAULT]
    if not given["base_url"] and is_set(name):
        given["base_url"] = default["base_url"]
        given["key"] = given["key"] or default["key"]
        given["quirks"] = given["quirks"] or default["quirks"]
    return given


def _endpoint(name: str, given: Mapping[str, Any], found: quirks.Quirks) -> Endpoint:
    return Endpoint(
        name=name,
        base_url=given["base_url"],
        model=given["model"],
        quirks=found,
        key=given["key"],
        prices=named.prices(given["price_in"], given["price_out"]),
        context=given["context"],
        max_tokens=given["max_tokens"],
        temperature=given["temperature"],
        seconds=float(given["seconds"]),
        total_seconds=float(max(given["total_seconds"], given["seconds"])),
        tries=given["tries"],
        backoff=given["backoff_ms"] / 1000,
    )
