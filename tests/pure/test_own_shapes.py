"""A deployment's own secrets are masked like any other, and no pattern may take evidence for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from toolbox import ownshapes, redaction, secretshapes
from toolbox.ownshapes import PatternRefused


@pytest.fixture(autouse=True)
def _none_left() -> Iterator[None]:
    yield
    secretshapes.use_own(())


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("no colon here", "name: pattern"),
        ("bad_name: x", "letters and spaces"),
        (": x", "letters and spaces"),
        ("badge: (", "no regular expression"),
        ("badge: x*", "empty text"),
        ("badge:", "empty text"),
        ("badge: [0-9a-f]{32}", "a trace id"),
        (r"badge: \b[0-9a-f]{16}\b", "a span id"),
        (r"badge: \d+", "evidence"),
        (r"badge: [0-9a-f-]{36}", "evidence"),
        ("badge: sha256:", "an image digest"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_its_line(
    tmp_path: Path, line: str, sentence: str
) -> None:
    file = tmp_path / "patterns.txt"
    file.write_text(f"# ours\n\n{line}\n", encoding="utf-8")
    with pytest.raises(PatternRefused, match=sentence) as caught:
        ownshapes.read(file)
    assert "patterns.txt, line 3" in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PatternRefused, match="cannot be read"):
        ownshapes.read(tmp_path / "nowhere.txt")


def test_what_they_fit_is_masked_by_name_and_the_rest_stays(tmp_path: Path) -> None:
    file = tmp_path / "patterns.txt"
    file.write_text(
        "badge number: \\bBDG-\\d{8}\\b\nticket: ticket=(?P<secret>[a-z]{20,})\n", encoding="utf-8"
    )
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    said = f"BDG-12345678 asked with ticket={'a' * 24}, trace {trace}"
    assert redaction.text(said) == said
    secretshapes.use_own(ownshapes.read(file))
    masked = f"[redacted: badge number] asked with ticket=[redacted: ticket], trace {trace}"
    assert redaction.text(said) == masked
    assert redaction.copy_for_readers({"line": said}).value == {"line": masked}
    assert redaction.text(masked) == masked
