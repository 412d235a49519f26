"""Rows of another table as one more column of a query, so that a page asks once for many short lists."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BinaryField, Field, Model, QuerySet
from django.db.models.functions import JSONObject

M = TypeVar("M", bound=Model)


def listed(rows: QuerySet[Any], *related: str) -> ArraySubquery:
    """Return a query's rows, in its order, as one column of JSON; it names the row it stands in by OuterRef.

    The rows that its foreign keys in `related` point to come along. What is bytes is left out.
    """
    columns: dict[str, Any] = {each.attname: each.attname for each in _plain(rows.model)}
    for name in related:
        theirs = _plain(_other(rows.model, name))
        columns[name] = JSONObject(**{each.attname: f"{name}__{each.attname}" for each in theirs})
    return ArraySubquery(rows.values(row=JSONObject(**columns)))


def read(model: type[M], rows: Iterable[Mapping[str, Any]]) -> list[M]:
    """Return the rows of a `listed` column as what they are in the database."""
    return [_made(model, row) for row in rows]


def _made(model: type[M], row: Mapping[str, Any]) -> M:
    plain = _plain(model)
    made = model.from_db(
        None, [each.attname for each in plain], [_value(each, row[each.attname]) for each in plain]
    )
    for name, value in row.items():
        if isinstance(value, dict) and model._meta.get_field(name).is_relation:
            other = _other(model, name)
            is_null = value[other._meta.pk.attname] is None
            setattr(made, name, None if is_null else _made(other, value))
    return made


def _other(model: type[Model], name: str) -> type[Model]:
    other = model._meta.get_field(name).related_model
    assert isinstance(other, type)
    assert issubclass(other, Model)
    return other


def _plain(model: type[Model]) -> list["Field[Any, Any]"]:
    return [each for each in model._meta.concrete_fields if not isinstance(each, BinaryField)]


def _value(column: "Field[Any, Any]", value: Any) -> Any:
    """JSON has no times: they come as text. What is JSON in the table is read already."""
    return value if column.get_internal_type() == "JSONField" else column.to_python(value)
