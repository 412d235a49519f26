"""What a credential looks like: by its own prefix, or by the word that stands before it. Pure.

Nothing here goes by entropy: it would take trace ids, digests and commits for secrets and destroy evidence.
VERSION rises with every change of the shapes, so that a count says which shapes made it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ahocorasick_rs import AhoCorasick, Implementation

VERSION = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of credential. `hints` are lower-case texts of which one is in every text that can match.

    `likely` says of such a text, in lower case, whether it can match for all that a quick look tells;
    `apart` whether it can where no other secret is masked beside it, which would end a word there.
    The group `secret` is what is masked; without one the whole match is.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    likely: Callable[[str], bool] | None = None
    apart: Callable[[str], bool] | None = None

    def can_be_in(self, lowered: str) -> bool:
        """Say whether a text can hold one, given in lower case."""
        for hint in self.hints:
            if hint in lowered:
                return self.likely is None or self.likely(lowered)
        return False


@dataclass(frozen=True, slots=True)
class Followed:
    """Says of a text whether one of the hints is followed so: a search of each place costs much more."""

    hints: tuple[str, ...]
    after: re.Pattern[str]
    begins: bool = False

    def __call__(self, lowered: str) -> bool:
        for hint in self.hints:
            place = lowered.find(hint)
            while place >= 0:
                end = place + len(hint)
                if self.fits(lowered, place, end):
                    return True
                place = lowered.find(hint, end)
        return False

    def fits(self, lowered: str, place: int, end: int) -> bool:
        """Say so of a hint that stands at this place."""
        is_within = self.begins and place > 0 and lowered[place - 1] in _WITHIN_WORDS
        return not is_within and self.after.match(lowered, end) is not None


def _shape(
    name: str, hints: str, pattern: str, flags: int = 0, *, after: str = "", begins: bool = False
) -> Shape:
    """Return a shape; `after` is what follows a hint in every text that matches, in lower case.

    `begins`: no letter, digit or _ stands before the hint.
    """
    told = tuple(hints.split())
    likely = Followed(told, re.compile(after)) if after else None
    apart = Followed(told, re.compile(after), begins=True) if begins else None
    return Shape(name, told, re.compile(pattern, flags), likely, apart)


# Not k: the sign for kelvin, which is no letter to the shapes, becomes one in lower case.
_WITHIN_WORDS = frozenset("abcdefghijlmnopqrstuvwxyz0123456789_")
_DIGITS_ALIKE = str.maketrans("123456789-", "000000000 ")
_CARD_LEAST = 15
_RUN = re.compile("0+")
_CARDS = {
    form: re.compile(f"{form}(?<![0a-z_.]{form})0?(?![0a-z_])")
    for form in (
        "0" * _CARD_LEAST,
        "0000 0000 0000 0000",
        "0000 000000 00000",
        "0000 00000000000",
        "0000000000 00000",
    )
}


def _may_hold_card(lowered: str) -> bool:
    """Say whether a text holds as many digits in a row, or in such groups, as a card's number has."""
    if len(lowered) < _CARD_LEAST:
        return False
    if not lowered.isascii():
        return True  # other scripts have digits of their own
    alike = lowered.translate(_DIGITS_ALIKE)
    return any(form in alike for form in _CARDS)


def _may_hold_card_apart(lowered: str) -> bool:
    """Say so of digits that are no part of a longer word or number."""
    if not lowered.isascii():
        return True
    alike = lowered.translate(_DIGITS_ALIKE)
    for form, apart in _CARDS.items():
        place = alike.find(form)
        while place >= 0:
            if apart.match(alike, place):
                return True
            # Whatever begins later within these digits has one before it.
            digits = _RUN.match(alike, place)
            place = alike.find(form, digits.end() if digits else place + 1)
    return False


