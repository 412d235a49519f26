"""A draft that a model wrote, made safe to show and to send on."""

import pytest

from investigations.safewords import safe


@pytest.mark.parametrize(
    ("draft", "left"),
    [
        ("See [the report](https://collector.example/r?q=1).", "See the report (a link was left out)."),
        ("![x](https://collector.example/x.png)", "x (an image was left out)"),
        ("[a][b]\n\n[b]: https://collector.example", "a (a link was left out)\n\n(a link was left out)"),
        ("Look at https://collector.example/?q=7 now", "Look at (a link was left out) now"),
        ("www.collector.example", "(a link was left out)"),
        ("javascript:alert`1`", "(a link was left out)"),
        ("<https://collector.example>", "<(a link was left out)>"),
        ("<img src=x onerror=alert(1)>", "‹img src=x onerror=alert(1)>"),
        ("key AKIAIOSFODNN7EXAMPLE", "key [redacted: AWS key id]"),
        ("a\u202eb\U000e0041c", "abc"),
        ("[the\nreport](https://collector\n.example)", "the\nreport (a link was left out)"),
        (
            "[a](//collector.example/x) or //collector.example/y",
            "a (a link was left out) or (a link was left out)",
        ),
        (r"\\collector.example\share\x or \\box\c$", "(a link was left out) or (a link was left out)"),
        ("collector.example/p?d=7, collector.example:80/?7", "(a link was left out) (a link was left out)"),
        ("https：／／collector.example／x", "(a link was left out)"),
        ("ｈｔｔｐｓ：／／collector.example", "(a link was left out)"),
        ("https&colon;//collector.example", "https&colon;(a link was left out)"),
        ("[![x](//collector.example/a)](b)", "x (an image was left out) (a link was left out)"),
    ],
)
def test_what_leads_elsewhere_loads_or_hides_is_left_out(draft: str, left: str) -> None:
    assert safe(draft) == left
    assert safe(left) == left


@pytest.mark.parametrize(
    "draft",
    [
        "The job finished [entry 12]. Trace 0af7651916cd43dd8448eb211c80319c took 3 < 5 s.",
        "- one\n- two (see [entry 3])\n\n**What happened.** 5 > 3: all 12 orders at 10:00.",
        "The data: 5 rows (10:00 to 11:00), from www to web.",
        "Look in /var/log/app.log and shop/orders.py // or ask pay.linden.example/health: why? e.g. x.",
        r"It matches \d+\.\d at C:\logs\a, 5//3 is 1.",
        "Use `manage.py tools` and ask again; note: it is e.g. the queue.",
    ],
)
def test_plain_words_and_citations_stay_as_they_are(draft: str) -> None:
    assert safe(draft) == draft
