"""Makes docs/pages.md and its pictures of what the browser tests kept: `python -m tests.browser.album`."""

import base64
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.pages import PAGES, SECTIONS, Page
from tests.servers import ROOT

KEPT = ROOT / "artifacts" / "screenshots"
PICTURES = ROOT / "docs" / "images" / "pages"
PAGE = ROOT / "docs" / "pages.md"
HEAD = """# Every page

Each page as the browser tests see it: on a wide screen in the light look, and on a phone in the dark one.
Made by `python -m tests.browser.album` from the pictures that those tests keep in `artifacts/screenshots`.
"""
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
_SHEET = """<body style="margin:0;display:flex;gap:10px;background:#cfd4dc;padding:10px;width:1000px">
<div style="width:746px;height:466px;overflow:hidden"><img width="746" src="{png},{wide}"></div>
<div style="width:224px;height:466px;overflow:hidden"><img width="224" src="{png},{narrow}"></div>"""
_PNG = "data:image/png;base64"
# The best of them, larger and alone, for the other pages of the docs.
BEST = (
    "queue", "incident-earned-a-pass", "incident-needs-a-person", "approval-proposed", "figures", "people",
    "security",
)  # fmt: skip
_ALONE = """<body style="margin:0;width:1200px;height:750px;overflow:hidden">
<img width="1200" src="{png},{wide}">"""


def pictures_of(page: Page) -> tuple[Path, Path]:
    """Return the two kept pictures of a page: wide and light, narrow and dark."""
    return KEPT / f"{page.name}-1440-light.png", KEPT / f"{page.name}-390-dark.png"


def text() -> str:
    """Return the docs page."""
    parts = [HEAD]
    for title, pages in SECTIONS.items():
        parts.append(f"\n## {title}\n")
        parts += [
            f"\n### {page.name.replace('-', ' ').capitalize()}\n\n"
            f"![{page.name.replace('-', ' ')}](images/pages/{page.name}.webp)\n"
            for page in pages
            if (PICTURES / f"{page.name}.webp").exists()
        ]
    return "".join(parts)


def make() -> int:
    """Write the docs page and its pictures; return an exit code. The tests have to have run before."""
    missing = [page.name for page in PAGES if not all(file.exists() for file in pictures_of(page))]
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        print("This needs chromium.")
        return 2
    if missing:
        print(f"Left as they are, as tests/browser/test_looks.py has not run: {', '.join(missing)}.")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page()
        link = tab.context.new_cdp_session(tab)
        for page in (page for page in PAGES if page.name not in missing):
            wide, narrow = (base64.b64encode(file.read_bytes()).decode() for file in pictures_of(page))
            sheets = {PICTURES / f"{page.name}.webp": (_SHEET, 1000, 486)}
            if page.name in BEST:
                sheets[PICTURES.parent / f"{page.name}.webp"] = (_ALONE, 1200, 750)
            for file, (sheet, width, height) in sheets.items():
                tab.set_viewport_size({"width": width, "height": height})
                tab.set_content(sheet.format(png=_PNG, wide=wide, narrow=narrow))
                taken = link.send("Page.captureScreenshot", {"format": "webp", "quality": 72})
                file.write_bytes(base64.b64decode(taken["data"]))
        browser.close()
    PAGE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(make())
