"""`python -m verdicts.replay`, the same as `assay-replay`."""

from verdicts.replay.command import main

if __name__ == "__main__":
    raise SystemExit(main())
