"""The real MCP servers: packages of npm, as servers/package-lock.json names them."""

import filecmp
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "servers"
PACKAGES = FOLDER / "node_modules" / "@modelcontextprotocol"
STAMP = FOLDER / "node_modules" / ".installed"  # what was installed: a changed list installs again
LOCK = FOLDER / "package-lock.json"

INSTALL_LIMIT = 300  # seconds


def are_there():
    return STAMP.exists() and filecmp.cmp(LOCK, STAMP, shallow=False)


def install():
    if are_there():
        return
    print("agent tests: installing MCP servers from npm", flush=True)
    try:
        subprocess.run(["npm", "ci", "--no-progress", "--loglevel=error"], cwd=FOLDER, check=True,
                       timeout=INSTALL_LIMIT)
        shutil.copy(LOCK, STAMP)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"SKIP: real MCP servers: npm could not install them ({error})", file=sys.stderr, flush=True)
