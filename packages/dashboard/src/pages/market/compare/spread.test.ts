import { expect, it } from 'vitest';
import type { Bar } from '../../../live/topic.ts';
import { spread } from './spread.ts';

const MINUTE_MS = 60_000;
const bar = (minute: number, close: number): Bar =>
  ({
    openTs: minute * MINUTE_MS,
    closeTs: (minute + 1) * MINUTE_MS - 1,
    close,
  }) as unknown as Bar;
const sample = (minute: number, value: number) => ({ ts: minute * MINUTE_MS, value });
const look = { name: 'spread', title: 'Spread', color: '--series-2' };

it('reads near prices as a premium in bps, and others as a ratio', () => {
  const line = spread(look, () => [sample(1, 50_000), sample(2, 1_000)]);
  const run = line.run();
  const texts = [bar(1, 50_025), bar(1, 49_990), bar(2, 50_000)].map((one) => {
    const [value] = run.close(one);
    return value === undefined ? undefined : line.text(value);
  });
  expect(texts).toEqual(['+5.0 bps', '−2.0 bps', '50.000']);
});

it('has no value before the first price of the other market, and none from an old one', () => {
  const run = spread(look, () => [sample(1, 100)]).run();
  const values = [0, 1, 11, 12].map((minute) => run.close(bar(minute, 101))[0]);
  expect(values).toEqual([undefined, 1.01, 1.01, undefined]);
});
