"""Real MCP servers from npm, over both transports."""

import os
import re
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

import npm_servers
from client import eventually
from mcp_test import McpTest
from pace import scaled

EVERYTHING = npm_servers.PACKAGES / "server-everything" / "dist" / "index.js"
FILESYSTEM = npm_servers.PACKAGES / "server-filesystem" / "dist" / "index.js"
MODERN = npm_servers.FOLDER / "modern.mjs"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@unittest.skipUnless(npm_servers.are_there(), "the packages of npm could not be installed")
class RealServerTest(McpTest):
    def node(self, *arguments, **environment):
        """A server that runs by itself."""
        process = subprocess.Popen(["node", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, env={**os.environ, **environment})

        def end():
            process.kill()
            process.wait()
            process.stdout.close()

        self.addCleanup(end)
        return process

    def tool(self, session, name):
        return next(tool for tool in session.list()["tools"] if tool["name"] == name)


class Everything:
    """server-everything, of the legacy era; a subclass says how it is reached."""

    def test_tools_are_listed_with_their_schemas(self):
        session = self.everything()
        echo = self.tool(session, "echo")
        self.assertEqual(echo["parameters"]["type"], "object")
        self.assertIn("message", echo["parameters"]["properties"])
        self.assertNotIn("$schema", echo["parameters"])
        self.assertGreater(len(session.names()), 8)

    def test_a_call_and_its_answer(self):
        session = self.everything()
        self.assertEqual(session.call("echo", {"message": "grüße"})["text"], "Echo: grüße")
        self.assertEqual(session.call("get-sum", {"a": 2, "b": 40})["text"], "The sum of 2 and 40 is 42.")

    def test_arguments_that_do_not_fit_are_a_failure_in_the_servers_words(self):
        answer = self.everything().call("get-sum", {"a": "two"})
        self.assertFalse(answer["ok"])
        self.assertIn("Invalid", answer["text"])

    def test_structured_content(self):
        answer = self.everything().call("get-structured-content", {"location": "New York"})
        self.assertEqual(set(answer["result"]), {"temperature", "conditions", "humidity"})

    def test_images_and_links_are_named(self):
        session = self.everything()
        self.assertIn("[image: image/png", session.call("get-tiny-image")["text"])
        self.assertIn("[resource_link: ", session.call("get-resource-links", {"count": 2})["text"])

    def test_a_long_call_tells_its_progress(self):
        session = self.everything()
        answer = session.call("trigger-long-running-operation", {"duration": 1, "steps": 4})
        self.assertIn("completed", answer["text"])
        self.assert_eventually(lambda: len([line for line in session.log
                                            if line.get("method") == "notifications/progress"]) == 4)

    def test_a_call_that_takes_too_long_is_given_up(self):
        milliseconds = int(scaled(1000))
        session = self.everything(time_ms=milliseconds)
        session.list()
        answer = session.call("trigger-long-running-operation", {"duration": 30, "steps": 60})
        self.assertEqual(answer["text"], f"there was no answer within {milliseconds}ms")
        self.assertTrue(session.call("echo", {"message": "on"})["ok"])

    def test_calls_side_by_side(self):
        session = self.everything()
        session.list()
        tags = [session.begin_call("echo", {"message": str(number)}) for number in range(20)]
        self.assertEqual([session.wait(tag)["text"] for tag in tags], [f"Echo: {number}" for number in range(20)])


class EverythingStdioTest(Everything, RealServerTest):
    def everything(self, **options):
        return self.session("stdio", "node", EVERYTHING, "stdio", **options)

    def test_nothing_is_left(self):
        session = self.everything()
        session.list()
        self.assertEqual(len(session.children()), 1)
        session.drop()
        self.assert_eventually(lambda: not session.children())

    def test_npx_can_start_it(self):
        # npx starts a shell that starts the server: the group is what ends them all.
        session = self.session("stdio", "npx", "--prefix", npm_servers.FOLDER, "mcp-server-everything")
        self.assertIn("echo", session.names())
        group = session.children()[0]
        session.drop()
        self.assert_eventually(lambda: not self.members_of(group))

    @staticmethod
    def members_of(group):
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                stat = Path(f"/proc/{name}/stat").read_text(encoding="utf-8", errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat.rpartition(")")[2].split()[2]) == group:
                found.append(int(name))
        return found


class EverythingHttpTest(Everything, RealServerTest):
    def everything(self, **options):
        self.port = free_port()
        self.server = self.start_server()
        return self.session("http", f"http://127.0.0.1:{self.port}/mcp", **options)

    def start_server(self):
        server = self.node(EVERYTHING, "streamableHttp", PORT=str(self.port))

        def listens():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        self.assertTrue(eventually(listens, 20 + scaled(5)))
        return server

    def test_a_server_that_was_started_anew_has_lost_the_session_and_is_greeted_again(self):
        session = self.everything()
        self.assertTrue(session.call("echo", {"message": "one"})["ok"])
        self.server.kill()
        self.server.wait()
        self.assertFalse(session.call("echo", {"message": "nobody"})["ok"])
        self.start_server()
        self.assert_eventually(lambda: session.call("echo", {"message": "two"})["ok"])


class FilesystemTest(RealServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        (self.folder / "note.txt").write_text("remember the milk\n", encoding="utf-8")
        self.files = self.session("stdio", "node", FILESYSTEM, self.folder)

    def test_files_are_read_and_written(self):
        read = self.files.call("read_text_file", {"path": str(self.folder / "note.txt")})
        self.assertEqual(read["text"], "remember the milk\n")
        self.assertTrue(self.files.call("write_file", {"path": str(self.folder / "new.txt"), "content": "x"})["ok"])
        self.assertIn("new.txt", self.files.call("list_directory", {"path": str(self.folder)})["text"])

    def test_what_lies_elsewhere_is_refused_in_words(self):
        answer = self.files.call("read_text_file", {"path": "/etc/hostname"})
        self.assertFalse(answer["ok"])
        self.assertIn("Access denied", answer["text"])


class ModernTest(RealServerTest):
    """The SDK of 2026-07-28, alone or beside the legacy era."""

    def check(self, session):
        self.assertEqual(session.names(), ["add", "grow"])
        answer = session.call("add", {"a": 2, "b": 40})
        self.assertEqual(answer, {"ok": True, "text": "2 + 40 = 42", "result": {"sum": 42}})
        self.assertFalse(session.call("add", {"a": "x"})["ok"])
        self.assertTrue(session.call("grow")["ok"])
        self.assert_eventually(lambda: session.names() == ["add", "grow", "late"])
        self.assertEqual(session.call("late")["text"], "better late")

    def test_over_stdio(self):
        for eras in ("both", "modern"):
            self.check(self.session("stdio", "node", MODERN, "stdio", eras))

    def test_over_http(self):
        for eras in ("both", "modern"):
            server = self.node(MODERN, "http", eras)
            port = re.match(r"\d+", server.stdout.readline())[0]
            self.check(self.session("http", f"http://127.0.0.1:{port}/mcp"))


if __name__ == "__main__":
    unittest.main()
