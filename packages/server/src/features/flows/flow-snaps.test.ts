import { expect, test } from 'vitest';
import { spreadSnap } from './flow-snaps.ts';
import { venueSpreads } from './venue-spreads.ts';

const NOW = 1_790_000_000_000;

test.each([
  [NOW - 7_500, 7_500],
  [NOW + 300, 0],
])('says how much older than the prices the rate of USDT is', (asOfMs, ageMs) => {
  const price = { coin: 'BTC', symbol: 'BTC-USD', quote: 'USD', rawPrice: 1, lastUsd: 1, priceUsd: 1 };
  const times = { receivedAtMs: NOW, asOfMs: NOW, skewMs: 0, isSkewed: false, isStale: false };
  const part = venueSpreads(['coinbase', 'kraken'].map((venue) => ({ ...price, ...times, venue })));
  if (!part) throw new Error('no spreads');
  const usdtRate = { rate: 0.9996, asOfMs, isStale: false, venues: ['kraken'] };
  const snap = spreadSnap(
    { coin: 'BTC', atMs: NOW, figures: { usdtRate }, spreads: { part, atMs: NOW } },
    part,
  );
  expect(snap).toMatchObject({ usdtUsd: 0.9996, usdtUsdAgeMs: ageMs });
});
