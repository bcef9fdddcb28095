"""The speed goals, and what a run measured beside them, as one Markdown table."""

import json
from dataclasses import dataclass
from statistics import median
from typing import Optional

BESIDE = ["nginx", "portkey", "litellm"]
STREAMS = 5000
# Share of a core taken by others past which the harness itself would measure again.
NOISE_MAX = 0.06


def read_rows(file):
    with open(file) as lines:
        return [json.loads(line) for line in lines]


class Run:
    """The rows of one run, by scenario, target and repetition."""

    def __init__(self, rows):
        self.by = {}
        for row in rows:
            self.by.setdefault((row["scenario"], row["target"]), {})[row["rep"]] = row

    def repetitions(self, scenario, target):
        return self.by.get((scenario, target), {})

    def of(self, scenario, target, value, pick=median):
        """One figure of all repetitions; None when there is nothing to take it of."""
        found = [value(row) for row in self.repetitions(scenario, target).values()]
        found = [number for number in found if number is not None]
        return pick(found) if found else None

    def ratio(self, key, ours, theirs):
        """The median of each repetition's ratio; `ours` and `theirs` are (scenario, target)."""
        other = {rep: row.get(key) for rep, row in self.repetitions(*theirs).items()}
        rows = self.repetitions(*ours).items()
        ratios = [row[key] / other[rep] for rep, row in rows if row.get(key) and other.get(rep)]
        return median(ratios) if ratios else None

    def added(self, scenario, target, key):
        """What a target adds to the way without any gateway, taken within each repetition."""
        direct = self.repetitions(scenario, "direct")
        rows = self.repetitions(scenario, target).items()
        found = [row[key] - direct[rep][key] for rep, row in rows if rep in direct]
        return median(found) if found else None

    def noise(self, scenario):
        """The largest share of a core that others took from the two that are compared."""
        disturbed = lambda row: row.get("disturbed", 0)
        return max(self.of(scenario, name, disturbed, max) or 0 for name in ("runnel", "nginx"))

    def failed(self, scenario, target):
        return self.of(scenario, target, lambda row: row.get("errors", 0), sum) or 0


@dataclass
class Line:
    scenario: str
    what: str
    goal: str
    runnel: Optional[float]
    beside: dict
    ratio: Optional[float]
    met: Optional[bool]  # None: not measured

    def was_asked_for(self):
        return any(value is not None for value in (self.runnel, *self.beside.values()))


def at_most(measured, limit):
    return None if measured is None or limit is None else measured <= limit


def cpu_line(run, scenario, what, key, limit, reference="nginx"):
    """`reference` is another target in the same scenario, or a scenario of Runnel's own."""
    theirs = (scenario, "nginx") if reference == "nginx" else (reference, "runnel")
    ratio = run.ratio(key, (scenario, "runnel"), theirs)
    name = "nginx" if reference == "nginx" else f"own {reference}"
    value = lambda row: row.get(key)
    beside = {peer: run.of(scenario, peer, value) for peer in BESIDE}
    ours = run.of(scenario, "runnel", value)
    goal = f"≤ {limit} × {name}"
    return Line(scenario, what, goal, ours, beside, ratio, at_most(ratio, limit))


def delay_line(run, what, key, limit):
    ours = run.added("c2", "runnel", key)
    beside = {peer: run.added("c2", peer, key) for peer in BESIDE}
    nginx = beside["nginx"]
    ratio = ours / nginx if ours is not None and nginx and nginx > 0 else None
    met = at_most(ours, None if nginx is None else limit * nginx)
    return Line("c2", what, f"≤ {limit} × nginx", ours, beside, ratio, met)


def fixed_line(run, scenario, what, unit, value, limit, pick=median):
    ours = run.of(scenario, "runnel", value, pick)
    beside = {peer: run.of(scenario, peer, value, pick) for peer in BESIDE}
    goal = f"≤ {limit} {unit}" if limit else "none"
    return Line(scenario, what, goal, ours, beside, None, at_most(ours, limit))


