"""Every block of every page has a known fate, and meets it: one test per page."""

import faulthandler
import re
import unittest

import blocks
import expected
import markdown
from gateway_test import LimitedTest
from markdown import Block
from pace import scaled
from page_world import Imposter, PageWorld

PAGE_LIMIT = 300 + scaled(60)


class Pages(LimitedTest):
    @classmethod
    def setUpClass(cls):
        cls.imposter = Imposter()
        cls.addClassCleanup(cls.imposter.close)

    def setUp(self):
        super().setUp()
        faulthandler.dump_traceback_later(PAGE_LIMIT, exit=True)  # a page is many tests

    def check(self, page):
        text = page.read_text(encoding="utf-8")
        items = markdown.items_of(text)
        world = PageWorld(self.imposter, sorted(set(blocks.VARIABLE.findall(text))))
        self.addCleanup(world.close)
        reader = Reader(page, world)
        for item in items:
            reader.meet(item)
        if reader.problems:
            self.fail("\n\n".join([f"{len(reader.problems)} of {len(items)} blocks and marks", *reader.problems]))


class Reader:
    """Goes through a page from top to bottom, as somebody who tries it all."""

    def __init__(self, page, world):
        self._page = markdown.name_of(page)
        self._world = world
        self._printed = None  # by the block before, for an `output` block to compare
        self._last_config = None
        self.problems = []

    def meet(self, item):
        printed, self._printed = self._printed, None
        try:
            problem = self._read(item, printed) if isinstance(item, Block) else self._obey(item)
        except blocks.Skipped as reason:
            self._printed = ...
            print(f"SKIP: {self._page}:{item.line}: {reason}")
            return
        if problem:
            self.problems.append(f"{self._page}:{item.line}: {problem}")

    def _obey(self, mark):
        world = self._world
        if not mark.word:
            return f"nobody knows this mark; there are: {', '.join(markdown.MARK_WORDS)}"
        if mark.word == "gateway":
            world.configure(self._last_config if mark.what == "the config above" else mark.what)
        elif mark.word == "provider answers":
            world.provider_answers(mark.what)
        elif mark.word == "file":
            name, _, content = mark.what.partition("\n")
            world.put_file(name.strip(), content + "\n")
        elif mark.word == "the config above answers":
            world.configure(self._last_config)
            for model in mark.what.split(", "):
                if problem := blocks.ask(world, model):
                    return problem
        elif mark.word == "run first":
            printed, status = world.run(mark.what)
            return None if status == 0 else f"exit status {status}\n{printed}"
        return None

    def _read(self, block, printed):
        language, text = block.language, block.text
        if block.file:
            self._world.put_file(block.file, text + "\n")
        if language == "output":
            return self._compare(text, printed)
        if block.reason_not_to_run is not None:
            if not block.reason_not_to_run:
                return "say why it is not run: <!-- checked, not run: because -->"
            return blocks.syntax_problem(block)
        if language == "yaml":
            self._last_config = blocks.completed(text)
            return blocks.check_config(self._world, text)
        if language == "console":
            return blocks.run_session(self._world, text)
        if language in blocks.RUN:
            self._printed, problem = blocks.RUN[language](self._world, text)
            return problem
        if language in blocks.READ:
            return blocks.READ[language](text)
        known = ", ".join(["yaml", "console", "output", *blocks.RUN, *blocks.READ])
        return f"nobody knows what to do with a block of '{language}': say what it is (```LANGUAGE: {known}), or why " \
               "it is not run (<!-- checked, not run: because -->)"

    def _compare(self, text, printed):
        if printed is ...:
            return None  # what it belongs to was skipped
        if printed is None:
            return "an output block stands behind the block that prints it"
        return expected.difference(text, printed)


def test_of(page):
    return lambda self: self.check(page)


for found in markdown.pages():
    name = re.sub(r"\W", "_", markdown.name_of(found).removesuffix(".md"))
    assert not hasattr(Pages, f"test_{name}"), "two pages, one test"
    setattr(Pages, f"test_{name}", test_of(found))

if __name__ == "__main__":
    unittest.main()
