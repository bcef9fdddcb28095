"""What the tests of the MCP client share."""

import time

from gateway_test import LimitedTest
from pace import LIMIT
from session import Session
from stalls import undisturbed


class McpTest(LimitedTest):
    def session(self, *arguments, **options):
        """`options`: time_ms, result_bytes, allow=[…], write=[…], variables={…}, as the session takes them."""
        flags = [("--time", str(options.get("time_ms", int(1000 * LIMIT))))]  # the usual time is short for a busy machine
        if "result_bytes" in options:
            flags.append(("--bytes", str(options["result_bytes"])))
        flags += [("--allow", name) for name in options.get("allow", [])]
        flags += [("--write", path) for path in options.get("write", [])]
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
        self.assertLess(undisturbed(began), seconds, message)
