"""Against a running service (CROSSTAPE_URL): history equals the REST interface and the TypeScript client to the digit."""

import json
import os
import tempfile
import time
import unittest
from unittest import mock

import crosstape as ct
from crosstape import candles as candles_module

MINUTE = 60_000


class History(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = ct.Client()
        with open(os.environ["CROSSTAPE_EXPECTED"]) as file:
            cls.expected = json.load(file)
        cls.start, cls.end = cls.expected["start"], cls.expected["end"]

    def test_trades_equal_the_typescript_client(self):
        columns = self.client.trades("hyperliquid:BTC", self.start, self.end).to_columns()
        rows = [list(row) for row in zip(*(columns[name].tolist() for name in ("ts", "price", "size", "is_buy", "same_order")))]
        self.assertEqual(rows, [[*row[:3], bool(row[3]), bool(row[4])] for row in self.expected["trades"]])
        self.assertGreater(len(rows), 300)

    def test_trades_equal_the_json_page(self):
        first = self.end - 5 * MINUTE
        query = {"coin": "BTC", "start": first, "end": self.end, "format": "json"}
        page = self.client.get("/perps/trades/history", **query)
        self.assertIsNone(page["meta"]["nextStart"])
        mine = [
            {"ts": t.ts, "price": t.price, "size": t.size, "side": t.side, "tid": t.tid}
            | ({"venueTs": t.venue_ts} if t.venue_ts != t.ts else {})
            for t in self.client.trades("hyperliquid:BTC", first, self.end, ids=True)
        ]
        self.assertEqual(mine, page["data"])

    def test_bars_equal_the_typescript_client(self):
        bars = self.client.bars("hyperliquid:BTC", "range", range_ticks=20, start=self.start)
        mine = [{**bar, "index": 0} for bar in bars]
        self.assertEqual((bars.stats["tick"], bars.complete), (self.expected["tick"], not bars.gaps))
        # Both windows began at slightly different times; once two bars agree, all later ones must. Bars can share
        # their times, so the first bar that is like no other decides which positions are compared.
        theirs = [{**bar, "index": 0} for bar in self.expected["bars"]]
        first = next(at for at, bar in enumerate(theirs) if mine.count(bar) == 1)
        own = mine.index(theirs[first])
        self.assertGreater(len(theirs) - first, 20)
        self.assertEqual(mine[own : own + len(theirs) - first], theirs[first:])

    def test_bars_end_where_they_should(self):
        bars = self.client.bars("hyperliquid:BTC", "tick", trades=50, start=self.start, end=self.end)
        trades = self.client.trades("hyperliquid:BTC", self.start, self.end).to_columns()
        self.assertEqual(bars.stats["trades"], len(trades["ts"]))

    def test_a_build_goes_on_where_its_state_ends(self):
        bars = self.client.bars("hyperliquid:BTC", "tick", trades=50, start=self.start)
        open_trades = bars.open["trades"] if bars.open else 0
        self.assertEqual(sum(bars.columns["trades"].tolist()) + open_trades, bars.stats["trades"])
        self.assertEqual(bars.cursor.ts, bars.stats["lastTs"])
        at_cursor = [t for t in self.client.trades("hyperliquid:BTC", bars.cursor.ts, bars.cursor.ts + 1)]
        self.assertGreaterEqual(len(at_cursor), bars.cursor.count)

    def test_candles_equal_the_rest_interface_and_their_trades(self):
        first = self.start - self.start % MINUTE
        with mock.patch.object(candles_module, "_PAGE_MAX", 7):
            candles = self.client.candles("hyperliquid:BTC", "1m", first, self.end)
        query = {"market": "hyperliquid:BTC", "interval": "1m", "start": first, "end": self.end}
        self.assertEqual(candles.to_list(), self.client.get("/candles", **query)["data"])
        self.assertGreater(len(candles), 20)
        for candle in candles[1:4]:
            ts = candle["ts"]
            trades = list(self.client.trades("hyperliquid:BTC", ts, ts + MINUTE))
            self.assertEqual((candle["open"], candle["close"]), (trades[0].price, trades[-1].price))
            self.assertEqual(candle["trades"], len(trades))
            self.assertAlmostEqual(candle["volume"], sum(t.size for t in trades), places=9)
        frame = self.client.candles("perp:BTC", "5m", first, self.end).to_pandas()
        self.assertEqual((str(frame.index.tz), frame.attrs["meta"]["market"]), ("UTC", "perp:BTC"))
        self.assertIn("hyperliquid:BTC", frame["byMarket"].iloc[0])

    def test_frames_keep_their_meta(self):
        trades = self.client.trades("hyperliquid:BTC", self.start, self.end)
        frame = trades.to_pandas()
        self.assertEqual(frame.attrs["meta"]["source"], "sim:hyperliquid")
        self.assertEqual(frame.attrs["meta"]["complete"], trades.complete)
        self.assertEqual(str(frame.index.tz), "UTC")
        self.assertEqual(int(frame.index[0].timestamp() * 1_000), self.expected["trades"][0][0])
        table = trades.to_numpy()
        self.assertEqual(table["price"].sum(), frame["price"].sum())

    def test_optional_libraries_are_named_when_missing(self):
        trades = self.client.trades("hyperliquid:BTC", self.start, self.end)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "btc.parquet")
            try:
                trades.to_parquet(path)
            except ct.MissingDependency as error:
                self.assertIn("pip install pyarrow", str(error))
            else:
                self.assertGreater(os.path.getsize(path), 0)

    def test_coverage_and_gaps_agree(self):
        spans = self.client.coverage("hyperliquid:BTC", self.start, self.end)
        trades = self.client.trades("hyperliquid:BTC", self.start, self.end)
        self.assertEqual((spans[0]["from"], spans[-1]["to"]), (self.start, self.end))
        states = {span["state"] for span in spans}
        self.assertEqual(trades.complete, states <= {"complete", "refilled"})


