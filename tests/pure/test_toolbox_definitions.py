"""Tool and connector files: every mistake names its file, its line and its cure."""

from pathlib import Path
from typing import Any

import pytest

from toolbox import registry
from toolbox.checks import tools_load
from toolbox.definitions import LogQuestion, SqlQuestion
from toolbox.yamlfile import DefinitionError

CONNECTORS = """\
connectors:
  shop: {kind: postgres, title: Shop, dsn_env: SHOP_URL}
  logs: {kind: jsonlines, title: Logs, folder_env: SHOP_LOGS, fields: {message: msg}}
"""
GOOD = """\
connector: shop
tools:
  - name: find_job
    title: One job
    description: A job by its id.
    input:
      type: object
      additionalProperties: false
      required: [job_id]
      properties: {job_id: {type: string}, state: {type: string}}
    output: {type: object, required: [job]}
    shape: one
    key: job
    sql: SELECT * FROM jobs WHERE id = %(job_id)s::text AND state LIKE '%%' || %(state)s::text
    control: SELECT count(*) > 0 AS holds FROM jobs
    limits: {rows: 3, seconds: 0.5}
    normalise: {job_id: [strip, lower]}
    defaults: {state: done}
"""
LOGS = """\
connector: logs
tools:
  - name: count_lines
    title: Lines
    description: Counts lines.
    input:
      type: object
      additionalProperties: false
      required: [query, since]
      properties:
        query: {type: string}
        since: {type: string, format: date-time}
        until: {type: string, format: date-time}
    output: {type: object}
    log:
      where: [{field: message, contains: query}]
      since: since
      until: until
      count: true
"""


