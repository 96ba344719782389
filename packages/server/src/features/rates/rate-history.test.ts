import { HOUR_MS, ManualClock, MINUTE_MS, seededRandom } from '@crosstape/core';
import { expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { usdRatesTopic } from '../../topics.ts';
import { createRateHistory, rateAt } from './rate-history.ts';
import { recordRates } from './record-rates.ts';

const START_MS = Date.UTC(2026, 8, 21, 9, 58);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

it('is the mean of the minutes of a span, or else the closest rate', () => {
  const at = rateAt({ ts: [60_000, 120_000, 600_000], rate: [1, 2, 5] });
  expect(at(60_000, MINUTE_MS)).toBe(1);
  expect(at(0, 180_000)).toBe(1.5);
  expect(at(180_000, MINUTE_MS)).toBe(2);
  expect(at(500_000, MINUTE_MS)).toBe(5);
  expect(at(900_000, MINUTE_MS)).toBe(5);
  expect(rateAt({ ts: [], rate: [] })(0, MINUTE_MS)).toBeUndefined();
});

it('does not depend on the order of the questions', () => {
  const ts = Array.from({ length: 50 }, (_, i) => i * MINUTE_MS * (i % 7 === 0 ? 1 : 2)).toSorted(
    (a, b) => a - b,
  );
  const minutes = { ts, rate: ts.map((_, i) => i) };
  const asked = rateAt(minutes);
  const random = seededRandom(7);
  for (let i = 0; i < 2_000; i += 1) {
    const [from, spanMs] = [Math.floor(random() * 110) * 30_000, MINUTE_MS * (random() < 0.8 ? 1 : 60)];
    expect(asked(from, spanMs)).toBe(rateAt(minutes)(from, spanMs));
    expect(asked(from + MINUTE_MS, spanMs)).toBe(rateAt(minutes)(from + MINUTE_MS, spanMs));
  }
});

it('records the fresh rates of each minute over the hour, and over a restart', async () => {
  const clock = new ManualClock(START_MS);
  const bus = new LocalBus(clock);
  const store = new MemoryStore();
  const options = { clock, bus, store, log: silent, candleDays: 1, keptFromMs: () => undefined };
  const say = (rate: number, isStale = false): void =>
    bus.publish(usdRatesTopic, {
      atMs: clock.now(),
      rates: { USDT: { rate, isStale, asOfMs: clock.now(), venues: [] } },
      failing: {},
    });
  let recorder = recordRates(options);
  for (const rate of [0.998, 0.999]) {
    say(rate);
    clock.advance(MINUTE_MS);
    await recorder.stop();
    recorder = recordRates(options);
  }
  say(0.5, true);
  clock.advance(MINUTE_MS);
  await recorder.stop();
  const usdt = await createRateHistory({ store, bus: new LocalBus(clock) }).of(
    'USDT',
    START_MS,
    START_MS + HOUR_MS,
  );
  expect(usdt(START_MS + MINUTE_MS, MINUTE_MS)).toBe(0.998);
  expect(usdt(START_MS + 2 * MINUTE_MS, MINUTE_MS)).toBe(0.999);
  expect(usdt(START_MS + 3 * MINUTE_MS, MINUTE_MS)).toBe(0.999);
});
