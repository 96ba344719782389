"""Paging of candles."""

import unittest

import crosstape as ct

from scripted_service import ScriptedService, good

MINUTE = 60_000


def page(minutes, next_end):
    return good([{"ts": minute * MINUTE, "close": minute} for minute in minutes], nextEnd=next_end, market="all:BTC")


class Paging(unittest.TestCase):
    def test_pages_back_to_the_start(self):
        with ScriptedService(page([6, 7, 8], 6 * MINUTE), page([4, 5], None)) as service:
            candles = ct.Client(service.url).candles("all:BTC", "1m", 4 * MINUTE, 9 * MINUTE)
            paths = [path for _, path, _, _ in service.requests]
        self.assertEqual([candle["ts"] // MINUTE for candle in candles], [4, 5, 6, 7, 8])
        self.assertEqual((candles.meta["market"], candles.meta["nextEnd"]), ("all:BTC", None))
        for path, end in zip(paths, (9, 6), strict=True):
            self.assertIn(f"market=all%3ABTC&interval=1m&start={4 * MINUTE}&end={end * MINUTE}", path)

    def test_a_limit_ends_the_pages(self):
        with ScriptedService(page([6, 7, 8], 6 * MINUTE)) as service:
            candles = ct.Client(service.url).candles("BTC", "1m", end=9 * MINUTE, limit=3)
            self.assertIn("market=hyperliquid%3ABTC", service.requests[0][1])
            self.assertNotIn("start=", service.requests[0][1])
            self.assertIn("limit=3", service.requests[0][1])
        self.assertEqual(len(candles), 3)

    def test_refuses_pages_that_do_not_go_back(self):
        with ScriptedService(page([8], 9 * MINUTE)) as service, self.assertRaises(ct.BadPayload):
            ct.Client(service.url).candles("BTC", "1m", 0, 9 * MINUTE)

    def test_refuses_an_empty_range(self):
        client = ct.Client("http://127.0.0.1:1")
        for given in ({"start": 2, "end": 1}, {"limit": 0}):
            with self.assertRaises(ValueError):
                client.candles("BTC", "1m", **given)
