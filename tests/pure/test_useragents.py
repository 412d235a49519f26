"""Browsers in two words."""

import pytest

from accounts.useragents import in_words

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("", "A browser that does not say its name"),
        ("curl/8.5", "curl/8.5"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (
            f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/156.0 Safari/537.36",
            "Chrome on Windows",
        ),
        (f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/156.0 Safari/537.36 Edg/156.0", "Edge on Windows"),
        (
            "Mozilla/5.0 (iPhone; like Mac OS X) Version/26.0 Safari/604.1",
            "Safari on iPhone",
        ),
        (f"Mozilla/5.0 (Linux; Android 16) {WEBKIT} Chrome/156.0 Mobile Safari/537.36", "Chrome on Android"),
    ],
)
def test_a_browser_is_named_by_what_it_says(said: str, words: str) -> None:
    assert in_words(said) == words
