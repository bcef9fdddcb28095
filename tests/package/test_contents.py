"""What is in the package, without installing it."""

import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from pace import BINARY
from packaged_service import PackagedService, settings_of

PACKAGE = os.environ["RUNNEL_PACKAGE"]
REPOSITORY = Path(__file__).resolve().parents[2]
UNIT = "usr/lib/systemd/system/runnel.service"

# What a gateway must have: the network, sockets of this machine, and a folder of the machine's.
EXPOSURE_MAX = 15  # tenths, of 100


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class ContentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="runnel-contents-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run(["dpkg-deb", "-x", PACKAGE, cls.folder], check=True)
        subprocess.run(["dpkg-deb", "-e", PACKAGE, cls.folder + "/DEBIAN"], check=True)

    def path(self, name):
        return Path(self.folder, name)

    def need(self, program):
        if not shutil.which(program):
            print(f"SKIP: there is no {program}")
            self.skipTest(f"there is no {program}")

    def test_every_file_is_where_debian_keeps_its_kind(self):
        for name in ("usr/bin/runnel", UNIT, "etc/runnel/runnel.yaml", "etc/runnel/runnel.env",
                     "usr/share/man/man1/runnel.1.gz", "usr/share/bash-completion/completions/runnel",
                     "usr/share/zsh/vendor-completions/_runnel", "usr/share/fish/vendor_completions.d/runnel.fish",
                     "usr/share/doc/runnel/copyright", "usr/share/doc/runnel/changelog.gz",
                     "usr/share/doc/runnel/README.md", "usr/share/doc/runnel/docs/operating.md",
                     "usr/share/doc/runnel/SECURITY.md", "usr/share/doc/runnel/runnel.cdx.json"):
            with self.subTest(name):
                self.assertTrue(self.path(name).is_file())

    def test_all_belongs_to_root_and_only_root_may_write(self):
        listing = subprocess.run(["dpkg-deb", "-c", PACKAGE], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            mode, owner, *_ = line.split()
            with self.subTest(line):
                self.assertEqual(owner, "root/root")
                self.assertEqual((mode[5], mode[8]), ("-", "-"))

    def test_the_providers_keys_are_not_for_everybody(self):
        self.assertEqual(self.path("etc/runnel/runnel.env").stat().st_mode & 0o777, 0o640)

    def test_what_is_in_etc_is_kept_on_an_upgrade(self):
        conffiles = self.path("DEBIAN/conffiles").read_text(encoding="utf-8").split()
        in_etc = [f"/etc/runnel/{name}" for name in os.listdir(self.path("etc/runnel"))]
        self.assertEqual(sorted(conffiles), sorted(in_etc))

    def test_it_depends_on_the_libraries_that_the_binary_loads(self):
        depends = subprocess.run(["dpkg-deb", "-f", PACKAGE, "Depends"], capture_output=True, text=True, check=True).stdout
        for library in ("libc6", "libssl3", "libsqlite3-0", "libpq5", "libstdc++6", "adduser", "ca-certificates"):
            self.assertRegex(depends, rf"(^|, ){re.escape(library)}\b")

    def test_the_bill_of_materials_names_what_is_in_it(self):
        bill = json.loads(self.path("usr/share/doc/runnel/runnel.cdx.json").read_text(encoding="utf-8"))
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        itself = bill["metadata"]["component"]
        self.assertEqual(itself["version"], output_of(BINARY, "version")[1].split()[1])
        sha = hashlib.sha256(self.path("usr/bin/runnel").read_bytes()).hexdigest()
        self.assertEqual(itself["hashes"], [{"alg": "SHA-256", "content": sha}])
        parts = {part["name"]: part for part in bill["components"]}
        self.assertEqual(len(parts), len(bill["components"]))
        for name in ("libc6", "libssl3", "libsqlite3-0", "libpq5", "libstdc++6", "libboost1.81-dev"):
            installed = output_of("dpkg-query", "-W", "-f", "${Version}", name)[1]
            self.assertEqual(parts[name]["version"], installed)
        lock = json.loads((REPOSITORY / "console/package-lock.json").read_text(encoding="utf-8"))
        self.assertEqual(parts["preact"]["version"], lock["packages"]["node_modules/preact"]["version"])
        self.assertEqual(parts["preact"]["licenses"], [{"license": {"id": "MIT"}}])
        self.assertNotIn("vite", parts, "it builds the console and is not in it")
        self.assertEqual(set(bill["dependencies"][0]["dependsOn"]), {part["bom-ref"] for part in bill["components"]})

    def test_the_version_is_the_binarys(self):
        _, version = output_of("dpkg-deb", "-f", PACKAGE, "Version")
        _, said = output_of(BINARY, "version")
        self.assertEqual(said.split()[1], version.strip().split("-")[0])

    def test_the_binary_has_no_debug_information(self):
        _, sections = output_of("readelf", "-S", self.path("usr/bin/runnel"))
        self.assertNotIn(".debug_", sections)
        self.assertNotIn(".symtab", sections)

    def test_the_manual_page_and_the_completions_are_the_binarys(self):
        page = gzip.decompress(self.path("usr/share/man/man1/runnel.1.gz").read_bytes()).decode()
        self.assertEqual(page, output_of(BINARY, "man")[1])
        for shell, name in (("bash", "usr/share/bash-completion/completions/runnel"),
                            ("zsh", "usr/share/zsh/vendor-completions/_runnel"),
                            ("fish", "usr/share/fish/vendor_completions.d/runnel.fish")):
            self.assertEqual(self.path(name).read_text(encoding="utf-8"), output_of(BINARY, "completion", shell)[1])

    def test_links_in_the_docs_lead_somewhere(self):
        for page in self.path("usr/share/doc/runnel/docs").glob("*.md"):
            for link in re.findall(r"\]\(([\w.-]+\.md)[)#]", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, link=link):
                    self.assertTrue(page.with_name(link).is_file())

    def test_lintian_has_nothing_to_say(self):
        self.need("lintian")
        status, said = output_of("lintian", "--fail-on", "error,warning", "--allow-root", PACKAGE)
        self.assertEqual(status, 0, said)

    def test_the_maintainer_scripts_are_shell_that_any_sh_reads(self):
        for name in ("postinst", "prerm", "postrm"):
            status, said = output_of("sh", "-n", self.path("DEBIAN") / name)
            self.assertEqual(status, 0, said)

    def test_systemd_finds_no_fault_with_the_unit(self):
        self.need("systemd-analyze")
        unit = self.path("runnel.service")
        text = self.path(UNIT).read_text(encoding="utf-8")
        unit.write_text(text.replace("ExecStart=", f"ExecStart={self.folder}"), encoding="utf-8")
        status, said = output_of("systemd-analyze", "verify", "--man=no", unit)
        self.assertEqual((status, said), (0, ""))

    def test_the_service_may_do_little(self):
        self.need("systemd-analyze")
        status, said = output_of("systemd-analyze", "security", "--offline=true", "--no-pager",
                                 f"--threshold={EXPOSURE_MAX}", self.path(UNIT))
        self.assertEqual(status, 0, said)

    def test_a_crash_leaves_no_memory_behind(self):
        self.assertEqual(settings_of(self.path(UNIT))["LimitCORE"], "0")

    def test_systemd_waits_longer_than_the_drain_takes(self):
        said = settings_of(self.path(UNIT))
        self.assertGreaterEqual(int(said["TimeoutStopSec"].removesuffix("s")), 30 + 5)

    def test_the_config_is_right(self):
        config = self.path("etc/runnel/runnel.yaml")
        status, said = output_of(BINARY, "check", config)
        self.assertEqual((status, said), (0, f"{config}: ok, 0 providers and 0 models\n"))

    def test_what_the_config_suggests_is_right_too(self):
        """Every commented key, taken together."""
        text = self.path("etc/runnel/runnel.yaml").read_text(encoding="utf-8")
        suggested = re.sub(r"^# (?=(?:providers|models|auth|admin|store|shared):|  +\w+:(?: |$))", "", text, flags=re.M)
        config = self.path("suggested.yaml")
        config.write_text(suggested, encoding="utf-8")
        names = re.findall(r"\$\{([A-Z_]+)\}", suggested)
        done = subprocess.run([BINARY, "check", config], capture_output=True, text=True, check=False,
                              env={name: 16 * "x" for name in names})
        self.assertEqual((done.stdout, done.stderr), (f"{config}: ok, 3 providers and 1 model\n", ""))

    def test_it_serves_from_where_it_was_unpacked(self):
        service = PackagedService(self.path(UNIT), self.folder, more_arguments=["--data", self.folder + "/data"])
        self.addCleanup(service.kill)
        self.assertEqual(service.notice(), "READY=1")
        self.assertEqual(service.ask("as unpacked"), "as unpacked")
        service.signal(signal.SIGTERM)
        self.assertEqual(service.notice(), "STOPPING=1")
        self.assertEqual(service.wait(), 0, service.log())


if __name__ == "__main__":
    unittest.main()
