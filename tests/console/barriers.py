"""What keeps people out of a page, found by axe-core."""

import json
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "console" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")


def are_looked_for():
    return SOURCE.exists()


def found_in(page):
    """Each grave one as a line: the rule, and the elements that break it."""
    page.run(SOURCE.read_text(encoding="utf-8") + "; undefined")
    violations = page.run("axe.run(document, { resultTypes: ['violations'] }).then((done) => done.violations)")
    return [f"{one['id']}: {one['help']}: " + json.dumps([[node["target"], node["failureSummary"]] for node in one["nodes"]][:3])
            for one in violations if one["impact"] in GRAVE]
