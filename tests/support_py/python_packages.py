"""Packages of PyPI that a test would like to have, in an environment of their own under build/."""

import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"
INSTALL_LIMIT = 240


def python_with(name, *packages):
    """The interpreter of the environment, or None where the packages can't be had: without a network, mostly."""
    folder = BUILD / name
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = "\n".join(packages)
    if stamp.exists() and stamp.read_text() == wanted:
        return str(python)
    commands = [[sys.executable, "-m", "venv", str(folder)],
                [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
                 "--timeout", "15", *packages]]
    try:
        for command in commands:
            subprocess.run(command, check=True, timeout=INSTALL_LIMIT, capture_output=True)
    except (OSError, subprocess.SubprocessError):
        return None
    stamp.write_text(wanted)
    return str(python)