class Endpoints(unittest.TestCase):
    def test_every_method_answers(self):
        client = ct.Client(timeout=10)
        now = int(time.time() * 1_000)
        arguments = {
            "open_interest_history": ("BTC",),
            "funding_history": ("BTC",),
            "option_chain": ("BTC",),
            "gamma_exposure": ("BTC",),
            "option_skew": ("BTC",),
            "option_history": ("BTC",),
            "option_trades": ("BTC",),
            "option_flow": ("BTC",),
            "volatility_index": ("BTC",),
            "positioning_history": ("BTC",),
            "flows_history": ("BTC", "kimchiPremiumBps"),
            "flows_cvd": ("BTC",),
            "audit": ("hyperliquid:BTC",),
            "audit_day": ("hyperliquid",),
            "points": ("OI_AGG", "hyperliquid"),
            "prediction_orderbook": None,
            "prediction_history": None,
        }
        named = {"orderbook_history": {"coin": "BTC"}, "orderbook_depth": {"coin": "BTC"}}
        from crosstape.generated.endpoints import Endpoints as Generated

        names = [name for name in vars(Generated) if not name.startswith("_")]
        self.assertGreater(len(names), 20)
        for name in names:
            given = arguments.get(name, ())
            if given is None:
                continue
            with self.subTest(method=name):
                try:
                    answer = getattr(client, name)(*given, **named.get(name, {}))
                except ct.Unavailable:
                    continue  # A source may still be starting.
                if isinstance(answer, dict) and not isinstance(answer, ct.Record):
                    self.assertIn("info", answer)
                    continue
                self.assertLessEqual(answer.meta["fetchedAt"], now + 60_000)
                self.assertEqual(answer.to_pandas().attrs["meta"], answer.meta)

    def test_refusals_are_typed(self):
        client = ct.Client()
        with self.assertRaises(ct.NotFound):
            client.open_interest_history("NOSUCH")
        with self.assertRaises(ct.BadRequest) as raised:
            client.whales(limit=0)
        self.assertEqual(raised.exception.code, "bad_request")
