"""What a page's commands find when they are typed: a folder, a `runnel`, a gateway on a port of its own, and behind it
providers that are all one imposter."""

import os
import re
import shutil
import socket
import stat
import sys
import tempfile
from pathlib import Path

import markdown
from certificate import Certificate
from fake_proxy import FakeProxy
from fake_upstream import FakeUpstream, speak
from pace import BINARY, LIMIT
from shell import Shell

PORT_IN_DOCS = "8080"
ADDRESS = re.compile(r"\b(127\.0\.0\.1|localhost):8080\b")

# `serve` comes back once it listens, so that a page can go on; another `serve` takes its place. Only the gateway has the
# proxy that leads to the imposter, and it is on a terminal, as the reader's is. The variables that configs of the page name
# are set for those that the test made of them; for files that the page has the reader write, the page sets them.
RUNNEL = """#!/bin/bash
if [[ "$*" == *{tools}/* ]]; then source {variables}; fi
if [[ $1 != serve ]]; then exec {binary} "$@"; fi
shift
{stop}
arguments=()
while (($# > 0)); do
    if [[ $1 == --listen ]]; then shift; else arguments+=("$1"); fi
    shift
done
rm -f {log}
HTTPS_PROXY=http://127.0.0.1:{proxy} SSL_CERT_FILE={certificate} {python} {on_terminal} {log} {pid} \\
    {binary} serve --listen 127.0.0.1:{port} "${{arguments[@]}}" >/dev/null 2>&1 &
for ((i = 0; i < {patience}; i++)); do
    if grep -q 'listening on' {log} 2>/dev/null || ! kill -0 $! 2>/dev/null; then break; fi
    command -p sleep 0.05
done
command -p sleep 0.05
cat {log}
grep -q 'listening on' {log} || {{ rm -f {pid}; exit 1; }}
"""

STOP = """#!/bin/bash
if [[ -e {pid} ]]; then
    kill -INT "$(<{pid})" 2>/dev/null
    for ((i = 0; i < {patience}; i++)); do kill -0 "$(<{pid})" 2>/dev/null || break; command -p sleep 0.02; done
    rm {pid}
fi
"""


class Imposter:
    """Every provider of the internet: whatever host the gateway asks for, it speaks here."""

    def __init__(self):
        hosts = set()
        for page in markdown.pages():
            hosts.update(re.findall(r"https://([a-z0-9.-]+\.[a-z]+)", page.read_text(encoding="utf-8")))
        self.certificate = Certificate(",".join(f"DNS:{host}" for host in sorted(hosts)))
        self.upstream = FakeUpstream(tls=self.certificate.server())
        self.proxy = FakeProxy(self.upstream.port)

    def answer(self, what):
        """`well`, or a status and a body."""
        if what == "well":
            self.upstream.script = speak
            return
        status, _, body = what.partition(" ")
        self.upstream.script = lambda exchange: exchange.reply(int(status), body.encode())

    def close(self):
        self.proxy.close()
        self.upstream.close()
        self.certificate.remove()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class PageWorld:
    def __init__(self, imposter, variables):
        self.folder = tempfile.mkdtemp(prefix="runnel-docs-")
        self.port = free_port()
        self._imposter = imposter
        self._tools = os.path.join(self.folder, ".tools")
        self._names = {}
        self._config = []  # arguments for `runnel serve`
        imposter.answer("well")
        self._write_tools(variables)
        self.environment = {"PATH": f"{self._tools}:{os.environ['PATH']}", "HOME": self.folder, "LC_ALL": "C.UTF-8",
                            "RUNNEL_URL": f"http://127.0.0.1:{self.port}"}
        self.shell = Shell(self.folder, self.environment)

    def _write_tools(self, variables):
        os.mkdir(self._tools)
        self.put_file(".tools/variables", "".join(f": ${{{name}:=docs-{name}}}; export {name}\n" for name in variables))
        names = {name: os.path.join(self._tools, name) for name in ("pid", "log", "stop", "variables")}
        self._pid_file = names["pid"]
        patience = int(LIMIT / 0.05)
        self._tool("stop", STOP.format(patience=patience, **names))
        self._tool("runnel", RUNNEL.format(
            binary=BINARY, port=self.port, proxy=self._imposter.proxy.port, patience=patience, python=sys.executable,
            tools=self._tools, on_terminal=Path(__file__).with_name("on_terminal.py"),
            certificate=self._imposter.certificate.cert_file, **names))
        os.makedirs(os.path.join(self.folder, "build"))
        os.symlink(self._tools, os.path.join(self.folder, "build", "release"))
        # On a terminal curl shows no progress when its output goes there.
        self._tool("curl", f'#!/bin/bash\nexec {shutil.which("curl")} -sS "$@"\n')
        # What takes a moment on the reader's machine takes longer on a busy one.
        self._tool("sleep", f'#!/bin/bash\nfor _ in 1 2 3; do {shutil.which("sleep")} "$1"; done\n')
        self._tool("../dev", '#!/bin/bash\n[[ $1 == run ]] || exit 2\nshift\nexec runnel serve "$@"\n')

    def _tool(self, name, text):
        path = os.path.join(self._tools, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def put_file(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def put_config(self, name, text):
        """A config of the test's own; its path."""
        self.put_file(f".tools/{name}.yaml", text)
        return os.path.join(self._tools, f"{name}.yaml")

    def here(self, text):
        """The same with the address of this page's gateway, and with the ids that came for those on the page."""
        for shown, came in self._names.items():
            text = text.replace(shown, came)
        return ADDRESS.sub(rf"\g<1>:{self.port}", text)

    def learn(self, names):
        self._names.update(names)

    def there(self, text):
        """What came, in the words of the page."""
        return text.replace(f":{self.port}", f":{PORT_IN_DOCS}")

    def configure(self, config):
        """What the gateway serves from now on, where the page does not start one itself."""
        self._config = ["--config", self.put_config("gateway", config)]
        self.shell.run(os.path.join(self._tools, "stop"))

    def need_gateway(self):
        if os.path.exists(self._pid_file):
            return None
        printed, status = self.shell.run(" ".join(["runnel serve", *self._config]))
        return None if status == 0 else f"the gateway does not start:\n{printed}"

    def run(self, command):
        """(what it printed, its exit status), with a gateway where it is asked for."""
        if ADDRESS.search(command) and (problem := self.need_gateway()):
            return problem, -1
        printed, status = self.shell.run(self.here(command))
        return self.there(printed), status

    def provider_answers(self, what):
        self._imposter.answer(what)

    def close(self):
        self.shell.run(os.path.join(self._tools, "stop"))
        self.shell.close()
        shutil.rmtree(self.folder, ignore_errors=True)
