"""Pure tests are many and short: what was imported to collect them is not searched for garbage again."""

import gc

gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from here on, and rarely: each test leaves little behind."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
