"""Requests: errors with the service's code, bounded retries, and what is sent."""

import asyncio
import gzip
import json
import socket
import unittest

import crosstape as ct
from crosstape.http import Http, query_text
from crosstape.markets import market_query
from crosstape.times import to_ms

from scripted_service import ScriptedService, failure, good


def http_to(service, waits, retries=3):
    return Http(service.url, api_key="ct_free_x", timeout=5, retries=retries, sleep=waits.append)


class Requests(unittest.TestCase):
    def test_retries_after_as_long_as_the_service_says(self):
        waits = []
        answers = [failure(429, "rate_limited", Retry_After="7"), failure(503, "overloaded"), good([1])]
        with ScriptedService(*answers) as service:
            self.assertEqual(http_to(service, waits).get("/perps/oi")["data"], [1])
        self.assertEqual(waits[0], 7)
        self.assertTrue(0.5 <= waits[1] <= 1)

    def test_a_path_before_the_interface_is_kept(self):
        with ScriptedService(good([1])) as service:
            client = ct.Client(service.url + "/tape/")
            self.assertEqual(client.get("/perps/oi")["data"], [1])
            self.assertEqual(service.requests[0][1], "/tape/api/v1/perps/oi")

    def test_arguments_that_cannot_be_sent_are_refused(self):
        for url, key in (
            ("ftp://127.0.0.1", None),
            ("http://127.0.0.1?x=1", None),
            ("http://127.0.0.1:99999", None),
            ("http://127.0.0.1", "schlüssel€"),
            ("http://127.0.0.1", "a\nb"),
        ):
            with self.subTest(url=url, key=key), self.assertRaises(ct.BadArgument) as raised:
                ct.Client(url, key)
            self.assertIsInstance(raised.exception, ct.CrosstapeError)

    def test_a_live_stream_fails_when_no_service_answers(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            client = ct.Client(f"http://127.0.0.1:{unused.getsockname()[1]}", timeout=0.2)

            async def first():
                async for candle in client.live.candles("hyperliquid:BTC"):
                    return candle

            with self.assertRaises(ct.ConnectionFailed):
                asyncio.run(asyncio.wait_for(first(), 10))

    def test_gives_up_after_the_last_retry(self):
        waits = []
        with ScriptedService(*[failure(503, "upstream_unavailable", Retry_After="1")] * 3) as service:
            with self.assertRaises(ct.Unavailable) as raised:
                http_to(service, waits, retries=2).get("/perps/oi")
        self.assertEqual((raised.exception.code, raised.exception.retry_after), ("upstream_unavailable", 1))
        self.assertEqual(len(waits), 2)

    def test_does_not_wait_for_a_quota_that_renews_much_later(self):
        waits = []
        with ScriptedService(failure(429, "rate_limited", Retry_After="3600")) as service:
            with self.assertRaises(ct.RateLimited) as raised:
                http_to(service, waits).get("/perps/oi")
        self.assertEqual((raised.exception.retry_after, waits), (3600, []))

    def test_errors_have_the_class_of_their_code(self):
        for status, code, kind in (
            (400, "bad_request", ct.BadRequest),
            (401, "unauthorized", ct.Unauthorized),
            (404, "not_found", ct.NotFound),
            (413, "too_large", ct.TooLarge),
            (500, "internal", ct.ApiError),
        ):
            with ScriptedService(failure(status, code)) as service:
                with self.assertRaises(kind) as raised:
                    http_to(service, []).get("/perps/oi")
            self.assertEqual((raised.exception.code, raised.exception.status), (code, status))

    def test_a_lost_connection_is_retried_for_get_and_not_for_post(self):
        with ScriptedService(None, good([2]), None) as service:
            http = http_to(service, [])
            self.assertEqual(http.get("/perps/oi")["data"], [2])
            with self.assertRaises(ct.ConnectionFailed):
                http.post("/perps/rotations/build", {"coin": "BTC"})
            self.assertEqual([method for method, *_ in service.requests], ["GET", "GET", "POST"])

    def test_reads_gzip_and_sends_the_key(self):
        body = gzip.compress(json.dumps({"data": [3], "meta": {}}).encode())
        with ScriptedService((200, {"Content-Encoding": "gzip"}, body)) as service:
            self.assertEqual(http_to(service, []).get("/perps/oi", {"coins": ["BTC", "ETH"]})["data"], [3])
            _, path, headers, _ = service.requests[0]
        self.assertEqual(path, "/api/v1/perps/oi?coins=BTC%2CETH")
        self.assertEqual((headers["X-API-Key"], headers["Accept-Encoding"]), ("ct_free_x", "gzip"))

    def test_something_else_at_the_address(self):
        with ScriptedService((200, {}, b"<html>")) as service:
            with self.assertRaises(ct.ConnectionFailed):
                http_to(service, []).get("/perps/oi")
        with self.assertRaises(ValueError):
            ct.Client("127.0.0.1:8080")


class Lake(unittest.TestCase):
    def test_lists_the_files_of_a_market_and_its_days(self):
        keys = [
            "trades/venue=hyperliquid/symbol=BTC/date=2026-11-11/part-0.parquet",
            "trades/venue=hyperliquid/symbol=BTC/date=2026-11-12/part-0.parquet",
            "trades/venue=hyperliquid/symbol=ETH/date=2026-11-12/part-0.parquet",
            "gaps/venue=hyperliquid/symbol=BTC/date=2026-11-12/part-0.parquet",
        ]
        manifest = {"files": [{"key": key} for key in keys]}
        with ScriptedService((200, {}, manifest)) as service:
            lake = ct.Client(service.url).lake()
            days = lake.scan_args("trades", "hyperliquid:BTC", "2026-11-12", "2026-11-13")
            self.assertEqual(days, {"source": [f"{service.url}/lake/{keys[1]}"], "hive_partitioning": True})
            self.assertEqual(len(lake.urls("trades")), 3)
            with self.assertRaises(ValueError):
                lake.urls("books")

    def test_days_that_are_not_made_yet_are_made(self):
        key = "trades/venue=kraken-spot/symbol=BTC-USD/date=2025-11-12/part-0.parquet"
        answers = [(200, {}, {"files": []}), (404, {}, b"<Error/>"), (200, {}, b""), (200, {}, {"files": [{"key": key}]})]
        with ScriptedService(*answers) as service:
            urls = ct.Client(service.url).lake().urls("trades", "kraken-spot:BTC/USD", "2025-11-12", "2025-11-14")
            requests = [(method, path) for method, path, _, _ in service.requests[1:3]]
        self.assertEqual(urls, [f"{service.url}/lake/{key}"])
        self.assertEqual(requests, [("HEAD", f"/lake/{key.replace('11-12', '11-13')}"), ("HEAD", f"/lake/{key}")])

    def test_a_day_in_several_files_is_listed_whole_and_not_made_again(self):
        folder = "repaired_trades/venue=hyperliquid/symbol=BTC/date=2025-11-12"
        for parts in (("part-0", "part-1"), ("part-1",)):
            keys = [f"{folder}/{part}.parquet" for part in parts]
            with ScriptedService((200, {}, {"files": [{"key": key} for key in keys]})) as service:
                urls = ct.Client(service.url).lake().urls(
                    "repaired_trades", "hyperliquid:BTC", "2025-11-12", "2025-11-13"
                )
                self.assertEqual(len(service.requests), 1)
            self.assertEqual(urls, [f"{service.url}/lake/{key}" for key in keys])

    def test_tables_of_a_venue_have_no_symbols(self):
        key = "liquidations/venue=bybit/date=2025-11-12/part-0.parquet"
        with ScriptedService((200, {}, {"files": [{"key": key}]})) as service:
            self.assertEqual(len(ct.Client(service.url).lake().files("liquidations", "bybit:BTCUSDT")), 1)


class Parameters(unittest.TestCase):
    def test_times(self):
        for text in ("2026-11-12T14:00:00Z", "2026-11-12T14:00", "2026-11-12T16:00:00+02:00", 1794492000000):
            self.assertEqual(to_ms(text), 1794492000000)
        self.assertEqual(to_ms("2026-11-12"), 1794441600000)
        for bad in ("yesterday", -1, 1e300):
            with self.assertRaises(ValueError):
                to_ms(bad)
        with self.assertRaises(TypeError):
            to_ms(True)

    def test_markets(self):
        self.assertEqual(market_query("HL:kPEPE"), {"coin": "kPEPE"})
        self.assertEqual(market_query("BTC"), {"coin": "BTC"})
        self.assertEqual(market_query("binance:BTCUSDT"), {"market": "binance:BTCUSDT"})
        for bad in ("", ":BTC", "binance:"):
            with self.assertRaises(ValueError):
                market_query(bad)

    def test_queries(self):
        query = {"a": None, "coins": ["BTC", "ETH"], "exchange": ["x", "y"], "ids": True}
        self.assertEqual(query_text(query), "?coins=BTC%2CETH&exchange=x&exchange=y&ids=1")
