"""A browser's name and system in two words, from what it says of itself: for people to recognise it by."""

_NAMES = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("HeadlessChrome/", "Chrome without a window"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def in_words(user_agent: str) -> str:
    """Return such as `Firefox on Windows`; the text itself where it names no browser that is known."""
    name = next((word for piece, word in _NAMES if piece in user_agent), "")
    system = next((word for piece, word in _SYSTEMS if piece in user_agent), "")
    if not name:
        return user_agent or "A browser that does not say its name"
    return f"{name} on {system}" if system else name
