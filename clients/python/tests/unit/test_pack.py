"""Result packs: the golden file of the format."""

import unittest
from pathlib import Path

from crosstape.codec.pack import decode_pack, state_cursor
from crosstape.errors import BadPayload

GOLDEN = Path(__file__).parents[4] / "packages/core/src/bars/golden"


class GoldenPack(unittest.TestCase):
    def setUp(self):
        self.payload = bytes.fromhex("".join((GOLDEN / "pack-v1.hex").read_text().split()))

    def test_the_worked_example(self):
        pack = decode_pack(self.payload)
        bars = {name: column.tolist() for name, column in pack.columns.items()}
        self.assertEqual(
            bars,
            {
                "index": [0],
                "openTs": [1700000000000],
                "closeTs": [1700000000005],
                "open": [100.5],
                "high": [101],
                "low": [100.5],
                "close": [101],
                "volume": [0.3],
                "buyVolume": [0.2],
                "notionalUsd": [30.2],
                "trades": [2],
                "delta": [0.1],
                "minDelta": [0],
                "maxDelta": [0.2],
                "direction": [1],
                "complete": [1],
            },
        )
        self.assertEqual(pack.head["kind"], "tick")
        self.assertEqual(state_cursor(pack.state), (1700000000005, 2))

    def test_every_cut_is_refused(self):
        for length in range(len(self.payload)):
            with self.assertRaises(BadPayload):
                decode_pack(self.payload[:length])
