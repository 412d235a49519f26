"""What reading a relation of MySQL or MariaDB sets going: views that read as others, tables elsewhere."""

# ruff: noqa: S608 these texts hold no value from outside, or one in hexadecimal digits

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from toolbox.connectors.credential import Finding
from toolbox.connectors.mysqlgate import StatementRefused, demand_one_select, refused_call, relations
from toolbox.connectors.mysqllink import ReadLink
from toolbox.deadline import Deadline

_MOST = 2_000
_OWN = "('sys','mysql','performance_schema','information_schema')"
_HARMLESS = frozenset({"information_schema", "performance_schema"})
# Engines that keep their rows with the server, or make them up. Any other may ask a server, a file or a
# program whenever it is read.
_LOCAL = (
    "('INNODB','MYISAM','ARIA','MEMORY','ARCHIVE','CSV','MRG_MYISAM','BLACKHOLE','SEQUENCE','ROCKSDB','TOKUDB',"
    "'COLUMNSTORE','NDBCLUSTER','NDB','MROONGA','OQGRAPH','S3','PERFORMANCE_SCHEMA')"
)
_VIEWS = (
    "SELECT table_schema, table_name, definer, security_type, view_definition FROM information_schema.views "
    f"WHERE table_schema NOT IN {_OWN} ORDER BY 1, 2 LIMIT {_MOST + 1}"
)
_ELSEWHERE = (
    "SELECT table_schema, table_name, engine FROM information_schema.tables "
    f"WHERE UPPER(engine) NOT IN {_LOCAL} AND table_schema NOT IN {_OWN} ORDER BY 1, 2 LIMIT 200"
)
# A table that MariaDB makes up of its name.
_COUNTED = re.compile(r"seq_\d+_to_\d+(_step_\d+)?", re.IGNORECASE)
Named = tuple[str, str]


@dataclass(frozen=True, slots=True)
class View:
    """One view that the account may see."""

    schema: str
    name: str
    definer: str
    is_definers: bool
    text: str

    @property
    def cure(self) -> str:
        """What makes it read as whoever asks."""
        return f"ALTER SQL SECURITY INVOKER VIEW {self.schema}.{self.name} AS ...;"

    def reads(self) -> set[Named]:
        """Return the relations in its text, by schema and name; raise StatementRefused."""
        has_names_of_its_own = self.text.lstrip("( \n").lower().startswith("with")
        found = relations(self.text)
        return {(place or self.schema, name) for place, name in found if place or not has_names_of_its_own}

    def finding(self, privilege: str, cure: str, *, warning: bool = False) -> Finding:
        """Return what was found of it."""
        check = "definer_view" if self.is_definers else "view"
        return Finding(check, f"{self.schema}.{self.name}", privilege, cure=cure, warning=warning)


def of_relations(link: ReadLink, account: str, deadline: Deadline) -> Iterator[Finding]:
    """Yield each relation that the account may read and that does more, or might, than give its own rows.

    Raises what a link raises.
    """
    for place, name, engine in link.run(_ELSEWHERE, deadline):
        where = f"{_quoted(place)}.{_quoted(name)}"
        cure = f"REVOKE SELECT ON {where} FROM {_quoted_account(account)};"
        yield Finding("foreign", f"{place}.{name}", f"SELECT THROUGH {engine}", cure=cure)
    rows = link.run(_VIEWS, deadline)
    if len(rows) > _MOST:
        yield Finding("definer_view", f"more than {_MOST} views", "SELECT", cure="grant SELECT view by view")
    views = [
        View(str(row[0]), str(row[1]), str(row[2]), row[3] != "INVOKER", str(row[4] or "")) for row in rows
    ]
    seen = _visible(link, {named for view in views for named in _named(view)}, deadline)
    for view in views:
        yield from _of_definer(view, seen, account) if view.is_definers else _of_invoker(view)


def _of_invoker(view: View) -> Iterator[Finding]:
    """A view that reads as its caller may still call what needs no privilege."""
    try:
        called = refused_call(view.text)
    except StatementRefused:
        return  # it is read as the caller, who may do no more there than here
    if called:
        yield view.finding(f"CALLS {called}", f"DROP VIEW {view.schema}.{view.name};")


def _of_definer(view: View, seen: set[Named], account: str) -> Iterator[Finding]:
    """A view that reads as another is shown. What one calls as another, no transaction takes back."""
    if not view.text:
        cure = _sight((view.schema, view.name), account, "SELECT, SHOW VIEW")
        yield view.finding(f"UNSEEN AS {view.definer}", cure)
        return
    try:
        demand_one_select(view.text)
        unseen = sorted(_named(view) - seen)
    except StatementRefused as refused:
        yield view.finding(f"CALLS AS {view.definer}", f"{view.cure} ({refused})")
        return
    for named in unseen:
        # It may be a view that calls what no reader may, or a table that is kept elsewhere.
        privilege = f"READS {'.'.join(named)} UNSEEN AS {view.definer}"
        yield view.finding(privilege, _sight(named, account, "SHOW VIEW"))
    if not unseen:
        yield view.finding(f"READS AS {view.definer}", view.cure, warning=True)


def _named(view: View) -> set[Named]:
    try:
        reads = view.reads()
    except StatementRefused:
        return set()
    return {
        (place.casefold(), name.casefold())
        for place, name in reads
        if place not in _HARMLESS and not _COUNTED.fullmatch(name)
    }


def _visible(link: ReadLink, wanted: Iterable[Named], deadline: Deadline) -> set[Named]:
    """Return those of the named relations that the account can see."""
    pairs = ",".join(f"({_literal(place)},{_literal(name)})" for place, name in sorted(wanted))
    if not pairs:
        return set()
    rows: Sequence[Sequence[object]] = link.run(
        "SELECT table_schema, table_name FROM information_schema.tables "
        f"WHERE (LOWER(table_schema), LOWER(table_name)) IN ({pairs})",
        deadline,
    )
    return {(str(place).casefold(), str(name).casefold()) for place, name in rows}


def _sight(named: Named, account: str, rights: str) -> str:
    where = ".".join(map(_quoted, named))
    return f"GRANT {rights} ON {where} TO {_quoted_account(account)}; so that the proof can read it"


def _quoted_account(account: str) -> str:
    user, _, host = account.rpartition("@")
    return f"{_quoted(user)}@{_quoted(host)}"


def _quoted(name: object) -> str:
    return "`" + str(name).replace("`", "``") + "`"


def _literal(text: str) -> str:
    return f"_utf8mb4 X'{text.encode().hex()}'"