def load(folder: Path, text: str = GOOD, connectors: str = CONNECTORS) -> registry.Toolbox:
    (folder / "tools.yaml").write_text(text)
    (folder / "connectors.yaml").write_text(connectors)
    return registry.load([folder / "tools.yaml"], folder / "connectors.yaml")


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (changed(GOOD, "connector: shop", "connector: nowhere"), 1, "not declared.*Declare it"),
        (changed(GOOD, "tools:\n", "tool:\n"), 2, "unknown key 'tool'.*connector, tools"),
        (changed(GOOD, "name: find_job", "name: Find-Job"), 3, "no tool name.*lower-case"),
        (changed(GOOD, "    title: One job\n", ""), 3, "lacks title.*Add `title:`"),
        (changed(GOOD, "title: One job", "title: ''"), 4, "not a text"),
        (changed(GOOD, "title: One job", "titel: One job"), 4, "unknown key 'titel'"),
        (changed(GOOD, "additionalProperties: false", "additionalProperties: true"), 6, "unknown arguments"),
        (changed(GOOD, "required: [job_id]", "required: [id]"), 9, "'id' is required but not declared"),
        (
            changed(GOOD, "{job_id: {type: string}", "{job_id: {type: text}"),
            10,
            "'text' is no type, use array",
        ),
        (
            changed(GOOD, "output: {type: object, r", "output: {$ref: 'https://x', r"),
            11,
            "schema of an object",
        ),
        (
            changed(GOOD, "output: {type: object, r", "output: {type: object, $ref: 'https://x', r"),
            11,
            "leads outside the schema",
        ),
        (changed(GOOD, "shape: one", "shape: many"), 12, "`one`.*or `rows`"),
        (changed(GOOD, "%(job_id)s::text", "%(job_id)s"), 14, r"%\(job_id\)s has no cast.*::text"),
        (changed(GOOD, "%(job_id)s::text", "%(other)s::text"), 14, r"%\(other\)s is not declared"),
        (changed(GOOD, "'%%'", "'%'"), 14, "no placeholder.*%% for a percent sign"),
        (changed(GOOD, "%(job_id)s::text", "%s::text"), 14, "no placeholder"),
        (changed(GOOD, " AND state LIKE '%%' || %(state)s::text", ""), 10, "argument state changes nothing"),
        (changed(GOOD, "rows: 3", "rows: 0"), 16, "Use 1 to 10000"),
        (changed(GOOD, "rows: 3", "rows: true"), 16, "Use 1 to 10000"),
        (changed(GOOD, "seconds: 0.5", "minutes: 1"), 16, "unknown key 'minutes'"),
        (changed(GOOD, "[strip, lower]", "[trim]"), 17, "no normalisation.*strip, lower"),
        (changed(GOOD, "{job_id: [strip, lower]}", "{id: [strip]}"), 17, "unknown key 'id'"),
        (changed(GOOD, "{state: done}", "{state: 1}"), 18, "the default of state is refused"),
        (GOOD + "    title: Twice\n", 19, "'title' is given twice"),
        (GOOD + "  bad: [\n", 19, "is not YAML"),
        (GOOD + "    covers: {until: state}\n", 19, "lacks since"),
        (GOOD + "    log: {}\n", 19, "no log question"),
        (
            changed(GOOD, "job_id: {type: string}", "on: {type: string}, job_id: {type: string}"),
            10,
            "changes",
        ),
        (changed(GOOD, "{type: object, r", "{type: object, const: 2026-01-01, r"), 3, "cannot be.*in quotes"),
        ("", 1, "not a mapping"),
        ("connector: shop\ntools: []\n", 2, "not a list with something in it"),
        (changed(LOGS, "required: [query, since]", "required: [query]"), 17, "since may be left out"),
        (
            changed(LOGS, "since: {type: string, format: date-time}", "since: {type: string}"),
            17,
            "not a time",
        ),
        (changed(LOGS, "contains: query", "contains: text"), 16, "'text' is not declared"),
        (changed(LOGS, "contains: query", "matches: query"), 16, "unknown key 'matches'"),
        (changed(LOGS, "{field: message, contains: query}", "{field: message}"), 16, "one test"),
        (changed(LOGS, "count: true", "count: some"), 19, "neither true nor false"),
        (LOGS + "    sql: SELECT 1\n", 20, "no SQL"),
        (LOGS + "    shape: rows\n", 20, "no shape"),
        (changed(GOOD, "    title: One job\n", "    title:\n"), 4, "nothing stands behind it.*Add `title:`"),
        (
            changed(GOOD, "    shape: one\n    key: job\n", "    shape: one\n"),
            3,
            "key is missing.*Add `key:`",
        ),
        (changed(GOOD, "title: One job", "title: 2026-13-45"), 4, "month must be.*in quotes"),
        (LOGS + "    scope: {query: 'x}\n", 21, "that begins in line 20"),
        (changed(GOOD, "key: job", "key: jbo"), 11, r"requires 'job'.*The result holds jbo"),
        (
            changed(GOOD, "{type: object, r", "{type: object, properties: {job: {$ref: '#/nowhere'}}, r"),
            11,
            "nothing",
        ),
        (GOOD + "    covers: {since: state}\n", 19, "state is not a time"),
        (GOOD + "    redact: [job..state]\n", 19, "no path to a field"),
        (changed(GOOD, "[strip, lower]", "strip"), 17, "job_id is not a list"),
        (GOOD + GOOD.partition("tools:\n")[2], 19, "find_job is declared twice"),
        *[
            (changed(GOOD, "{job_id: {type: string}", f"{{job_id: {schema}"), 10, words)
            for schema, words in (
                ("{type: string, maxLenght: 3}", "no word 'maxLenght'; did you mean maxLength"),
                ("{type: string, nullable: true}", "no word 'nullable'"),
                ("{type: string, format: datetime}", "no format 'datetime'; did you mean date-time"),
                ("{items: {maxLenght: 3}}", r"properties\.job_id\.items\.maxLenght: JSON Schema has no"),
                ("{anyOf: [{}, {maxLenght: 3}]}", r"anyOf\.1\.maxLenght"),
                ("{$ref: '#/$defs/id'}", "leads to nothing in this schema"),
                ("{$ref: '#/properties/job_id'}", "refers to itself"),
                ("{anyOf: [{$ref: '#/properties/job_id'}]}", "refers to itself"),
                ("true", "may be anything.*type: string"),
            )
        ],
        (changed(LOGS, "since: {type: string, format: date-time}", "since: true"), 12, "may be anything"),
    ],
)
def test_a_mistake_in_a_tool_file_is_named_with_its_line_and_its_cure(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    with pytest.raises(DefinitionError, match=words) as caught:
        load(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'tools.yaml'}:{line}: ")


@pytest.mark.parametrize(
    ("connectors", "words"),
    [
        ("connectors: []", "not a mapping"),
        ("connectors: {shop: {kind: oracle}}", "Use one of http, "),
        ("connectors: {shop: {kind: postgres, title: Shop}}", "lacks dsn_env"),
        (
            "connectors: {shop: {kind: postgres, title: S, dsn_env: X, dsn: 'postgres://u:p@h/d'}}",
            "unknown key",
        ),
        ("connectors: {shop: {kind: postgres, title: S, dsn_env: X, connections: 0}}", "from 1 to 64"),
        ("connectors: {m: {kind: loki, title: S, url_env: X, connections: true}}", "from 1 to 64"),
        ("connectors: {shop: {kind: [postgres], title: S, dsn_env: X}}", "Use one of http, "),
        ("connectors: {shop: {kind: postgres, title: S, dsn_env:}}", "dsn_env is missing.*Add `dsn_env:`"),
        (
            "connectors: {logs: {kind: jsonlines, title: S, folder_env: X, fields: {tennant: t}}}",
            "unknown key",
        ),
    ],
)
def test_a_mistake_in_a_connectors_file_is_named(tmp_path: Path, connectors: str, words: str) -> None:
    with pytest.raises(DefinitionError, match=words):
        load(tmp_path, GOOD, connectors)


@pytest.mark.parametrize(
    "parts",
    [
        "kind: postgres, dsn_env: 'postgres://u:verysecret@h/d'",
        "kind: mysql, dsn_env: 'mysql://u:verysecret@h/d'",
        "kind: jsonlines, folder_env: /srv/verysecret",
        "kind: http, url_env: 'https://verysecret.example.com'",
        "kind: http, url_env: X, credential: {bearer_env: very-secret-verysecret}",
        "kind: http, url_env: X, credential: {basic_env: [USER, 'a verysecret']}",
        "kind: http, url_env: X, ca_env: /etc/verysecret.pem",
        "kind: kubernetes, kubeconfig_env: /etc/verysecret.yaml",
    ],
)
def test_a_value_where_the_name_of_a_variable_belongs_is_refused_and_not_repeated(
    tmp_path: Path, parts: str
) -> None:
    with pytest.raises(
        DefinitionError, match=r"_env.* is not the name of a variable\. Write the name"
    ) as caught:
        load(tmp_path, GOOD, f"connectors:\n  shop: {{title: S, {parts}}}\n")
    assert caught.value.line == 2
    assert "verysecret" not in str(caught.value)


def test_a_schema_may_repeat_itself_deeper_and_hold_words_of_its_own(tmp_path: Path) -> None:
    tree = "{type: object, x-unit: none, properties: {of: {$ref: '#/properties/job'}}}"
    load(tmp_path, changed(GOOD, "{type: object, r", f"{{type: object, properties: {{job: {tree}}}, r"))


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"nonesuch\.yaml:1: does not exist"):
        registry.load([tmp_path / "nonesuch.yaml"], None)


