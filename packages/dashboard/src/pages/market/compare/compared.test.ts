import { expect, it } from 'vitest';
import type { Bar } from '../../../live/topic.ts';
import { addNewer, baseOf, compared, comparedId, withOlder } from './compared.ts';

const MINUTE_MS = 60_000;
const bar = (minute: number, close: number): Bar =>
  ({
    openTs: minute * MINUTE_MS,
    closeTs: (minute + 1) * MINUTE_MS - 1,
    close,
  }) as unknown as Bar;
const sample = (minute: number, value: number) => ({ ts: minute * MINUTE_MS, value });

it('begins at the first bar for which the other market has a price', () => {
  const bars = [bar(0, 100), bar(1, 200), bar(2, 300)];
  expect(baseOf(bars, [sample(1, 5), sample(2, 6)])).toEqual({ ts: MINUTE_MS, own: 200, other: 5 });
  expect(baseOf(bars, [])).toBeUndefined();
});

it('draws the other market from the price of the base on, and reads it in percent', () => {
  const samples = [sample(1, 5), sample(2, 6), sample(4, 4)];
  const line = compared(
    {
      name: 'compare_ETH',
      title: 'ETH',
      color: '--series-4',
      since: '1 Jan',
      base: { ts: MINUTE_MS, own: 200, other: 5 },
    },
    () => samples,
  );
  const run = line.run();
  const closed = [0, 1, 2, 3].map((minute) => run.close(bar(minute, 1))[0]);
  // Before its first price there is none; without a trade the price stays.
  expect(closed).toEqual([undefined, 200, 240, 240]);
  expect(closed.slice(1).map((value) => line.text(value!))).toEqual(['0.00%', '+20.00%', '+20.00%']);
  expect(line.text(run.peek(bar(4, 1))[0]!)).toBe('−20.00%');
  // The candle in progress has another price with each trade.
  addNewer(samples, [sample(4, 10)], 3);
  expect(line.text(run.peek(bar(4, 1))[0]!)).toBe('+100.00%');
});

it('adds older pages and newer prices, each time once, up to a maximum', () => {
  const samples = withOlder([sample(5, 50)], [sample(3, 30), sample(4, 40), sample(5, 51)]);
  expect(samples).toEqual([sample(3, 30), sample(4, 40), sample(5, 50)]);
  addNewer(samples, [sample(5, 55), sample(6, 60)], 3);
  expect(samples).toEqual([sample(4, 40), sample(5, 55), sample(6, 60)]);
});

it('takes a coin as the market of the primary venue, and a kind of markets as those of the chart', () => {
  const ids = ['ETH', 'binance:ETHUSDT', 'spot'].map((market) => comparedId(market, 'SOL'));
  expect(ids).toEqual(['hyperliquid:ETH', 'binance:ETHUSDT', 'spot:SOL']);
});
