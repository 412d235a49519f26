"""What a write changes, as lines: each leaf by its path, what differs first, nothing lost."""

from approvals.differences import Change, changes, flat


def test_no_leaf_is_lost_not_even_an_empty_one() -> None:
    value = {"a": {"b": [1, {"c": None}], "d": {}, "e": []}, "f": True, "g": "text"}
    assert flat(value) == {
        "a.b[0]": "1", "a.b[1].c": "null", "a.d": "{}", "a.e": "[]", "f": "true", "g": "text",
    }  # fmt: skip


def test_what_differs_stands_first_and_says_how() -> None:
    found = changes({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 9, "d": 4})
    assert [(change.path, change.kind) for change in found] == [
        ("b", "changed"), ("c", "removed"), ("d", "added"), ("a", "same"),
    ]  # fmt: skip
    assert found[0] == Change("b", "2", "9")


def test_nothing_before_makes_everything_new() -> None:
    assert [change.kind for change in changes({}, {"a": 0})] == ["added"]
    assert changes({}, {}) == ()
