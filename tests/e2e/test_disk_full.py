"""A disk without room: requests go on, rows wait in memory, and what is lost beyond that is counted and logged."""

import json
import os
import re
import time

from client import ask, get
from fake_upstream import FakeUpstream
from gateway_test import provider
from key_admin import ADMIN_TOKEN, admin
from pace import scaled
from runnel_process import RunnelProcess
from small_disk import MIB, SmallDisk
from stalls import undisturbed
from store_test import ADMIN, Load, StoreTest

class DiskFull(StoreTest):
    def setUp(self):
        super().setUp()
        self.use_disk(32 * MIB)
        self.upstream = FakeUpstream()
        self.addCleanup(self.upstream.close)

    def use_disk(self, size):
        self.disk = SmallDisk(size)
        self.addCleanup(self.disk.remove)
        if not self.disk.mounted:
            self.skipTest("nobody but root may mount a small file system")

    def config(self, **fields):
        return {"data": os.path.join(self.disk.folder, "data"), "admin": {"token": ADMIN_TOKEN},
                "providers": {"local": provider("openai-compatible", self.upstream.port)}, **fields}

    def start(self, **fields):
        gateway = RunnelProcess(self.config(**fields))
        self.addCleanup(gateway.kill)
        return gateway

    def recorded_after(self, gateway, name):
        """Waits until no more rows come."""
        seen = -1
        while seen != len(rows := self.recorded(gateway, name)):
            seen = len(rows)
            time.sleep(scaled(0.7))
        return rows

    def wait_until_recorded(self, gateway):
        """Until a request that comes is one that is kept. The ids of those that tried."""
        tried = []
        def kept():
            tried.append(f"probe-{len(tried)}")
            ask(gateway.port, headers={"X-Request-ID": tried[-1]})
            return self.recorded(gateway, "probe")
        self.assert_eventually(kept)
        return tried

    def test_rows_wait_in_the_journal_until_there_is_room(self):
        gateway = self.start()
        self.assertEqual(ask(gateway.port).status, 200)
        self.disk.fill()
        load = Load([gateway], "full")
        time.sleep(2)
        self.disk.make_room()
        time.sleep(0.3)
        load.stop()
        self.assert_all_recorded(gateway, load)
        gateway.stop()

    def test_what_is_lost_is_counted_and_then_no_more_is(self):
        self.use_disk(256 * MIB)  # what waits in memory has room there, in the store and its log
        gateway = self.start(logs={"content": "on"})
        self.assertEqual(ask(gateway.port).status, 200)
        self.disk.fill()
        ids = [f"big-{number}" for number in range(40)]
        for request_id in ids:  # more than the journal has memory for
            begun = time.monotonic()
            response = ask(gateway.port, text="x" * (2 * MIB), headers={"X-Request-ID": request_id})
            self.assertEqual(response.status, 200, response.body)
            self.assertTrue(response.body.endswith(b"data: [DONE]\n\n"))
            self.assertLess(undisturbed(begun), scaled(self.WAIT))
        self.disk.make_room()
        ids += self.wait_until_recorded(gateway)  # the journal asks for room again once a second
        load = Load([gateway], "after")
        time.sleep(1)
        load.stop()
        self.assert_all_recorded(gateway, load)
        kept = self.recorded_after(gateway, "big")
        lost = len(ids) - len(kept) - len(self.recorded_after(gateway, "probe"))
        self.assertGreater(len(kept), 0)
        self.assertGreater(lost, 0)
        self.assert_logs("the store takes no rows", gateway)
        gateway.stop()
        counted = [json.loads(line)["lost"] for line in gateway.log().splitlines() if "requests are missing" in line]
        self.assertEqual(sum(counted), lost, counted)

    def test_keys_are_made_whole_or_not_at_all(self):
        gateway = self.start(auth={"mode": "keys"})
        self.disk.fill()
        response = admin(gateway.port, "POST", "/admin/v1/keys", {"name": "n"})
        if response.status != 201:  # there may have been a page left
            self.assertEqual(response.status, 503, response.body)
            self.assertEqual(response.error["code"], "store_unavailable")
        self.disk.make_room()
        made = admin(gateway.port, "POST", "/admin/v1/keys", {"name": "later"})
        self.assertEqual(made.status, 201, made.body)
        names = [key["name"] for key in admin(gateway.port, "GET", "/admin/v1/keys").json()["data"]]
        self.assertEqual(sorted(names), ["later"] + (["n"] if response.status == 201 else []))
        gateway.stop()

    def test_a_start_without_room_serves_and_records_once_there_is_some(self):
        self.disk.fill()
        gateway = self.start()
        self.assertEqual(ask(gateway.port).status, 200)
        self.assertTrue(re.search("can't be opened.*disk is full", gateway.log()), gateway.log())
        self.assertEqual(get(gateway.port, "/v1/logs", headers=ADMIN).status, 503)
        self.disk.make_room()
        self.wait_until_recorded(gateway)
        load = Load([gateway], "room")
        time.sleep(0.5)
        load.stop()
        self.assert_all_recorded(gateway, load)
        gateway.stop()
