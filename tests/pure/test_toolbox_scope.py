"""Two keys of a tool: what holds it to the subject, and the fields that no reader sees."""

from pathlib import Path

import pytest

from toolbox import loading
from toolbox.definitions import ToolDefinition
from toolbox.yamlfile import DefinitionError

TOOL = """
connector: shop
tools:
  - name: find_order
    title: One order
    description: For tests.
    input:
      type: object
      additionalProperties: false
      required: [order_id]
      properties: {{order_id: {{type: string}}, more: {{type: string}}}}
    output: {{type: object}}
    shape: one
    key: order
    sql: SELECT 1 WHERE %(order_id)s::text = %(more)s::text
{lines}
"""


def loaded(tmp_path: Path, *lines: str) -> ToolDefinition:
    file = tmp_path / "tools.yaml"
    file.write_text(TOOL.format(lines="\n".join(f"    {line}" for line in lines)))
    return loading.load_file(file, {"shop": "postgres"})[0]


def test_both_are_read_and_part_of_the_digest(tmp_path: Path) -> None:
    plain = loaded(tmp_path)
    made = loaded(tmp_path, "scope: {order_id: order}", "redact: [customer.email, phone]")
    assert (made.scope, made.redact) == ({"order_id": "order"}, ("customer.email", "phone"))
    assert (plain.scope, plain.redact) == ({}, ())
    assert made.digest != plain.digest


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("scope: {nonesuch: order}", "unknown key 'nonesuch'"),
        ("scope: {more: order}", "more holds to the subject and may be left out"),
        ("scope: {order_id: 7}", "scope.order_id is not a text"),
        ("scope: [order_id]", "is not a mapping"),
        ("redact: email", "is not a list"),
        ("redact: []", "is not a list with something in it"),
        ("redact: [1]", "is not a text"),
    ],
)
def test_what_cannot_be_meant_is_an_error_with_its_line(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(DefinitionError, match=words) as refused:
        loaded(tmp_path, line)
    assert refused.value.line == 16
