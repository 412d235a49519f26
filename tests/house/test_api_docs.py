"""The API's reference page lists each problem that the code can answer, and each address."""

import re
from pathlib import Path

from triage.api.urls import urlpatterns

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
CODE = "".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "triage" / "api").glob("*.py")))


def test_each_problem_is_on_the_page_with_its_status_and_no_other() -> None:
    raised = set(re.findall(r'Problem\(\s*(\d{3}),\s*"([a-z-]+)"', CODE))
    raised |= {("401", "token"), ("401", "no-token")}  # told apart by a condition
    listed = {
        (status, reason)
        for status, reasons in re.findall(r"^\| (\d{3}) \| ([^|]+) \|", PAGE, flags=re.MULTILINE)
        for reason in re.findall(r"`([a-z-]+)`", reasons)
    }
    assert listed == raised


def test_each_address_is_on_the_page() -> None:
    for each in urlpatterns:
        address = str(each.pattern).replace("<int:number>", "NUMBER").replace("own", "NUMBER")
        if not address.startswith("<"):
            assert f" {address}`" in PAGE, address
