"""MCP servers that are children of the gateway."""

import json
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

from mcp_test import McpTest
from pace import NOTICED, scaled
from session import is_alive
from stalls import undisturbed

IMPOSTER = Path(__file__).resolve().parent / "stdio_imposter.py"


class StdioTest(McpTest):
    def start(self, *habits, **options):
        return self.session("stdio", sys.executable, "-B", IMPOSTER, *habits, **options)

    def run_tool(self, session, text):
        return session.call("run", {"text": text})

    def text_of(self, session, text):
        answer = self.run_tool(session, text)
        self.assertTrue(answer["ok"], answer)
        return answer["text"]


class TalkTest(StdioTest):
    def test_a_legacy_server_is_greeted_and_asked(self):
        session = self.start()
        self.assertEqual(session.names(), ["run"])
        self.assertEqual(self.text_of(session, "hello"), "hello")
        self.assertEqual(json.loads(self.text_of(session, "seen"))[:4],
                         ["server/discover", "initialize", "notifications/initialized", "tools/list"])

    def test_a_modern_server_is_asked_at_once(self):
        session = self.start("--modern")
        self.assertEqual(session.names(), ["run"])
        self.assertEqual(json.loads(self.text_of(session, "seen")),
                         ["server/discover", "subscriptions/listen", "tools/list", "tools/call"])

    def test_a_server_that_dies_of_a_question_it_does_not_know(self):
        self.assertEqual(self.start("dies-of-the-unknown").names(), ["run"])

    def test_a_server_that_ignores_what_it_does_not_know(self):
        self.assertEqual(self.start("ignores-the-unknown").names(), ["run"])

    def test_noise_on_the_output_is_passed_over(self):
        session = self.start("prints-a-banner")
        self.assertEqual(self.text_of(session, "noise"), "after the noise")
        self.assert_eventually(lambda: any("not MCP" in warning for warning in session.warnings()))

    def test_lines_may_come_in_any_pieces(self):
        self.assertEqual(self.text_of(self.start(), "split"), "whole")

    def test_answers_may_come_in_any_order_and_with_wrong_ids_between(self):
        session = self.start()
        session.list()
        tags = [session.begin_call("run", {"text": "hold=3"}) for _ in range(3)]
        ids = [int(session.wait(tag)["text"]) for tag in tags]
        self.assertEqual(ids, sorted(ids))
        self.assertEqual(self.text_of(session, "wrong_ids"), "right")

    def test_what_the_server_asks_is_answered(self):
        answers = json.loads(self.text_of(self.start(), "ask"))
        self.assertEqual(answers[0], {"jsonrpc": "2.0", "id": "ping-1", "result": {}})
        self.assertEqual(answers[1]["error"]["code"], -32601)

    def test_changed_tools_are_listed_anew(self):
        for arguments in ((), ("--modern",)):
            session = self.start(*arguments)
            self.assertEqual(session.names(), ["run"])
            self.text_of(session, "change=more")
            self.assertEqual(session.names(), ["run", "more"])

    def test_a_large_message_each_way(self):
        session = self.start(result_bytes=3_000_000)
        self.assertEqual(len(self.text_of(session, "x" * 2_000_000)), 2_000_000)
        self.assertEqual(len(self.text_of(session, "huge=2000000")), 2_000_000)


class SurroundingsTest(StdioTest):
    def test_the_child_gets_its_own_variables_and_none_of_our_keys(self):
        os.environ["OPENAI_API_KEY"] = "sk-ours"
        self.addCleanup(os.environ.pop, "OPENAI_API_KEY")
        session = self.start(variables={"TOKEN": "theirs", "LANG": "xx"})
        environment = json.loads(self.text_of(session, "environment"))
        self.assertEqual(environment["TOKEN"], "theirs")
        self.assertEqual(environment["LANG"], "xx")
        self.assertEqual(environment["PATH"], os.environ["PATH"])
        self.assertNotIn("OPENAI_API_KEY", environment)

    def test_the_child_gets_no_descriptor_but_its_three(self):
        kinds = json.loads(self.text_of(self.start(), "descriptors"))
        self.assertNotIn("socket", kinds)
        self.assertLessEqual(kinds.count("pipe"), 4)  # three, and a copy that it makes itself

    def test_the_child_has_a_group_of_its_own(self):
        pid = int(self.text_of(self.start(), "pid"))
        self.assertEqual(os.getpgid(pid), pid)

    def test_its_errors_go_to_the_log_within_limits(self):
        session = self.start()
        self.text_of(session, "chatter=500")
        lines = lambda: [line for line in session.log if line.get("event") == "mcp server says"]
        self.assert_eventually(lambda: lines() and lines()[-1]["line"] == "(and more)")
        self.assertEqual(len(lines()), 100)
        self.assertTrue(all(len(line["line"]) <= 500 for line in lines()))


