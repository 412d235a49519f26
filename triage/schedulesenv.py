"""When trials run by themselves, on what, and for how much at the most, as the environment says."""

from decimal import Decimal
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from triage import env

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def nightly() -> dict[str, Any]:
    """Return the settings of the nightly evaluation; its hour is None where there is none."""
    return {
        "hour": _hour("TRIAL_NIGHTLY_HOUR"),
        "day": None,
        "set": env.text("TRIAL_NIGHTLY_SET"),
        "endpoint": env.text("TRIAL_NIGHTLY_ENDPOINT", "default"),
        "runs": env.integer("TRIAL_NIGHTLY_RUNS", 1, least=1),
        "cap": env.decimal("TRIAL_NIGHTLY_CAP", Decimal(1)),
        "wrong": _share("TRIAL_NIGHTLY_WRONG", Decimal("0.2")),
        "false_passes": _share("TRIAL_NIGHTLY_FALSE_PASSES", Decimal("0.05")),
    }


def weekly() -> dict[str, Any]:
    """Return the settings of the weekly drill; its hour is None where there is none."""
    return {
        "hour": _hour("DRILL_WEEKLY_HOUR"),
        "day": DAYS.index(env.choice("DRILL_WEEKLY_DAY", DAYS, "sunday")),
        "golden": env.text("DRILL_WEEKLY_GOLDEN"),
        "endpoint": env.text("DRILL_WEEKLY_ENDPOINT", "default"),
        "baseline": env.text("DRILL_WEEKLY_BASELINE", "promoted"),
        "cap": env.decimal("DRILL_WEEKLY_CAP", Decimal(1)),
        "wrong": _share("DRILL_WEEKLY_WRONG", Decimal("0.2")),
        "false_passes": _share("DRILL_WEEKLY_FALSE_PASSES", Decimal("0.05")),
    }


def _hour(name: str) -> int | None:
    if not env.text(name):
        return None
    hour = env.integer(name, 0)
    if hour > 23:
        raise ImproperlyConfigured(f"{name}={hour}: use an hour of the day in UTC, from 0 to 23.")
    return hour


def _share(name: str, default: Decimal) -> Decimal:
    share = env.decimal(name, default)
    if not 0 < share < 1:
        raise ImproperlyConfigured(f"{name}={share}: use a share between 0 and 1, such as 0.05.")
    return share
