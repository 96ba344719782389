"""Paging of recorded trades, and units of other venues."""

import base64
import gzip
import json
import time
import unittest
from pathlib import Path

import crosstape as ct

from scripted_service import ScriptedService, good

GOLDEN = Path(__file__).parents[4] / "packages/core/src/ticks/golden"
FIRST = 1_760_000_000_000


def chunk(name):
    lines = (GOLDEN / f"v1-{name}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines[1:]]
    data, ids = [(GOLDEN / f"v1-{name}.{part}.gz").read_bytes() for part in ("ticks", "ids")]
    text = {"data": base64.b64encode(data).decode(), "ids": base64.b64encode(ids).decode()}
    return {"startTs": rows[0][0], "endTs": rows[-1][0], "trades": len(rows), "bytes": len(data), **text}


def page(*names, **meta):
    data = {"coin": "BTC", "version": 1, "chunks": [chunk(name) for name in names]}
    if "unit" in meta:
        data["unit"] = meta.pop("unit")
    return good(data, **{"nextStart": None, "gaps": [], "recordingSince": FIRST, **meta})


class Paging(unittest.TestCase):
    def test_cuts_chunks_to_the_range(self):
        with ScriptedService(page("example")) as service:
            trades = list(ct.Client(service.url).trades("hyperliquid:BTC", FIRST + 1, FIRST + 9_000, ids=True))
            self.assertIn("coin=BTC&start=1760000000001&end=1760000009000&ids=1", service.requests[0][1])
        self.assertEqual([(t.ts - FIRST, t.price, t.size, t.side) for t in trades], [(85, 96499, 0.00042, "sell"), (85, 96501, 0.31, "buy")])
        self.assertEqual((trades[1].tid, trades[1].venue_ts), (226_904_481_556_030, FIRST + 73))

    def test_receive_times_where_they_are_known(self):
        received = chunk("example")
        payload = bytes.fromhex("52 01 09 06 18 01 fe fe 14 40 00 0f")
        received["recv"] = base64.b64encode(gzip.compress(payload)).decode()
        data = {"coin": "BTC", "version": 1, "chunks": [received, chunk("example")]}
        with ScriptedService(good(data, nextStart=None, gaps=[], recordingSince=FIRST)) as service:
            trades = list(ct.Client(service.url).trades("BTC", FIRST + 1, FIRST + 9_001, recv=True))
            self.assertIn("&recv=1", service.requests[0][1])
        lags = [t.recv_ms and t.recv_ms - t.ts for t in trades]
        self.assertEqual(lags, [31, 90, None, None, None, None])

    def test_follows_pages_and_collects_gaps(self):
        gap = {"from": FIRST + 10, "to": FIRST + 20, "state": "missing", "reason": "no socket"}
        pages = [page("example", nextStart=FIRST + 100, gaps=[gap]), page(gaps=[gap])]
        with ScriptedService(*pages, *pages) as service:
            trades = ct.Client(service.url).trades("hyperliquid:BTC", FIRST, FIRST + 9_001)
            self.assertEqual(len(list(trades)), 6)
            self.assertEqual([(g.start, g.end, g.is_filled) for g in trades.gaps], [(FIRST + 10, FIRST + 20, False)])
            self.assertFalse(trades.complete)

    def test_a_range_that_ends_in_the_future_is_not_complete(self):
        tomorrow = int(time.time() * 1_000) + 86_400_000
        with ScriptedService(page("example"), page("example")) as service:
            client = ct.Client(service.url)
            self.assertTrue(client.trades("hyperliquid:BTC", FIRST, FIRST + 9_001).complete)
            self.assertFalse(client.trades("hyperliquid:BTC", FIRST, tomorrow).complete)

    def test_a_range_before_the_record_is_not_complete(self):
        for since, complete in ((FIRST, True), (FIRST + 1, False)):
            with ScriptedService(page("example", recordingSince=since)) as service:
                self.assertEqual(ct.Client(service.url).trades("BTC", FIRST, FIRST + 9_001).complete, complete)

    def test_contracts_become_coins(self):
        unit = {"contractSize": 0.001, "scale": 1000, "quote": "USDT"}
        with ScriptedService(page("example", unit=unit)) as service:
            trades = list(ct.Client(service.url).trades("gate:PEPE_USDT", FIRST, FIRST + 1))
            self.assertIn("market=gate%3APEPE_USDT", service.requests[0][1])
        self.assertEqual((trades[1].price, trades[1].size), (96_500_000, 0.00000001876))

    def test_refuses_another_version_and_wrong_counts(self):
        wrong = page("example")
        wrong[2]["data"]["version"] = 2
        short = page("example")
        short[2]["data"]["chunks"][0]["trades"] = 5
        for answer in (wrong, short):
            with ScriptedService(answer) as service, self.assertRaises(ct.BadPayload):
                list(ct.Client(service.url).trades("BTC", FIRST, FIRST + 1))

    def test_start_after_end(self):
        with self.assertRaises(ValueError):
            ct.Client("http://127.0.0.1:1").trades("BTC", 2, 1)
