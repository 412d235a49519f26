"""Settings: documented to the last one, read with sentences, and strict in production."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from triage import checks, env
from triage import settings as declared

ROOT = Path(__file__).resolve().parent.parent.parent
HARNESS = [(ROOT / "tests" / name).read_text(encoding="utf-8") for name in ("conftest.py", "servers.py")]
DOCS = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
_READERS = re.compile(r"env\.(?:text|flag|integer|words|networks|paths|choice)\(\s*\"([A-Z_0-9]+)\"")
_LAUNCHER = re.compile(r"(?:environ|environment)(?:\.get\(|\[)\"([A-Z_0-9]+)\"")
APART = {"default": {"USER": "assay_app"}, "owner": {"USER": "assay_owner"}}
GOOD: dict[str, Any] = {
    "BASE_URL": "https://assay.example.org",
    "ALLOWED_HOSTS": ["assay.example.org"],
    "TRIAGE_TOOLS": [],
    "TRIAGE_RULES": [],
    "TRIAGE_CONNECTORS": "",
}


def _sources(*folders: str) -> list[str]:
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    return [file.read_text(encoding="utf-8") for file in files]


def test_every_setting_is_on_the_page_about_settings() -> None:
    read = {name for text in _sources("triage") for name in _READERS.findall(text)}
    assert len(read) > 20
    assert sorted(name for name in read if f"`{name}`" not in DOCS) == []


def test_every_variable_of_the_launcher_and_the_tests_is_on_the_page() -> None:
    read = {name for text in (*_sources("triage/local"), *HARNESS) for name in _LAUNCHER.findall(text)}
    assert {"PORT", "DEMO_ONCE", "REQUIRE_ALL"} <= read
    assert sorted(name for name in read if f"`{name}`" not in DOCS and name != "MAKELEVEL") == []


def test_the_page_names_no_setting_that_nothing_reads() -> None:
    named = set(re.findall(r"^\| `([A-Z_0-9]+)` \|", DOCS, flags=re.MULTILINE))
    code = "\n".join(_sources("triage", "tests")) + (ROOT / "Makefile").read_text(encoding="utf-8")
    assert sorted(name for name in named if name not in code and name != "TMPDIR") == []


@pytest.mark.parametrize(
    ("value", "sentence"),
    [("soon", "LEASE_SECONDS='soon': use a whole number"), ("1", "LEASE_SECONDS=1: use 2 or more")],
)
def test_a_number_that_cannot_be_used_is_refused_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, value: str, sentence: str
) -> None:
    monkeypatch.setenv("LEASE_SECONDS", value)
    with pytest.raises(ImproperlyConfigured, match=sentence):
        env.integer("LEASE_SECONDS", 60, least=2)


def test_a_word_that_is_neither_true_nor_false_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="DEBUG='perhaps': use one of 1, true"):
        env.flag("DEBUG")


def test_a_profile_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROFILE", "staging")
    with pytest.raises(ImproperlyConfigured, match="use one of development, production"):
        env.choice("PROFILE", ("development", "production"), "development")


def _ids(**change: Any) -> list[str]:
    databases = change.pop("DATABASES", APART)
    with override_settings(**{**GOOD, **change}), pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "DATABASES", databases)
        found = [
            *checks.production_addresses(None),
            *checks.roles_are_apart(None),
            *checks.tools_and_connectors(None),
        ]
    assert all(one.hint for one in found)
    return [str(one.id) for one in found]


@pytest.mark.parametrize(
    ("change", "identity"),
    [
        ({"BASE_URL": "http://assay.example.org"}, "triage.E001"),
        ({"ALLOWED_HOSTS": ["*"]}, "triage.E002"),
        ({"ALLOWED_HOSTS": ["localhost"]}, "triage.W003"),
        ({"DATABASES": {"default": {"USER": "assay"}}}, "triage.W004"),
        ({"DATABASES": {"default": {"USER": "assay"}, "owner": {"USER": "assay"}}}, "triage.W004"),
        ({"TRIAGE_TOOLS": [Path("/not/there")], "TRIAGE_CONNECTORS": ROOT}, "triage.E005"),
        ({"TRIAGE_TOOLS": [ROOT]}, "triage.E006"),
    ],
)
def test_a_weak_setting_is_named_by_its_id(change: dict[str, Any], identity: str) -> None:
    assert _ids(**change) == [identity]


def test_good_settings_are_found_good() -> None:
    assert _ids() == []


def test_the_options_of_a_databases_address_are_kept_beside_ours() -> None:
    options = declared._database("postgres://u@h/db?options=-c%20role%3Downer", pooled=False)["OPTIONS"]
    assert options["options"].endswith("-c role=owner")
    assert "idle_in_transaction_session_timeout" in options["options"]
