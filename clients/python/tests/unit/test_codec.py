"""Chunks: both decoders read every golden file of the format, and refuse corrupt bytes."""

import json
import random
import unittest
from pathlib import Path

from crosstape.codec import plain
from crosstape.codec.chunk import gunzip
from crosstape.errors import BadPayload

try:
    from crosstape.codec import fast
except ImportError:
    fast = None

GOLDEN = Path(__file__).parents[4] / "packages/core/src/ticks/golden"
DECODERS = [decoder for decoder in (plain, fast) if decoder]


def numbers(column):
    return [int(one) for one in column]


class GoldenChunks(unittest.TestCase):
    def test_every_golden_file(self):
        files = sorted(GOLDEN.glob("*.jsonl"))
        self.assertGreaterEqual(len(files), 7)
        for file in files:
            head, *rows = [json.loads(line) for line in file.read_text().splitlines()]
            stem = str(file)[: -len(".jsonl")]
            ticks_payload = gunzip(Path(stem + ".ticks.gz").read_bytes())
            ids_payload = gunzip(Path(stem + ".ids.gz").read_bytes())
            for decoder in DECODERS:
                with self.subTest(file=file.name, decoder=decoder.__name__):
                    ticks = decoder.decode_ticks(ticks_payload)
                    ids = decoder.decode_ids(ids_payload)
                    self.assertEqual(ticks.price_decimals, head["priceDecimals"])
                    self.assertEqual(ticks.size_decimals, head["sizeDecimals"])
                    columns = (ticks.ts, ticks.price, ticks.size, ticks.is_buy, ticks.same_order, ids.tid, ids.late_ms)
                    self.assertEqual([list(row) for row in zip(*map(numbers, columns))], rows)


class CorruptChunks(unittest.TestCase):
    def test_damaged_bytes_are_refused_or_read_alike(self):
        chance = random.Random(7)
        for name in ("v1-market", "v1-extremes"):
            payload = gunzip((GOLDEN / f"{name}.ticks.gz").read_bytes())
            for _ in range(300):
                damaged = bytearray(payload)
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
                results = [self.read(decoder, bytes(damaged)) for decoder in DECODERS]
                for other in results[1:]:
                    self.assertEqual(results[0], other)

    def test_every_cut_is_refused(self):
        payload = gunzip((GOLDEN / "v1-example.ticks.gz").read_bytes())
        for decoder in DECODERS:
            for length in range(len(payload)):
                with self.assertRaises(BadPayload):
                    decoder.decode_ticks(payload[:length])

    def test_a_cut_gzip_member_is_refused(self):
        member = (GOLDEN / "v1-example.ticks.gz").read_bytes()
        with self.assertRaises(BadPayload):
            gunzip(member[:-3])

    @staticmethod
    def read(decoder, payload):
        try:
            ticks = decoder.decode_ticks(payload)
        except BadPayload:
            return "refused"
        return [numbers(column) for column in (ticks.ts, ticks.price, ticks.size, ticks.is_buy, ticks.same_order)]