# The closing quote of a name, escaped or not: a log line may hold JSON that holds JSON.
_QUOTE = r"(?:\\{0,3}[\"'])?"
_START = r"(?<![A-Za-z0-9_])"
_WORD = r"[A-Za-z0-9_\-]"
# What stands where a secret was, or will be: masking it would count what is none.
_NO_VALUE = r"(?!\[redacted|\*{3}|<|\$\{?[A-Za-z_]|%\(|null\b|None\b|nil\b|true\b|false\b|undefined\b)"
# What follows a name whose value comes next, and what follows a part of one of the names below.
_SET_TO = r"[\"']?\s*[:=]"
_NAME_ENDS = r"[\w\-]{0,8}(?:\\{0,3}[\"'])?\s*[:=]"
_BEFORE = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|api[_\-]?key|access[_\-]?key|account[_\-]?key|private[_\-]?key"
    r"|signing[_\-]?key|encryption[_\-]?key|(?:auth|access|refresh|id|session|bearer|api|bot|csrf)[_\-]?token"
    r"|x-api-key|x-auth-token|connection[_\-]?string)"
)
_VENDORS = (
    r"dapi[a-f0-9]{32}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|sq0(?:atp|csp|idp)-[\w\-]{22,}|lin_api_\w{32,}"
    r"|dckr_(?:pat|oat)_[\w\-]{20,}|gl(?:sa|c)_[\w\-]{30,}=*|hv[sbr]\.[\w\-]{20,}|\w{14}\.atlasv1\.[\w\-]{40,}"
    r"|AGE-SECRET-KEY-1[0-9A-Z]{50,}|NRAK-[A-Z0-9]{24,}|key-[0-9a-f]{32}|tskey-[a-z]+-[\w\-]{16,}|rubygems_[a-f0-9]{40,}"
    r"|ntn_\w{30,}|pul-[a-f0-9]{40}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|sntrys_[\w+/=\-]{40,}"
)

