"""What Grafana sends, of either alerting, as the adapter of Alertmanager reads it."""

from typing import Any

import pytest

from incidents.states import Condition, Event
from tests.pure.test_adapters_alertmanager import read, read_one


@pytest.mark.parametrize(
    ("addresses", "link"),
    [
        ({"generatorURL": "", "panelURL": "https://g.example/p", "dashboardURL": "https://g.example/d"}, "p"),
        ({"dashboardURL": " https://g.example/d "}, "d"),
        ({"generatorURL": "javascript:x", "dashboardURL": "https://g.example/d"}, "d"),
        ({"generatorURL": "https://g.example/g", "panelURL": "https://g.example/p"}, "g"),
    ],
)
def test_where_grafana_names_no_rule_the_link_leads_to_what_it_shows(
    addresses: dict[str, str], link: str
) -> None:
    assert read_one(**addresses)[0].link == f"https://g.example/{link}"


LEGACY = {
    "dashboardId": 1, "evalMatches": [{"value": 1, "metric": "Count", "tags": {}}], "message": "Too many",
    "orgId": 1, "panelId": 2, "ruleId": 7, "ruleName": "Count is high", "ruleUrl": "http://g.example/d/x",
    "state": "alerting", "tags": {"severity": "critical"}, "title": "[Alerting] Count is high",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "event"),
    [
        ({}, Event.FIRING), ({"state": "ok", "title": "[OK] Count is high"}, Event.RESOLVED),
        ({"state": "no_data"}, Event.FIRING), ({"tags": None, "state": "Ok"}, Event.RESOLVED),
    ],
)  # fmt: skip
def test_a_delivery_of_grafanas_old_alerting_is_one_alert_by_its_rules_number(
    changes: dict[str, Any], event: Event
) -> None:
    reading = read({**LEGACY, **changes})
    (signal,) = reading.signals
    assert (signal.event, signal.sender_key, signal.title) == (event, "rule:1:7", "Count is high")
    assert signal.severity == ("critical" if "tags" not in changes else "unknown")
    assert (signal.link, signal.annotations["message"]) == ("http://g.example/d/x", "Too many")
    assert reading.condition is Condition.PARTIAL


def test_rules_of_the_old_alerting_without_a_number_are_told_apart_by_their_labels() -> None:
    keys = {
        read({**LEGACY, "ruleId": number, "ruleName": name}).signals[0].sender_key
        for number, name in ((0, "A"), (None, "B"), (7, "A"))
    }
    assert len(keys) == 3


def test_the_title_of_grafanas_group_stands_in_for_an_alert_without_any() -> None:
    whole = {"alerts": [{"status": "firing", "labels": {"x": "y"}}], "title": "[FIRING:1] Disk"}
    assert read(whole).signals[0].title == "[FIRING:1] Disk"
