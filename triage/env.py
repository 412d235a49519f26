"""Typed readers of the environment. Each variable read is remembered, so that a test holds the docs to it."""

import os
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from ipaddress import ip_network
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

NAMES: set[str] = set()
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


def text(name: str, default: str = "") -> str:
    """Return the variable's text, stripped, or the default where it is unset or empty."""
    NAMES.add(name)
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """Return a truth value; raise ImproperlyConfigured for a word that is neither true nor false."""
    word = text(name).lower()
    if not word:
        return default
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={word!r}: use one of {', '.join(_TRUE + _FALSE)}.")


def integer(name: str, default: int, *, least: int = 0) -> int:
    """Return a whole number that is at least `least`; raise ImproperlyConfigured otherwise."""
    word = text(name)
    if not word:
        return default
    try:
        number = int(word)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={word!r}: use a whole number.") from None
    if number < least:
        raise ImproperlyConfigured(f"{name}={number}: use {least} or more.")
    return number


def decimal(name: str, default: Decimal) -> Decimal:
    """Return a decimal number that is not below zero; raise ImproperlyConfigured otherwise."""
    word = text(name)
    if not word:
        return default
    try:
        number = Decimal(word)
    except InvalidOperation:
        raise ImproperlyConfigured(f"{name}={word!r}: use a number, such as 2.50.") from None
    if not number.is_finite() or number < 0:
        raise ImproperlyConfigured(f"{name}={word!r}: use a number that is not below zero.")
    return number


def words(name: str, default: Sequence[str] = ()) -> list[str]:
    """Return a comma-separated list without its empty parts."""
    raw = text(name)
    return [part.strip() for part in raw.split(",") if part.strip()] if raw else list(default)


def exact(name: str) -> list[str]:
    """Return a comma-separated list of exact values; raise ImproperlyConfigured for a pattern."""
    found = words(name)
    if any("*" in word for word in found):
        raise ImproperlyConfigured(f"{name}: name each value in full, port included; * is not accepted.")
    return found


def networks(name: str) -> list[str]:
    """Return a comma-separated list of networks; raise ImproperlyConfigured for what is none."""
    found = words(name)
    for word in found:
        try:
            ip_network(word, strict=False)
        except ValueError:
            raise ImproperlyConfigured(f"{name}: {word!r} is no network, such as 10.0.0.0/8.") from None
    return found


def paths(name: str, default: Sequence[Path] = ()) -> list[Path]:
    """Return a comma-separated list of paths."""
    return [Path(part) for part in words(name)] or list(default)


def choice(name: str, accepted: Sequence[str], default: str) -> str:
    """Return one of the accepted words; raise ImproperlyConfigured for another."""
    word = text(name, default)
    if word not in accepted:
        raise ImproperlyConfigured(f"{name}={word!r}: use one of {', '.join(accepted)}.")
    return word
