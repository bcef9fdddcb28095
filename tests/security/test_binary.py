"""The file itself: what the compiler and the linker put into it against mistakes with memory."""

import re
import subprocess
import unittest
from pathlib import Path

from pace import BINARY, SANITIZER

CACHE = Path(BINARY).resolve().parent / "CMakeCache.txt"
# Only the release build is made to withstand; one that was built elsewhere and copied here is looked at as one.
IS_RELEASE = not SANITIZER and (not CACHE.exists() or "CMAKE_BUILD_TYPE:STRING=Release" in CACHE.read_text(encoding="utf-8"))
ENDBR64 = b"\xf3\x0f\x1e\xfa"  # where a jump through a pointer may land


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, BINARY], capture_output=True, text=True, check=True).stdout


@unittest.skipIf(SANITIZER, "sanitizers have their own ways")
class Linked(unittest.TestCase):
    def test_it_can_be_anywhere_in_memory(self):
        self.assertRegex(readelf("-h"), r"Type:\s+DYN \(Position-Independent Executable")
        self.assertIn("PIE", readelf("-d"))

    def test_its_tables_are_read_only_once_it_runs(self):
        self.assertIn("GNU_RELRO", readelf("-l"))
        self.assertRegex(readelf("-d"), r"BIND_NOW|FLAGS.*NOW")

    def test_its_stack_is_not_executable(self):
        self.assertRegex(readelf("-l"), r"GNU_STACK\s+\S+ \S+ \S+ \S+ \S+ RW\s")

    def test_nothing_is_writable_and_executable(self):
        self.assertNotRegex(readelf("-l"), r"LOAD .* RWE")

    def test_it_loads_nothing_from_a_folder_of_its_own(self):
        self.assertNotRegex(readelf("-d"), r"RPATH|RUNPATH|TEXTREL")


@unittest.skipUnless(IS_RELEASE, "this is no release build")
class Compiled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.imported = set(re.findall(r"UND (\w+)", readelf("--dyn-syms")))

    def test_stacks_are_protected(self):
        self.assertIn("__stack_chk_fail", self.imported)

    def test_calls_of_libc_are_checked(self):
        self.assertTrue({name for name in self.imported if name.endswith("_chk")} - {"__stack_chk_fail"}, "_FORTIFY_SOURCE")

    def test_jumps_land_where_they_should(self):
        if "X86-64" not in readelf("-h"):
            self.skipTest("not x86-64")
        self.assertGreater(Path(BINARY).read_bytes().count(ENDBR64), 10_000)
        self.assertIn("SHSTK", readelf("-n"), "a kernel and a libc that have shadow stacks are told that it can do with one")


if __name__ == "__main__":
    unittest.main()
