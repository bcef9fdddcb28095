"""The harness of ../shared/bench (mock upstream, load generator, run_compare.py), built."""

import os
import subprocess
from pathlib import Path

COMPILER = os.environ.get("CXX", "clang++-19")
FLAGS = ["-std=c++20", "-O3", "-march=native", "-g", "-pthread", "-w"]


def source_of(repo):
    shared = os.environ.get("RUNNEL_SHARED") or repo.parent / "shared"
    return Path(shared, "bench").resolve()


def copy_changed(source, folder):
    """Copies what differs, so that a build of an unchanged source stays newer than it."""
    for path in source.rglob("*"):
        if not path.is_file():
            continue
        copy = folder / path.relative_to(source)
        content = path.read_bytes()
        if copy.exists() and copy.read_bytes() == content:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
        copy.chmod(0o755 if os.access(path, os.X_OK) else 0o644)


def compile_changed(source):
    program = source.with_suffix("")
    if program.exists() and program.stat().st_mtime >= source.stat().st_mtime:
        return
    print(f"Compiling {source.name}", flush=True)
    subprocess.run([COMPILER, *FLAGS, "-o", program, source], check=True)


def prepare(repo):
    """The folder with a built copy of the harness; None where there is no harness to copy."""
    source = source_of(repo)
    if not (source / "run_compare.py").exists():
        return None
    folder = repo / "build/bench"
    copy_changed(source, folder)
    compile_changed(folder / "mock_upstream.cpp")
    compile_changed(folder / "loadgen.cpp")
    (folder / "out").mkdir(exist_ok=True)
    return folder


def may_use_namespace():
    try:
        return subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:
        return False


def newest_results(repo):
    results = sorted((repo / "build/bench/out").glob("raw-*.jsonl"))
    return results[-1] if results else None