SHAPES: tuple[Shape, ...] = (
    _shape(
        "private key",
        "-----begin",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|.*)",
        re.DOTALL,
    ),
    # The half that nobody may know stands bare behind the id in exports and in many a log.
    _shape(
        "AWS secret",
        "akia asia abia acca",
        _START + r"A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{16}[\s,:;|\"'=]{1,5}(?![0-9a-f]{40})"
        r"(?P<secret>[0-9A-Za-z/+]{40})(?![0-9A-Za-z/+=])",
        after="[0-9a-z]{16}",
        begins=True,
    ),
    _shape(
        "AWS key id",
        "akia asia abia acca",
        _START + r"A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{16}(?![0-9A-Za-z])",
        after="[0-9a-z]{16}",
        begins=True,
    ),
    _shape(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_START}(?:gh[pousr]_[A-Za-z0-9]{{30,}}|github_pat_\w{{22,}})",
    ),
    _shape(
        "GitLab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent-",
        rf"{_START}gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-{_WORD}{{20,}}",
    ),
    _shape("Slack token", "xox xapp-", rf"{_START}(?:xox[abeoprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9\-]{{10,}}"),
    _shape(
        "Slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/\-]{20,})",
    ),
    _shape(
        "Stripe key",
        "sk_ rk_ whsec_",
        rf"{_START}(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{{16,}}|whsec_[A-Za-z0-9+/=]{{24,}})",
    ),
    _shape("Anthropic key", "sk-ant-", rf"{_START}sk-ant-{_WORD}{{20,}}"),
    _shape(
        "OpenAI key",
        "sk-",
        rf"(?<![A-Za-z0-9_\-])sk-(?:(?:proj|svcacct|admin|None)-{_WORD}{{20,}}|[A-Za-z0-9]{{32,}})",
    ),
    _shape(
        "Google key",
        "aiza ya29. gocspx-",
        rf"{_START}(?:AIza{_WORD}{{35}}|ya29\.[\w.\-]{{20,}}|GOCSPX-{_WORD}{{20,}})",
    ),
    _shape("Hugging Face token", "hf_ api_org_", _START + r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    _shape("npm token", "npm_", _START + r"npm_[A-Za-z0-9]{36}"),
    _shape("PyPI token", "pypi-", rf"{_START}pypi-{_WORD}{{50,}}"),
    _shape("SendGrid key", "sg.", rf"{_START}SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}"),
    _shape("Telegram token", ":aa", rf"(?<![\d:])\d{{8,10}}:AA{_WORD}{{33}}(?![\w\-])"),
    _shape("DigitalOcean token", "_v1_", _START + r"do[opr]_v1_[a-f0-9]{64}"),
    _shape("Assay token", "assay_", rf"{_START}assay_{_WORD}{{43}}(?!{_WORD})"),
    _shape(
        "JSON web token",
        "eyj",
        r"(?<![A-Za-z0-9_\-])eyJ[\w\-]{8,}\.(?:[\w\-]{8,}\.[\w\-]{8,}|[\w\-]*\.[\w\-]{8,}\.[\w\-]{8,}\.[\w\-]{8,})",
    ),
    _shape(
        "vendor token",
        "dapi shp sq0 lin_api_ dckr_ glsa_ glc_ hvs. hvb. hvr. .atlasv1. age-secret nrak- key- tskey-"
        " rubygems_ ntn_ pul- pmak- sntrys_",
        rf"{_START}(?:{_VENDORS})(?!{_WORD})",
    ),
    # By itself: three letters stand in every few digests.
    _shape(
        "vendor token", "eaa", rf"{_START}EAA[A-Za-z0-9]{{80,}}(?!{_WORD})", after="[a-z0-9]{80}", begins=True
    ),
    _shape(
        "signed address",
        "sig= signature=",
        r"(?i)[?&;](?:sig|(?:x-(?:amz|goog)-)?signature)=(?P<secret>[A-Za-z0-9%+/=_\-]{20,})",
    ),
    _shape(
        "address password",
        "://",
        r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{0,30}://[^\s/:@\"'<>]{0,256}:(?!\[redacted)"
        r"(?P<secret>[^\s/\"'<>]{1,512})@",
    ),
    _shape(
        "cookie",
        "cookie",
        r"(?i)\b(?:set-)?cookie\b[\"']?\s*[:=]\s*[\"']?(?!\[redacted)(?P<secret>[^\s\"'=;]+=[^\"'\r\n]+)",
        after=_SET_TO,
    ),
    _shape(
        "authorization",
        "authorization",
        r"(?i)authorization[\"']?\s*[:=]\s*[\"']?(?!(?:\w[\w\-]*\s+)?\[redacted)"
        r"(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?"
        rf"{_NO_VALUE}(?P<secret>[^\s\"',;]{{4,}})",
        after=_SET_TO,
    ),
    _shape(
        "bearer token",
        "bearer basic",
        rf"(?i)(?<![A-Za-z0-9])(?:bearer|basic)\s+{_NO_VALUE}(?=[A-Za-z._~+/\-]*[0-9=])(?P<secret>[A-Za-z0-9._~+/=\-]{{8,}})",
        after=r"\s",
    ),
    _shape(
        "password",
        "pass pwd secret key token connection",
        rf"(?i){_BEFORE}{_QUOTE}\s*(?:=>?|:=)\s*(?!\\{{0,3}}[/=])(?:{_NO_VALUE}[\"'](?P<quoted>[^\"'\\\r\n]+)"
        rf"|[\"']?{_NO_VALUE}(?P<secret>[^\s\"',;&|)\]}}]+))",
        after=_NAME_ENDS,
    ),
    _shape(
        "password",
        "pass pwd secret key token connection",
        rf"(?i){_BEFORE}{_QUOTE}\s*:\s*(?:\\{{0,3}}[\"']{_NO_VALUE}(?P<quoted>[^\"'\\\r\n]+)"
        rf"|{_NO_VALUE}(?=[A-Za-z]*[^\sA-Za-z.,:;])(?P<secret>[^\s\"',;&|)\]}}]{{6,}}))",
        after=_NAME_ENDS,
    ),
    _shape(
        "token",
        "token",
        rf"(?i)(?<![A-Za-z0-9])token[\"']?\s*[:=]\s*[\"']?{_NO_VALUE}(?=[A-Za-z_.\-]*\d)(?P<secret>[\w.+/=\-]{{8,}})",
        after=_SET_TO,
    ),
    Shape(
        "card number",
        tuple("0123456789"),
        re.compile(
            r"(?<![\w.\-])(?P<secret>(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d)([ \-]?)\d{4}\2\d{4}\2\d{4}"
            r"|3[47]\d{2}[ \-]?\d{6}[ \-]?\d{5})(?![\w\-])"
        ),
        _may_hold_card,
        _may_hold_card_apart,
    ),
)
_FIELD = re.compile(
    r"(?:^|[_\-.])(?:password|passwd|passphrase|passcode|pwd|secret|secrets|api[_\-]?key|apikey|access[_\-]?key"
    r"|account[_\-]?key|private[_\-]?key|signing[_\-]?key|encryption[_\-]?key|authorization|cookie|set[_\-]cookie"
    r"|credential|credentials|dsn|connection[_\-]?string)$"
)
_TOKEN_FIELD = re.compile(r"(?:^|[_\-.])tokens?$")
_TURNED = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PAGE_TOKEN = re.compile(r"(?:page|next|previous|continuation|sync)_?tokens?$")


