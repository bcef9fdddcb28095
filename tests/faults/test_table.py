"""Every row of the fault table, over every provider that can have the fault, streamed and whole, behind one gateway."""

import concurrent.futures
import re

from fault_case import PROMPT, Case
from fault_table import FAULTS
from gateway_test import LimitedTest
from pace import scaled
from runnel_process import RunnelProcess

MODES = ("stream", "whole")


def cases_of(faults):
    rows = {}
    numbers = iter(range(10_000))
    for fault in faults:
        modes = [mode for mode in MODES if fault.outcome_of(mode)]
        rows[fault.name] = [Case(next(numbers), fault, kind, mode) for kind in fault.providers for mode in modes]
    return rows


class FaultTable(LimitedTest):
    @classmethod
    def setUpClass(cls):
        cls.rows = cases_of(FAULTS)
        config = {"providers": {}, "models": {}}
        for case in (case for row in cls.rows.values() for case in row):
            cls.addClassCleanup(case.close)
            config["providers"] |= case.providers()
            config["models"] |= case.models()
        cls.runnel = RunnelProcess(config)
        cls.addClassCleanup(cls.runnel.stop)

    def play(self, name):
        cases = self.rows[name]
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            list(pool.map(lambda case: case.run(self.runnel.port), cases))
        for case in cases:
            with self.subTest(provider=case.kind, mode=case.mode):
                case.check()
                # Whoever is not waited for any more is told so.
                self.assert_eventually(lambda case=case: not case.busy(), scaled(0.5), "an attempt goes on")
                self.check_log(case)
        at_once = [gap for case in cases for gap in case.at_once_gaps()]
        if at_once:
            self.assertTrue(any(gap.can_be_shorter_than(PROMPT) for gap in at_once),
                            f"there is a pause where there should be none: {at_once}")
        self.runnel.assert_well()

    def check_log(self, case):
        """One line for the request, and it knows how often somebody was asked."""
        self.assert_eventually(lambda: self.runnel.log_of(case.request_id))
        line = self.runnel.log_of(case.request_id)[-1]
        self.assertEqual(line["status"], case.response.status)
        self.assertEqual(line.get("attempts", 1), case.expected.attempts or len(case.exchanges))


def test_of(fault):
    def test(self):
        self.play(fault.name)

    test.__doc__ = fault.name
    return test


for _fault in FAULTS:
    _name = "test_" + re.sub(r"\W+", "_", _fault.name)
    assert not hasattr(FaultTable, _name), _name
    setattr(FaultTable, _name, test_of(_fault))
