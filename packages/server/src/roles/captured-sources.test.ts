import { expect, it } from 'vitest';
import type { CandleSource } from '../ingest/candle-client.ts';
import type { SampleSource } from '../ingest/sample-client.ts';
import { capturedCandles, capturedSamples } from './captured-sources.ts';

const asked: string[] = [];
const span = (symbol: string) =>
  ({ market: { symbol }, interval: '1m', fromMs: 60_000, toMs: 120_000 }) as const;
const candles = {
  publisher: { id: 'bybit' },
  candles: { name: 'candles' },
  read: async ({ market }: { market: { symbol: string } }) => {
    asked.push(market.symbol);
    return [{ ts: 60_000 }];
  },
} as unknown as CandleSource;
const samples = {
  publisher: { id: 'bybit' },
  samples: { name: 'funding-history' },
  read: async () => ({ samples: [{ ts: 1, value: 2 }], fromMs: 0 }),
} as unknown as SampleSource;
const captured = ['bybit candles BTCUSDT', 'bybit-spot candles ETHUSDT', 'bybit funding-history ETHUSDT'];

it('requests in a replay only what was captured, and everything elsewhere', async () => {
  const replayed = capturedCandles({ captured }, candles);
  expect(await replayed.read(span('BTCUSDT'))).toHaveLength(1);
  expect(await replayed.read(span('ETHUSDT'))).toEqual([]);
  expect(asked).toEqual(['BTCUSDT']);
  expect(capturedCandles({}, candles)).toBe(candles);
  const past = capturedSamples({ captured }, samples);
  expect((await past.read(span('ETHUSDT'))).samples).toHaveLength(1);
  expect(await past.read(span('BTCUSDT'))).toEqual({ samples: [], fromMs: 60_000 });
});
