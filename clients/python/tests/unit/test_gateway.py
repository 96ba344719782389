"""The connection to the gateway: when it is opened again."""

import asyncio
import json
import unittest
from unittest import mock

import crosstape as ct
from crosstape.http import Http
from crosstape.live.gateway import Gateway
from crosstape.live.socket import SocketClosed

ACK = {"type": "ack", "op": "subscribe", "id": 0, "channel": "trades", "symbol": "BTC"}
CROWDED = {"type": "error", "code": "rate_limited", "message": "This account has 3 sockets."}


class ScriptedSocket:
    """Delivers frames, then ends with a close code."""

    def __init__(self, code, *frames):
        self._code = code
        self._frames = list(frames)

    async def send(self, text):
        pass

    async def receive(self):
        if self._frames:
            return json.dumps(self._frames.pop(0))
        raise SocketClosed(self._code, "")

    async def close(self):
        pass


def frames_of(*sockets, count):
    """The first frames, without those of the client itself, and the waits in between."""
    waits = []
    left = list(sockets)

    async def open_socket(url, timeout):
        return left.pop(0)

    async def sleep(seconds):
        waits.append(seconds)

    async def read():
        http = Http("http://127.0.0.1:1", api_key=None, timeout=5, retries=0)
        found = []
        async for frame in Gateway(http, lambda: [{"channel": "trades", "symbol": "BTC"}]).frames():
            if frame["type"] not in ("connected", "disconnected"):
                found.append(frame)
            if len(found) == count:
                return found

    with mock.patch("crosstape.live.gateway.open_socket", open_socket), mock.patch("asyncio.sleep", sleep):
        return asyncio.run(read()), waits


class Slots(unittest.TestCase):
    def test_a_lost_socket_is_waited_for_until_the_gateway_has_noticed(self):
        crowded = [ScriptedSocket(4429, CROWDED) for _ in range(4)]
        found, waits = frames_of(ScriptedSocket(1006, ACK), *crowded, ScriptedSocket(1006, ACK), count=2)
        self.assertEqual(found, [ACK, ACK])
        self.assertEqual(waits[1:], [20.0] * 4)

    def test_but_not_for_ever(self):
        crowded = [ScriptedSocket(4429, CROWDED) for _ in range(5)]
        with self.assertRaises(ct.GatewayError) as raised:
            frames_of(ScriptedSocket(1006, ACK), *crowded, count=2)
        self.assertEqual(raised.exception.code, "rate_limited")

    def test_a_client_that_never_had_one_is_told_at_once(self):
        with self.assertRaises(ct.GatewayError):
            frames_of(ScriptedSocket(4429, CROWDED), count=1)