def test_one_name_declared_in_two_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "again.yaml").write_text(GOOD)
    (tmp_path / "tools.yaml").write_text(GOOD)
    (tmp_path / "c.yaml").write_text(CONNECTORS)
    with pytest.raises(
        DefinitionError, match=r"tools\.yaml:3: .*declared twice, the first time in .*again\.yaml"
    ):
        registry.load([tmp_path / "again.yaml", tmp_path / "tools.yaml"], tmp_path / "c.yaml")


def test_a_database_tool_is_loaded_with_numbered_placeholders(tmp_path: Path) -> None:
    tool = load(tmp_path).definitions["find_job"]
    assert isinstance(tool.question, SqlQuestion)
    assert (
        tool.question.statement.text
        == "SELECT * FROM jobs WHERE id = $1::text AND state LIKE '%' || $2::text"
    )
    assert tool.question.statement.names == ("job_id", "state")
    assert (tool.limits.rows, tool.limits.bytes, tool.limits.seconds) == (3, 65_536, 0.5)
    assert tool.tool_shape.normalise == {"job_id": ("strip", "lower")}
    assert tool.tool_shape.defaults == {"state": "done"}


def test_a_log_tool_covers_the_window_of_its_question(tmp_path: Path) -> None:
    tool = load(tmp_path, LOGS).definitions["count_lines"]
    assert isinstance(tool.question, LogQuestion)
    assert tool.question.count
    assert tool.covers == {"since": "since", "until": "until"}


def test_another_question_is_another_digest(tmp_path: Path) -> None:
    before = load(tmp_path).definitions["find_job"].digest
    assert load(tmp_path).definitions["find_job"].digest == before
    assert load(tmp_path, changed(GOOD, "count(*) > 0", "true")).definitions["find_job"].digest != before


def test_without_files_the_toolbox_is_empty() -> None:
    assert registry.load([], None).shapes() == {}


def test_the_system_check_names_a_file_that_cannot_be_used(tmp_path: Path, settings: Any) -> None:
    settings.TRIAGE_TOOLS, settings.TRIAGE_CONNECTORS = [tmp_path / "gone.yaml"], ""
    registry.current.cache_clear()
    (found,) = tools_load()
    registry.current.cache_clear()
    assert found.id == "toolbox.E001"
    assert "gone.yaml:1: does not exist" in found.msg
