"""What bench/run does once all is built and installed: FOLDER TARGETS SCENARIOS [ARGUMENTS]

Runs in a network namespace of its own where that is possible. Leaves out whoever does not answer,
measures how soon Runnel answers after exec, lets the harness's run_compare.py measure the rest, and
prints the goals.
"""

import contextlib
import http.client
import json
import operator
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import goals

GATEWAY_CORE, LOAD_CORE = 1, 0
STARTS = 10
START_SECONDS_MAX = 10
MOCK_PORT = 9100
PORT_SECONDS_MAX = 90  # a large Python program on a busy core


@contextlib.contextmanager
def mock_upstream(folder):
    command = [folder / "mock_upstream", "--port", str(MOCK_PORT), "--chunks", "1"]
    mock = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        mock.terminate()
        mock.wait()


def ask(address, method, path, body=None, headers=None):
    """The answer's status and its text."""
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        connection.close()


def ask_for_chat(address, api):
    body = {"model": api["model"], "messages": [{"role": "user", "content": "Hello"}]}
    headers = {"content-type": "application/json"}
    headers.update(header.split(": ", 1) for header in api.get("headers", []))
    return ask(address, "POST", api["path"], json.dumps(body), headers)


def address_of(target):
    return target["url"].removeprefix("http://")


def why_unfit(target, start):
    """Starts it once and asks it what the scenarios will ask; None when it answers."""
    running = start(target)
    try:
        running.start(GATEWAY_CORE)
        for api in target.get("apis", {}).values():
            status, text = ask_for_chat(address_of(target), {"model": "gpt-mock"} | api)
            if status != 200:
                return f"it answers {status}: {text[:200]}"
    except (SystemExit, OSError, http.client.HTTPException) as error:
        return str(error)
    finally:
        running.stop()
    return None


def fit_targets(targets, start):
    fit = []
    for target in targets:
        reason = why_unfit(target, start)
        if reason is None:
            fit.append(target)
        elif target["name"] == "runnel":
            sys.exit(f"Runnel cannot be measured: {reason}")
        else:
            print(f"Without {target['name']}: {reason}", flush=True)
    return fit


def await_answer(ask_once, began):
    while time.perf_counter() - began < START_SECONDS_MAX:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if ask_once()[0] == 200:
                return (time.perf_counter() - began) * 1000
        time.sleep(0.0002)
    sys.exit(f"Runnel did not answer within {START_SECONDS_MAX} s of its start")


def start_once(target, log):
    address = address_of(target)
    os.sched_setaffinity(0, {GATEWAY_CORE})  # inherited, so that no wrapper's time is counted
    began = time.perf_counter()
    process = subprocess.Popen(target["cmd"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    os.sched_setaffinity(0, {LOAD_CORE})
    try:
        health_ms = await_answer(lambda: ask(address, "GET", "/healthz"), began)
        chat_ms = await_answer(lambda: ask_for_chat(address, target["apis"]["openai"]), began)
    finally:
        process.terminate()
        process.wait()
    return {"health_ms": health_ms, "chat_ms": chat_ms}


def measure_start(target, folder, results, core_busy):
    """`core_busy` counts a core's ticks: (busy, stolen, all)."""
    cores = os.sched_getaffinity(0)
    ticks, used = core_busy()[GATEWAY_CORE], cpu_seconds_of_ended_children()
    with open(folder / "out/runnel.log", "ab") as log:
        starts = [start_once(target, log) for _ in range(STARTS)]
    busy, stolen, total = map(operator.sub, core_busy()[GATEWAY_CORE], ticks)
    ours = (cpu_seconds_of_ended_children() - used) * os.sysconf("SC_CLK_TCK")
    disturbed = (busy + stolen - ours) / max(1, total)
    os.sched_setaffinity(0, cores)
    with open(results, "a") as out:
        for rep, start in enumerate(starts):
            row = {"scenario": "start", "target": "runnel", "rep": rep, "disturbed": disturbed}
            out.write(json.dumps(row | start) + "\n")


def cpu_seconds_of_ended_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(run_compare, arguments):
    """Lets the harness measure; its tables go to a file, so its output is not shown."""
    sys.argv = ["run_compare.py", *map(str, arguments)]
    try:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            run_compare.main()
    except SystemExit as end:
        print(f"The comparison ended early: {end}", flush=True)
        return 1
    return 0


def main():
    folder, targets_file = map(Path, sys.argv[1:3])
    scenarios, passed_on = sys.argv[3], sys.argv[4:]
    sys.path.insert(0, str(folder))
    import run_compare

    run_compare.wait_port.__defaults__ = (PORT_SECONDS_MAX,)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended
    stamp = time.strftime("%Y%m%d-%H%M%S")
    results = folder / f"out/raw-{stamp}.jsonl"
    targets = json.loads(targets_file.read_text())
    for target in targets:
        (folder / f"out/{target['name']}.log").write_bytes(b"")  # one line per request: they grow
    with mock_upstream(folder):
        targets = fit_targets(targets, run_compare.Target)
        for target in targets:
            if target["name"] == "runnel":
                measure_start(target, folder, results, run_compare.core_busy)
    targets_file.write_text(json.dumps(targets, indent=1))

    tables = folder / f"out/tables-{stamp}.md"
    arguments = ["--targets", targets_file, "--scenarios", scenarios, "--raw", results]
    status = compare(run_compare, [*arguments, "--md", tables, *passed_on])

    print("\n" + goals.table(goals.read_rows(results)))
    print(f"Every measurement:  {results}\nAll columns:        {tables}")
    print(f"Logs:               {folder}/out/*.log\nThis table again:   bench/run --report")
    return status


if __name__ == "__main__":
    sys.exit(main())
