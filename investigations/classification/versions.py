"""Whether a text names a version of anything. Pure.

A number is one when it says so (v1.2, version 4, 1.2.3) or stands behind the name of a thing (Python 3.12,
Ubuntu 24.04). Addresses of machines, times, sizes and dates are none.
"""

import re

_TAIL = r"(?:[-+._]?(?:alpha|beta|rc|dev|pre|post|snapshot|nightly|lts|b|a)[.\d]*)?"
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_SHAPES = (
    re.compile(rf"(?<![\w.])v\d{{1,4}}(?:\.\d{{1,5}}){{0,3}}{_TAIL}(?![\w.]*\w*/)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:version|release|build|revision|ver\.?)\b[\s:=*_`\"'(|-]{0,12}v?\d[\w.+-]{0,30}", re.IGNORECASE
    ),
    re.compile(rf"(?<![\w.:/])\d{{1,4}}\.\d{{1,4}}\.\d{{1,5}}{_TAIL}(?![\w:]|\.\d)", re.IGNORECASE),
    re.compile(
        r"\b(?:python|node(?:\.?js)?|java|jdk|go|golang|rust|ruby|php|django|flask|react|vue|angular|npm|pip|"
        r"docker|kubernetes|k8s|helm|postgres(?:ql)?|mysql|mariadb|redis|ubuntu|debian|fedora|windows|macos|ios|"
        r"android|chrome|chromium|firefox|safari|grafana|prometheus|alertmanager|loki|tempo|celery|kernel|linux)"
        r"[\s:=*_`/@-]{1,4}v?\d{1,4}(?:\.\d{1,5}){0,3}\b(?!\s*(?:%|ms|s\b|times|errors?|seconds|minutes|hours))",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:commit|sha|rev)\b[\s:=`]{1,4}[0-9a-f]{7,40}\b", re.IGNORECASE),
)


def found_in(text: str) -> str:
    """Return the first version that a text names, as it stands there, or an empty text."""
    bare = _ADDRESS.sub(" ", text)
    found = [match for shape in _SHAPES if (match := shape.search(bare))]
    if not found:
        return ""
    return " ".join(min(found, key=lambda match: match.start())[0].split())[:60]
