import { type Candle, CandleFold, MINUTE_MS } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { Member, Moment } from '../candles/members.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { cvdPoints } from './cvd.ts';

const START_MS = Date.UTC(2026, 8, 21, 9);

const member = (id: string, kind: 'perp' | 'spot'): Member => ({ market: { id }, kind }) as unknown as Member;
const perp = member('hyperliquid:BTC', 'perp');
const spot = member('coinbase-spot:BTC-USD', 'spot');
const members = [perp, spot];

/** A minute of trades: positive sizes are bought. */
function minuteOf(n: number, trades: readonly (readonly [price: number, size: number])[]): Candle {
  const buffer = new TickBuffer();
  const common = { coin: 'BTC', venue: 'x', notionalUsd: 0, sameOrder: false } as const;
  for (const [tid, [price, size]] of trades.entries())
    buffer.add({
      ...common,
      ts: START_MS + n * MINUTE_MS + tid,
      tid,
      price,
      size: Math.abs(size),
      side: size > 0 ? 'buy' : 'sell',
    });
  const fold = new CandleFold(MINUTE_MS);
  fold.add(buffer.columns);
  return fold.open as Candle;
}

function moment(n: number, complete: boolean, ...candles: readonly (readonly [Member, Candle])[]): Moment {
  const of = new Map(candles);
  return { ts: START_MS + n * MINUTE_MS, complete, candles: members.map((one) => of.get(one)) };
}

it('adds up deltas by market, and runs the sums of perpetuals, spot and all', async () => {
  const moments = [
    moment(
      0,
      true,
      [
        perp,
        minuteOf(0, [
          [100, 3],
          [100, -1],
        ]),
      ],
      [spot, minuteOf(0, [[100, -0.1]])],
    ),
    moment(1, true, [perp, minuteOf(1, [[110, -1]])]),
    moment(3, false, [spot, minuteOf(3, [[100, 0.3]])]),
  ];
  const [first, second, ...none] = await cvdPoints(members, moments, 2 * MINUTE_MS);
  expect(none).toEqual([]);
  expect(first).toEqual({
    ts: START_MS,
    complete: true,
    markets: { 'hyperliquid:BTC': [1, 90], 'coinbase-spot:BTC-USD': [-0.1, -10] },
    perp: { deltaCoins: 1, deltaUsd: 90, cvdCoins: 1, cvdUsd: 90 },
    spot: { deltaCoins: -0.1, deltaUsd: -10, cvdCoins: -0.1, cvdUsd: -10 },
    all: { deltaCoins: 0.9, deltaUsd: 80, cvdCoins: 0.9, cvdUsd: 80 },
  });
  expect(second).toMatchObject({
    ts: START_MS + 2 * MINUTE_MS,
    complete: false,
    perp: { deltaCoins: 0, cvdCoins: 1 },
    spot: { deltaCoins: 0.3, deltaUsd: 30, cvdCoins: 0.2, cvdUsd: 20 },
    all: { cvdCoins: 1.2, cvdUsd: 110 },
  });
});