@lru_cache(maxsize=4096)
def field_says_secret(name: str) -> bool:
    """Say whether a field's own name tells that its text is a secret, whatever it looks like."""
    return _FIELD.search(_spelled(name)) is not None


@lru_cache(maxsize=4096)
def field_says_token(name: str) -> bool:
    """Say whether a field is named a token. Such a text is a secret only where it is long enough for one."""
    spelled = _spelled(name)
    return _TOKEN_FIELD.search(spelled) is not None and _PAGE_TOKEN.search(spelled) is None


def _spelled(name: str) -> str:
    return _TURNED.sub("_", name).lower()


_own: tuple[Shape, ...] = ()
_NUMBERS = tuple(shape for shape in SHAPES if shape.name == "card number")
_WORDS = tuple(shape for shape in SHAPES if shape not in _NUMBERS)
_HINTS = sorted({hint for shape in _WORDS for hint in shape.hints})
_OF_HINT = [[shape for shape in _WORDS if hint in shape.hints] for hint in _HINTS]
_LONGEST_HINT = max(map(len, _HINTS))
# All of them in one pass, which takes as long as a few searches for one; they are few and short.
_FINDER = AhoCorasick(_HINTS, implementation=Implementation.DFA)
_AT_ONCE = 65_536  # of a text that holds nothing but hints, not all places are kept at a time


def use_own(shapes: tuple[Shape, ...]) -> None:
    """Look for a deployment's own shapes too, in place of those that were given before."""
    global _own
    _own = shapes


def possible(lowered: str) -> tuple[Shape, ...]:
    """Return the shapes that a text can hold, given in lower case: a cheap look before the patterns."""
    found = {id(shape) for shape in (*_NUMBERS, *_own) if shape.can_be_in(lowered)}
    for number, place, end in _hints_in(lowered):
        for shape in _OF_HINT[number]:
            if id(shape) not in found and _may_be_at(shape, lowered, place, end):
                found.add(id(shape))
    shapes = tuple(shape for shape in (*SHAPES, *_own) if id(shape) in found)
    if any(shape.apart is None or shape.apart(lowered) for shape in shapes):
        return shapes
    return ()


def _may_be_at(shape: Shape, lowered: str, place: int, end: int) -> bool:
    return not isinstance(shape.likely, Followed) or shape.likely.fits(lowered, place, end)


def _hints_in(lowered: str) -> Iterator[tuple[int, int, int]]:
    """Yield each hint's number and where it begins and ends."""
    try:
        lowered.encode()
    except UnicodeEncodeError:  # half a character can't be looked through
        lowered = lowered.encode("utf-8", "replace").decode()
    for start in range(0, len(lowered), _AT_ONCE):
        piece = lowered[start : start + _AT_ONCE + _LONGEST_HINT]
        for number, place, end in _FINDER.find_matches_as_indexes(piece, overlapping=True):
            yield number, start + place, start + end


def spans(shape: Shape, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the secrets of one shape stand in a text."""
    for found in shape.pattern.finditer(text):
        group = next((name for name in ("secret", "quoted") if found.groupdict().get(name)), 0)
        if shape.name != "card number" or _is_card(found.group(group)):
            yield found.span(group)


def _is_card(text: str) -> bool:
    """Say whether the last digit is the check digit of the others (Luhn): most other long numbers' is not."""
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [
        digit if place % 2 else sum(divmod(digit * 2, 10))
        for place, digit in enumerate(digits, len(digits) % 2)
    ]
    return sum(doubled) % 10 == 0
