"""After a failover the answer is the one's who gave it: its name, its count, its log line."""

from behaviours import error_in_200, refuse, status, with_a_broken_frame
from frames import frames_of
from resilience_test import ResilienceTest


class Accounting(ResilienceTest):
    kinds = {"A": "openai", "B": "anthropic"}
    models = {name: {"retries": 1} for name in ("failed-over", "logged", "exhausted", "broken", "in-200", "named")}

    def usage_of(self, target):
        fed, said = self.targets[target].usage
        return {"prompt_tokens": fed, "completion_tokens": said, "total_tokens": fed + said}

    def counts(self, usage):
        return {name: usage[name] for name in self.usage_of("A")}

    def test_a_stream_shows_who_served_and_what_that_cost(self):
        self.behave(A=status(503))
        response = self.ask("failed-over", stream_options={"include_usage": True})
        frames = frames_of(response.body)
        self.assertEqual({frame["model"] for frame in frames}, {"b/failed-over"})
        self.assertEqual(self.counts(frames[-1]["usage"]), self.usage_of("B"))
        self.assertEqual(sum(1 for frame in frames if frame.get("usage")), 1)
        self.assertEqual((response.headers["x-model-used"], response.headers["x-gateway-attempts"]),
                         ("b/failed-over", "3"))

    def test_a_whole_answer_does_too(self):
        self.behave(A=error_in_200)
        response = self.ask("in-200", stream=False)
        self.assertEqual(response.json()["model"], "b/in-200")
        self.assertEqual(self.counts(response.json()["usage"]), self.usage_of("B"))
        self.assertEqual((response.headers["x-model-used"], response.headers["x-gateway-attempts"]), ("b/in-200", "3"))

    def test_the_name_that_was_asked_for_can_be_had_instead(self):
        self.behave(A=refuse("bad key"))
        response = self.ask("named", stream=False, echo_model=True)
        self.assertEqual(response.json()["model"], "named")
        self.assertEqual(response.headers["x-model-used"], "b/named")

    def test_the_log_has_one_line_for_the_request_with_the_one_who_served(self):
        self.behave(A=status(500))
        self.ask("logged", headers={"X-Request-ID": "counted"})
        line = self.log_line("counted")
        self.assertEqual((line["status"], line["model"], line["served"], line["provider"], line["attempts"]),
                         (200, "logged", "b/logged", "b", 3))
        self.assertEqual((line["input_tokens"], line["output_tokens"]), self.targets["B"].usage)
        self.assertNotIn("error", line)
        self.assertEqual(len(self.lines_that_end("counted")), 1)

    def test_the_log_says_why_each_attempt_failed(self):
        self.behave(A=status(500))
        self.ask("logged", headers={"X-Request-ID": "explained"})
        self.log_line("explained")
        said = str(self.runnel.log_of("explained"))
        self.assertIn("a/logged", said)
        self.assertIn("upstream_failed", said)

    def test_when_nobody_serves_the_log_has_the_last_word(self):
        self.behave(A=status(503), B=status(500))
        self.ask("exhausted", headers={"X-Request-ID": "nobody"})
        line = self.log_line("nobody")
        self.assertEqual((line["status"], line["error"], line["attempts"]), (502, "upstream_failed", 3))

    def test_frames_that_nobody_could_read_are_counted(self):
        self.behave(A=with_a_broken_frame)
        self.assert_served_by(self.ask("broken", headers={"X-Request-ID": "skipped"}), "A")
        self.assertEqual(self.log_line("skipped")["malformed_frames"], 1)
