"""Golden rows without what belongs to people: secrets and personal data masked before a row is kept. Pure."""

from dataclasses import replace

from toolbox import redaction
from trials.golden.rows import Row
from verdicts.masking import personal


def masked(row: Row) -> Row:
    """Return a row with its title and body masked. What is masked already stays as it is."""
    return replace(row, title=masked_text(row.title), body=masked_text(row.body))


def masked_text(text: str) -> str:
    """Return a text in which each secret and each piece of personal data is named by its kind alone."""
    bare, kept, parts = redaction.text(text), 0, []
    for begin, end, kind in sorted(personal.spans(bare)):
        if begin < kept:  # inside of one that was masked already
            continue
        parts += [bare[kept:begin], f"[redacted: {kind}]"]
        kept = end
    return "".join([*parts, bare[kept:]])
