"""What the tests of the MCP client share."""

import time

from gateway_test import LimitedTest
from session import Session


class McpTest(LimitedTest):
    def session(self, *arguments, **options):
        """`options`: time_ms, result_bytes, allow=[…], variables={…}, as the session takes them."""
        flags = []
        if "time_ms" in options:
            flags.append(("--time", str(options["time_ms"])))
        if "result_bytes" in options:
            flags.append(("--bytes", str(options["result_bytes"])))
        flags += [("--allow", name) for name in options.get("allow", [])]
        flags += [("--set", f"{name}={value}") for name, value in options.get("variables", {}).items()]
        session = Session(*arguments, options=flags)
        self.addCleanup(lambda: self.assertEqual(session.close(), 0, session.log))
        return session

    def serve(self, imposter):
        self.addCleanup(imposter.close)
        return imposter

    def assert_within(self, seconds, condition, message=None):
        """That it is so soon enough; what is measured is how long it took."""
        began = time.monotonic()
        self.assert_eventually(condition, message=message)
        self.assertLess(time.monotonic() - began, seconds, message)