class DeathTest(StdioTest):
    def test_a_server_that_dies_in_the_middle_of_a_call_is_started_again(self):
        session = self.start()
        first = self.text_of(session, "pid")
        began = time.monotonic()
        answer = self.run_tool(session, "die=3")
        self.assertLess(undisturbed(began), scaled(2))
        self.assertEqual(answer["text"], "the tool's server broke off")
        self.assert_eventually(lambda: any("exited with status 3" in warning for warning in session.warnings()))
        self.assertNotEqual(self.text_of(session, "pid"), first)

    def test_a_server_that_dies_while_nobody_asks_is_started_when_it_is_needed(self):
        session = self.start()
        pid = int(self.text_of(session, "pid"))
        os.kill(pid, signal.SIGKILL)
        self.assert_eventually(lambda: any("killed by signal 9" in warning for warning in session.warnings()))
        self.assertEqual(session.children(), [])
        self.assertNotEqual(int(self.text_of(session, "pid")), pid)

    def test_one_that_dies_again_and_again_is_started_later_and_later(self):
        session = self.start("exits-at-once=3")
        error = session.list()["error"]
        self.assertIn("tools.under_test: the MCP server `", error)
        self.assertIn("exited with status 3", error)
        time.sleep(1.1)  # until its failure is not remembered any more
        deaths = lambda: [line for line in session.log if "exited with status 3" in line.get("message", "")]
        session.list()
        self.assert_eventually(lambda: "is started again in" in session.list().get("error", ""))
        self.assertLess(len(deaths()), 8)
        self.assertIn("no config", deaths()[0]["last_words"])
        self.assertNotIn("sk-abcdef0123456789abcdef", str(session.log))

    def test_a_program_that_is_not_there(self):
        session = self.session("stdio", "no-such-program-anywhere", "--flag")
        self.assertIn("tools.under_test: the MCP server `no-such-program-anywhere` can't be started: "
                      "No such file or directory; is 'no-such-program-anywhere' installed and in PATH?",
                      session.list()["error"])
        self.assertEqual(session.call("run")["text"], "the tool can't be reached now")

    def test_a_program_that_is_no_server(self):
        session = self.session("stdio", "true")
        self.assertIn("exited with status 0", session.list()["error"])

    def test_bad_json_fails_the_call_at_once(self):
        session = self.start()
        session.list()
        self.assertEqual(self.run_tool(session, "broken_json")["text"],
                         "the tool's server answered with something that can't be read")
        self.assertEqual(self.text_of(session, "fine"), "fine")

    def test_more_than_anybody_can_use_ends_the_server(self):
        session = self.start()
        session.list()
        self.assertEqual(self.run_tool(session, f"huge={17 << 20}")["text"], "the tool's server broke off")
        self.assertEqual(self.text_of(session, "fine"), "fine")


class StopTest(StdioTest):
    def test_a_slow_call_fails_in_time_and_the_server_is_told(self):
        session = self.start(time_ms=int(scaled(500)))
        session.list()
        answer = self.run_tool(session, "hang")
        self.assertIn("there was no answer within", answer["text"])
        self.assertEqual(len(json.loads(self.text_of(session, "cancelled"))), 1)

    def test_who_stops_is_rid_of_it_at_once_and_the_server_goes_on(self):
        session = self.start()
        pid = self.text_of(session, "pid")
        tag = session.begin_call("run", {"text": "hang"})
        time.sleep(0.1)
        began = time.monotonic()
        session.stop(tag)
        self.assertEqual(session.wait(tag)["text"], "stopped")
        self.assertLess(undisturbed(began), NOTICED)
        self.assertEqual(self.text_of(session, "pid"), pid)

    def test_a_server_that_does_not_read_holds_nobody_up(self):
        session = self.start(time_ms=int(scaled(1000)))
        session.list()
        tags = [session.begin_call("run", {"text": "stop_reading"})]
        tags += [session.begin_call("run", {"text": "x" * 1_000_000}) for _ in range(3)]
        for tag in tags:
            self.assertIn("there was no answer within", session.wait(tag)["text"])

    def leave_nothing(self, end, *habits):
        with tempfile.NamedTemporaryFile() as file:
            session = self.start(f"has-a-child={file.name}", *habits, write=[file.name])
            self.assertEqual(session.names(), ["run"])
            tag = session.begin_call("run", {"text": "hang"})
            time.sleep(0.1)
            pids = [int(pid) for pid in Path(file.name).read_text(encoding="ascii").split()]
            self.assertTrue(all(map(is_alive, pids)), pids)
            end(session)
            self.assert_within(NOTICED, lambda: not any(map(is_alive, pids)))
            self.assert_within(NOTICED, lambda: not session.children())
            return session, tag

    def test_a_source_that_goes_takes_its_whole_group_along(self):
        def stop_and_drop(session):
            session.stop("t2")
            session.drop()

        self.leave_nothing(stop_and_drop)
        self.leave_nothing(stop_and_drop, "will-not-go")

    def test_a_server_that_goes_leaves_no_child_behind(self):
        self.leave_nothing(lambda session: os.kill(session.children()[0], signal.SIGKILL))

    def test_the_end_of_the_gateway_is_the_end_of_the_server(self):
        for habits in ((), ("will-not-go",)):
            with tempfile.NamedTemporaryFile() as file:
                session = self.start(f"has-a-child={file.name}", *habits, write=[file.name])
                session.list()
                session.begin_call("run", {"text": "hang"})
                pids = [int(pid) for pid in Path(file.name).read_text(encoding="ascii").split()]
                session.abandon()
                self.assert_within(NOTICED, lambda: not any(map(is_alive, pids)))


if __name__ == "__main__":
    unittest.main()
