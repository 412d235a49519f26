"""The statement gate of MySQL and MariaDB: one plain SELECT passes, and arguments can spell nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.db.test_readonly_attempts import tool
from toolbox.connectors.mysqlgate import StatementRefused, compiled, relations, rendered
from toolbox.connectors.mysqlvalues import literals
from toolbox.connectors.pgfailures import ArgumentRefused
from toolbox.definitions import Statement

NO_PLAIN_SELECT = [
    ("", "begins with SELECT or WITH"),
    ("   /* nothing */ ", "begins with SELECT or WITH"),
    ("INSERT INTO t VALUES (1)", "begins with SELECT or WITH"),
    ("SELECT 1;", "one statement, without a semicolon"),
    ("SELECT @a", "no variables"),
    ("SELECT 'a\\'", "holds a backslash"),
    ("SELECT `a", "a quoted name does not end"),
    ("SELECT 1 /* open", "a comment does not end"),
    ("SELECT /*! 1 */", "a comment that the server executes"),
    ("SELECT /*m!1 1 */", "a comment that the server executes"),
    ("SELECT /*+ x */ 1", "a comment that the server executes"),
    ("SELECT x FROM t INTO OUTFILE 'f'", "INTO is not for reading"),
    ("SELECT x FROM t FOR UPDATE", "UPDATE is not for reading"),
    ("SELECT x FROM t FOR SHARE", "FOR SHARE takes locks"),
    ("SELECT x FROM t LOCK IN SHARE MODE", "LOCK is not for reading"),
    ("SELECT NEXT VALUE FOR s", "moves a sequence"),
    ("SELECT SLEEP(1)", "SLEEP() waits"),
    ("SELECT lib_eval('x')", "lib_eval() is not among the built-in functions"),
    ("SELECT shop.COUNT(x) FROM t", "COUNT() is not among"),
    ("SELECT `count`(x) FROM t", "`count`() is not among"),
    ("WITH r (i) AS (SELECT 1) SELECT i FROM r", "r() is not among"),
    ("SELECT a REGEXP %(x)s", "a pattern that is written out"),
    ("SELECT a REGEXP 'x' 'y'", "a pattern that is written out"),
    ("SELECT REGEXP_LIKE(CONCAT(a, (b)), c)", "a pattern that is written out"),
    ("SELECT a RLIKE 'a*b*'", "nobody can say how long RLIKE takes"),
    ("SELECT a RLIKE '^a*|b*c*'", "nobody can say how long RLIKE takes"),
    ("SELECT a RLIKE '(a|b)*c'", "nobody can say how long RLIKE takes"),
    ("SELECT a RLIKE '(?R)'", "nobody can say how long RLIKE takes"),
    (f"SELECT '{'a' * 20_000}'", "at most 20000 are asked"),
    ("SELECT REPEAT(a, 2)", "REPEAT() makes a text of any length"),
    ("SELECT LPAD(a, 1001, 'x')", "pads to a number that is written out"),
    ("SELECT LPAD(a, 1e9, 'x')", "pads to a number that is written out"),
    ("SELECT RPAD(a, %(x)s, 'x')", "pads to a number that is written out"),
    ("SELECT \u017fUM(1)", "plain ASCII only"),
    ("SELECT ?", "write %(name)s"),
    ("SELECT 5 % 2", "%% for a percent sign"),
    ("SELECT '50%'", "inside quotes, write %%"),
    ("SELECT '%(x)s'", "placeholders stand outside"),
    ("SELECT \u00e9", "plain ASCII only"),
    ("SELECT \x00", "plain ASCII only"),
]


def test_what_is_no_plain_select_is_refused_with_the_word_that_is_wrong() -> None:
    for sql, words in NO_PLAIN_SELECT:
        with pytest.raises(StatementRefused) as refusal:
            pytest.fail(f"{sql!r} became {compiled(sql)!r}")
        assert words in str(refusal.value), sql


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("select `a`.`x` AS `x` from `s`.`t` `a` join (`s`.`u` `b` join `r`.`v` `c` on(1))", "s.t s.u r.v"),
        (
            "select 1 AS `n` from (`s`.`t` straight_join `s`.`u`) where exists(select 1 from `s`.`v`)",
            "s.t s.u s.v",
        ),
        ("select `q`.`x` from (select `s`.`t`.`x` AS `x` from `s`.`t`) `q`", "s.t"),
        ("with c as (select 1 AS `n` from `s`.`t`)select `c`.`n` from `c`", "s.t .c"),
        (
            "select trim(leading 'a' from `a`.`x`), extract(year from `at`), substring(`x` from 2) from t",
            ".t",
        ),
        ("select (select max(`s`.`t`.`x`) from `s`.`t`) AS `m` from dual", "s.t"),
        (
            "select 1 from json_table('[1]', '$[*]' columns(x int path '$')) `j` join lateral (select 1) `l`",
            "",
        ),
        ("select 1 from (values (1),(2)) `v` join ((select 2)) `w`", ""),
        ("select 1 from `a``b`.`c.d`", "a`b.c.d"),
        ("select trim(both 'x' from (select 'y' from `s`.`t`))", "s.t"),
        ("select 1", ""),
    ],
)
def test_the_relations_of_a_view_are_read_from_its_text(text: str, names: str) -> None:
    assert [".".join(pair) for pair in relations(text)] == names.split()


def test_a_statement_is_kept_without_its_comments_and_with_a_mark_for_each_argument() -> None:
    made = compiled("SELECT a -- why\n FROM t # so\n WHERE a=%(x)s/* ; */AND b LIKE '%%?' AND c%%2 = %(x)s")
    assert made == Statement("SELECT a   FROM t   WHERE a=? AND b LIKE '%?' AND c%2 = ?", ("x", "x"))


def test_what_was_not_filled_in_is_not_sent() -> None:
    with pytest.raises(StatementRefused, match="2 placeholders and 1 arguments"):
        rendered(Statement("SELECT ?, ?"), ["1"])
    with pytest.raises(StatementRefused, match="was not filled in"):
        rendered(Statement("SELECT %(x)s"), [])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_becomes_a_literal_that_no_quoting_rule_can_break(text: str) -> None:
    try:
        (literal,) = literals(["x"], {"x": text}, tool(""))
    except ArgumentRefused:
        assert "\x00" in text
        return
    assert re.fullmatch(r"_utf8mb4 X'[0-9a-f]*'", literal)
    assert bytes.fromhex(literal[11:-1]).decode() == text


@given(st.text(st.sampled_from("SELECT into;'\"`\\/*!-# @?%()1aM+\n\u00e9"), max_size=40))
def test_whatever_passes_holds_no_second_statement_no_comment_and_no_variable(noise: str) -> None:
    try:
        made = compiled(f"SELECT 1 {noise}")
    except StatementRefused:
        return
    outside = re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`", "", made.text)
    assert not re.search(r"[;@\\#]|/\*|-- |\binto\b", outside, re.IGNORECASE)
    assert outside.isascii()


@given(st.one_of(st.integers(), st.floats(), st.booleans(), st.none(), st.lists(st.integers(), max_size=4)))
def test_other_values_are_numbers_and_words_alone(value: object) -> None:
    try:
        (literal,) = literals(["x"], {"x": value}, tool(""))
    except ArgumentRefused:
        assert isinstance(value, float)
        return
    assert re.fullmatch(r"[-0-9.e+(), ]*|TRUE|FALSE|NULL|\(NULL\)", literal)
