"""The test can fail: what varies may vary, everything else may not."""

import unittest

import blocks
import expected
import markdown
import shell


class Comparison(unittest.TestCase):
    def assert_same(self, shown, came):
        self.assertIsNone(expected.difference(shown, came))

    def assert_different(self, shown, came):
        self.assertIsNotNone(expected.difference(shown, came))

    def test_ids_times_and_durations_may_vary(self):
        self.assert_same('{"id":"chatcmpl-fd1rpycrjcl8quez6rn69gn9","created":1794739529,"total_ms":20.275}',
                         '{"id":"chatcmpl-kp6w026oqm3uhr76uqcqsak7","created":1794739543,"total_ms":9}')
        self.assert_same("X-Request-ID: req_o1ega3t83ziq9ht1ivvkn0xb\nat 2026-11-15T16:56:17.592Z",
                         "X-Request-ID: req_xjfbsepftg2wnx95drp2s66m\r\nat 2027-01-01T00:00:00Z\r\n")

    def test_nothing_else_may(self):
        self.assert_different('{"content":"Hello"}', '{"content":"Hallo"}')
        self.assert_different("one\ntwo", "one")
        self.assert_different("one", "one\ntwo")
        self.assert_different('"total_tokens":9', '"total_tokens":10')

    def test_an_ellipsis_is_anything_on_its_line(self):
        self.assert_same("data: {…}\ndata: [DONE]", 'data: {"a": 1}\ndata: [DONE]')
        self.assert_different("data: {…}\ndata: [DONE]", 'data: {"a": 1}\n\ndata: [DONE]')

    def test_an_ellipsis_alone_is_any_lines(self):
        self.assert_same("first\n…\nlast", "first\nlast")
        self.assert_same("first\n…\nlast", "first\n1\n2\n3\nlast")
        self.assert_different("first\n…\nlast", "first\n1\n2\n3")

    def test_ids_are_learnt_in_their_order(self):
        names = expected.names_that_came("key_000000000000aaa then rk-000000000000bbb", "key_111111111111x, rk-222222222222y")
        self.assertEqual(names, {"key_000000000000aaa": "key_111111111111x", "rk-000000000000bbb": "rk-222222222222y"})


class Reading(unittest.TestCase):
    def test_sessions_are_commands_and_their_output(self):
        text = "$ echo 'a\nb' |\n    cat\na\nb\n$ true\n$ echo c \\\n  d\nc d"
        self.assertEqual(shell.session_of(text), [("echo 'a\nb' |\n    cat", "a\nb"), ("true", ""), ("echo c \\\n  d", "c d")])

    def test_blocks_and_marks_come_in_their_order(self):
        page = "<!-- gateway: {a: 1} -->\n\n```sh\nls\n```\n\n<!-- checked, not run: why -->\n```js\n1\n```\n\n    $ ls\n"
        found = markdown.items_of(page)
        self.assertEqual([type(item).__name__ for item in found], ["Mark", "Block", "Block", "Block"])
        self.assertEqual([item.language for item in found[1:]], ["sh", "js", "console"])
        self.assertEqual([item.reason_not_to_run for item in found[1:]], [None, "why", None])

    def test_a_comment_that_is_no_mark_is_noticed(self):
        self.assertEqual([mark.word for mark in markdown.items_of("<!-- run frist: ls -->\n")], [""])

    def test_anchors_are_githubs(self):
        self.assertEqual(markdown.anchors_of("# `runnel serve`\n## Who's asked, first?\n## A\n## A\n"),
                         ["runnel-serve", "whos-asked-first", "a", "a-1"])

    def test_frames_and_json_must_parse(self):
        self.assertIsNone(blocks.check_frames(': ping\n\ndata: {"a": 1}\n\n…\n\ndata: [DONE]'))
        self.assertIsNotNone(blocks.check_frames("data: {"))
        self.assertIsNotNone(blocks.check_json("{'a': 1}"))

    def test_a_command_in_a_text_block_is_refused(self):
        self.assertIsNotNone(blocks.check_synopsis("curl http://127.0.0.1:8080/"))
        self.assertIsNotNone(blocks.check_synopsis("runnel serve [--no-such-option]"))
        self.assertIsNone(blocks.check_synopsis("runnel serve [--config FILE]"))


if __name__ == "__main__":
    unittest.main()
