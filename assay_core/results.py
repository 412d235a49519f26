"""How a tool call ended: the one word that says whether its result may be read at all."""

from enum import StrEnum


class Status(StrEnum):
    """What the gateway recorded about one call. Only the first three carry an answer."""

    OBSERVED = "observed"  # the place was searched and something was there
    EMPTY = "empty"  # the place is proven to exist and to hold data in that window; nothing matched
    TRUNCATED = "truncated"  # a limit cut the answer
    UNANSWERABLE = "unanswerable"  # nothing matched, and nothing proves that the place was searched
    ERROR = "error"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
