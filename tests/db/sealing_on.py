"""A sealer that goes on in small batches until it is killed: `python -m tests.db.sealing_on KEY`."""

import sys

import django


def main(text: str) -> None:
    """Seal without end; print a line for each batch."""
    django.setup()
    from assay_core.notes import SigningKey
    from audit.sealing import seal

    key = SigningKey.read(text)
    while True:
        done = seal(key, most=37)
        if done is not None and done.taken:
            print(done.taken, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
