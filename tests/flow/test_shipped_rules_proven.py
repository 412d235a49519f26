"""The shipped rules under every proof, as anybody's CI runs them: by the command of the pure core."""

import subprocess
import sys

from tests.pure.shipped_rules import FOLDER, SHIPPED, shop_shapes
from tests.servers import ROOT
from verdicts.replay.tools import FILE, read_tools

ANEW = "with the shop's tools, manage.py proverules --write-tools verdicts/rules/tools.json"


def test_every_shipped_rule_is_proven_and_each_of_its_conditions_is_tested() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "verdicts.prove"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(":")[0].split() for line in lines[:-1]] == [["proven", name] for name in SHIPPED]
    assert f"{len(SHIPPED)} rules, {len(SHIPPED)} proven." in lines[-1]
    assert " drift mutants 0 survive;" in lines[-1]
    assert " condition mutants 0 are not tested;" in lines[-1]


def test_the_tools_that_ship_with_the_rules_are_those_of_the_example_shop() -> None:
    written, shop = read_tools(FOLDER / FILE), shop_shapes()
    for tool in {tool for loaded in SHIPPED.values() for tool in loaded.spec.tools}:
        ours, theirs = written.get(tool), shop[tool]
        assert ours, f"{tool}: {ANEW}"
        assert (ours.defaults, ours.normalise) == (theirs.defaults, theirs.normalise), f"{tool}: {ANEW}"
