"""Text that means harm, for every field of every page."""

HIDDEN = "\u202e\u2066\u200b\ufeff\U000e0041"
TEXTS = {
    "script": "<script>alert(1)</script>",
    "attribute": "\"><img src=x onerror=alert(1)> ' onmouseover='alert(1)",
    "htmx": '<div hx-get="/sign-out/" hx-trigger="load" data-hx-post="/x/" hx-on:click="alert(1)"></div>',
    "closers": "</title></textarea></style></script></article></main><h1>owned</h1>",
    "markdown": "![x](http://evil.example/p.png) [entry 1](http://evil.example) <http://evil.example>",
    "template": "{{ settings.SECRET_KEY }} {% load assay %} {# #}",
    "bidi": f"invoice{HIDDEN}fdp.exe",
    "right-to-left": "שלום עולם مرحبا بالعالم",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 ok",
    "long word": "W" * 100_000,
}
