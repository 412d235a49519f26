"""The quick look for secrets, held to texts made from each shape: too slow to be among the pure tests."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox import secretshapes

FULL = os.environ.get("FULL") == "1"


@pytest.mark.parametrize("shape", secretshapes.SHAPES, ids=lambda shape: f"{shape.name}, {shape.hints[0]}")
def test_no_quick_look_overlooks_what_a_shape_fits(shape: secretshapes.Shape) -> None:
    alphabet = st.characters(codec="ascii")

    @settings(max_examples=60 if FULL else 2, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(shape.pattern, alphabet=alphabet), st.text(alphabet, max_size=4))
    def holds(found: str, before: str) -> None:
        lowered = f"{before} {found}".lower()
        assert shape.can_be_in(lowered)
        assert shape in secretshapes.possible(lowered)

    holds()
