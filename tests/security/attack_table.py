"""One table of attacks: each test says who attacks, what is sent and what must happen.

    class Framing(AttackTest):
        @attack("stranger", "a chunk-extension line without an end", "400, and less than 1 MiB of memory")
        def test_chunk_line_without_end(self): …

`tests/security/run --table` prints the rows of all themes.
"""

import functools

from gateway_test import GatewayTest, LimitedTest

WHO = ("stranger", "tenant", "upstream", "page", "neighbour", "fault")


def attack(who, sends, must):
    """`who`: a stranger has no key, a tenant has one; an upstream answers, be it a provider or a tool server; a page is in
    somebody's browser; a neighbour runs on the same machine; a fault is nobody's wish."""
    assert who in WHO, who

    def mark(test):
        @functools.wraps(test)
        def attacked(self):
            with self.subTest(who=who, sends=sends, must=must):
                test(self)

        attacked.attack = (who, sends, must)
        return attacked

    return mark


def rows_of(module):
    """The attacks of a theme, in the order in which they are written."""
    rows = []
    for kind in vars(module).values():
        if isinstance(kind, type) and issubclass(kind, LimitedTest) and kind.__module__ == module.__name__:
            rows += [test.attack for test in vars(kind).values() if hasattr(test, "attack")]
    return rows


def memory_of(process):
    """The bytes of memory that a process has for itself now (RssAnon): what attacks make grow."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["RssAnon"].split()[0]) * 1024


class AttackTest(GatewayTest):
    """A gateway under attack: whatever is sent, it is well afterwards and serves others."""

    def tearDown(self):
        self.assert_serves()
        super().tearDown()

    def memory(self):
        return memory_of(self.runnel.pid)