def kib_per_stream(row):
    if row.get(f"alive_{STREAMS}") != STREAMS or "idle" not in row:
        return None
    return (row[f"rss_{STREAMS}"][0] - row["idle"][0]) / STREAMS


def streams_left(row):
    return row.get("mock_active_after_close")


def idle_mib(row):
    return row["idle"][0] / 1024 if "idle" in row else None


def first_chat_ms(row):
    return row.get("chat_ms")


def lines_of(run):
    chunk, request = "cpu_us_chunk", "cpu_us_req"
    return [
        cpu_line(run, "a", "CPU µs per request", request, 1.5),
        cpu_line(run, "b", "CPU µs per chunk", chunk, 1.25),
        cpu_line(run, "b2", "CPU µs per chunk", chunk, 1.5),
        cpu_line(run, "t", "CPU µs per chunk", chunk, 1.3, reference="b"),
        delay_line(run, "added first token p50, µs", "ttft_p50", 1.5),
        delay_line(run, "added first token p99, µs", "ttft_p99", 1.5),
        delay_line(run, "added chunk delay p50, µs", "owd_p50", 1.5),
        delay_line(run, "added chunk delay p99, µs", "owd_p99", 1.5),
        fixed_line(run, "e", "KiB per open stream", "KiB", kib_per_stream, 20),
        fixed_line(run, "e", "upstream streams left", "", streams_left, 0, pick=max),
        fixed_line(run, "e", "MiB when idle", "MiB", idle_mib, 25),
        cpu_line(run, "f", "CPU µs per request", request, 4),
        fixed_line(run, "start", "exec to first chat answer, ms", "ms", first_chat_ms, 100),
    ]


def number(value):
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 or value == 0 else f"{value:.3g}"


def verdict(run, line):
    if line.met is None:
        return "not measured"
    if run.failed(line.scenario, "runnel"):
        return "MISS, failed requests"
    word = "pass" if line.met else "MISS"
    return word + (", noisy" if run.noise(line.scenario) > NOISE_MAX else "")


def cells(run, line):
    yield from (line.scenario, line.what, number(line.runnel), number(line.beside["nginx"]))
    yield "–" if line.ratio is None else f"{line.ratio:.2f}"
    yield from (line.goal, verdict(run, line), *(number(line.beside[peer]) for peer in BESIDE[1:]))


def markdown(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for index, row in enumerate(rows):
        yield "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
        if index == 0:
            yield "|" + "|".join("-" * (width + 2) for width in widths) + "|"


def notes(run):
    for scenario, target in run.by:
        if failed := run.failed(scenario, target):
            yield f"{target} failed {failed:,} requests in {scenario}."
        held = run.of(scenario, target, lambda row: row.get(f"alive_{STREAMS}"), min)
        if held is not None and held < STREAMS:
            yield f"{target} held {held:,} of {STREAMS:,} streams in {scenario}."
    noise = {scenario: run.noise(scenario) for scenario, _ in run.by}
    noisy = [f"{scenario} {share:.0%}" for scenario, share in noise.items() if share > NOISE_MAX]
    if noisy:
        yield f"Noisy, by the share of a core that other processes took: {', '.join(noisy)}."
        yield "Such figures mean little: measure again on an idle machine."


def repetition_counts(run):
    names = [name for name in run.by if name[1] == "runnel" and name[0] != "start"]
    return "–".join(str(count) for count in sorted({len(run.by[name]) for name in names})) or "0"


def table(rows):
    run = Run(rows)
    lines = [line for line in lines_of(run) if line.was_asked_for()]
    head = ["", "measure", "runnel", "nginx", "ratio", "goal", "", *BESIDE[1:]]
    text = "\n".join(markdown([head, *(list(cells(run, line)) for line in lines)]))
    met = sum(verdict(run, line).startswith("pass") for line in lines)
    measured = sum(line.met is not None for line in lines)
    counts = repetition_counts(run)
    summary = f"{met} of {measured} measured goals met (medians; repetitions: {counts})."
    return "\n".join([text, "", summary, *notes(run), ""])
