import fc from 'fast-check';
import { expect, it } from 'vitest';
import { liquidations } from './liquidations.ts';

const known = { instruments: [{ symbol: 'BTCUSDT', coin: 'BTC' }] };

function frameOf(row: Readonly<Record<string, string>>): string {
  const arg = { instType: 'usdt-futures', topic: 'liquidation' };
  return JSON.stringify({ action: 'update', arg, data: [{ symbol: 'BTCUSDT', ts: '1', ...row }], ts: 2 });
}

it('finds the size of a liquidation in its amount of USDT, and never the amount itself', () => {
  const parse = liquidations.open(() => known);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 1, max: 10_000_000 }),
      (lots, cents) => {
        const [size, price] = [lots / 1000, cents / 100];
        const frame = frameOf({ side: 'buy', price: price.toFixed(2), amount: (size * price).toFixed(5) });
        const reported = parse(frame);
        if (reported.kind !== 'liquidations') throw new Error(reported.kind);
        expect(reported.liquidations[0]?.size).toBeCloseTo(size, 2);
      },
    ),
  );
});

it('sells a long and buys back a short', () => {
  const parse = liquidations.open(() => known);
  const sideOf = (side: string): unknown => parse(frameOf({ side, price: '10.0', amount: '20' }));
  expect(sideOf('buy')).toMatchObject({ liquidations: [{ side: 'sell', size: 2 }] });
  expect(sideOf('sell')).toMatchObject({ liquidations: [{ side: 'buy', size: 2 }] });
});
