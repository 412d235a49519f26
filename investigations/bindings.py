"""What stored cases say of entries, for the verification of the audit log."""

import json
from collections.abc import Iterator

from investigations.models import Case


def cited_entries() -> Iterator[tuple[int, str, str]]:
    """Yield (entry id, leaf in hex, where it is cited) of every entry that a stored case was judged on."""
    for pk, body in Case.objects.order_by("pk").values_list("pk", "body").iterator(chunk_size=200):
        for number, leaf in json.loads(body)["case"]["entries"]:
            yield number, leaf, f"case {pk}"
