"""Against a running service (CROSSTAPE_URL): live streams through a proxy that cuts connections."""

import asyncio
import os
import time
import unittest
from unittest import mock
from urllib.parse import urlsplit

import crosstape as ct
from crosstape.live import gateway, socket

MARKET = "hyperliquid:BTC"
# A quiet market trades every few seconds; a stream that is stuck never ends.
WAIT_S = 180


class CuttingProxy:
    """Passes bytes on until a test cuts every connection."""

    async def open(self):
        self._writers = set()
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self.connections = 0
        return self

    async def _pass(self, reader, writer):
        to = urlsplit(os.environ["CROSSTAPE_URL"])
        service_reader, service_writer = await asyncio.open_connection(to.hostname, to.port)
        self.connections += 1
        self._writers |= {writer, service_writer}
        await asyncio.gather(self._copy(reader, service_writer), self._copy(service_reader, writer))

    async def _copy(self, reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        writer.close()

    def cut(self):
        """Ends every connection. Returns whether there was one."""
        was_open = bool(self._writers)
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        return was_open

    def close(self):
        self.cut()
        self._server.close()


class Live(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        patch = mock.patch.object(gateway, "backoff_s", lambda attempt: 0.01)
        patch.start()
        self.addCleanup(patch.stop)
        self.proxy = await CuttingProxy().open()
        self.addCleanup(self.proxy.close)
        self.client = ct.Client(self.proxy.url)

    async def follow(self, since, cuts):
        """Trades from a cursor until all cuts are done and live trades follow."""
        received = []
        # The client may still have trades of a connection that was cut.
        connections = self.proxy.connections + 1 + cuts
        stream = self.client.live.trades(MARKET, since=since)
        until = int(time.time() * 1_000)
        async with stream:
            async for item in stream:
                if not isinstance(item, ct.Trade):
                    continue
                received.append(item)
                if cuts and item.ts >= until:
                    until = item.ts + 1
                    cuts -= self.proxy.cut()
                elif not cuts and item.ts >= until and self.proxy.connections >= connections:
                    break
        self.assertEqual(stream.cursor.ts, received[-1].ts)
        return received

    async def check(self, since, cuts):
        received = await asyncio.wait_for(self.follow(since, cuts), WAIT_S)
        tape = await asyncio.to_thread(
            lambda: list(ct.Client().trades(MARKET, received[0].ts, received[-1].ts + 1, ids=True))
        )
        keys = [(trade.ts, trade.tid, trade.price, trade.size, trade.side) for trade in tape]
        mine = [(trade.ts, trade.tid, trade.price, trade.size, trade.side) for trade in received]
        at = keys.index(mine[0])
        self.assertEqual(mine, keys[at : at + len(mine)])
        return received

    async def test_every_trade_once_across_lost_connections(self):
        for library in (None, socket._library()):
            with self.subTest(library=library), mock.patch.object(socket, "_library", lambda: library):
                await self.check(since=int(time.time() * 1_000) - 5_000, cuts=3)
                self.assertGreaterEqual(self.proxy.connections, 4)

    async def test_a_cursor_older_than_the_gateway_keeps_is_joined_by_history(self):
        since = int(time.time() * 1_000) - 2 * 3_600_000
        received = await self.check(since=since, cuts=0)
        self.assertLess(received[0].ts, since + 600_000)

    async def test_order_book_candles_and_several_markets(self):
        async with self.client.live.orderbook(MARKET) as books:
            async for book in books:
                if book.bids and book.asks:
                    break
        self.assertLess(book.bids[0][0], book.asks[0][0])
        self.proxy.cut()
        async with self.client.live.candles([MARKET, "hyperliquid:eth"], "1s") as candles:
            seen = set()
            async for candle in candles:
                seen.add(candle["market"])
                if len(seen) == 2:
                    break
        self.assertEqual(candle["interval"], "1s")

    async def test_refusals_are_raised(self):
        for call in (lambda live: live.trades("hyperliquid:NOSUCH"), lambda live: live.candles(MARKET, "7m")):
            with self.assertRaises(ct.GatewayError):
                await asyncio.wait_for(call(self.client.live).__anext__(), WAIT_S)
        with self.assertRaises(ct.NotFound):
            await asyncio.wait_for(self.client.live.liquidations("binance:NOSUCH").__anext__(), WAIT_S)
        with self.assertRaises(ct.GatewayError):
            await asyncio.wait_for(self.client.live.orderbook("binance:NOSUCH").__anext__(), WAIT_S)
