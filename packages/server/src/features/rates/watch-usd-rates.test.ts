import { ManualClock, type SpotTicker } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { LateClock } from '../../platform/testing/late-clock.ts';
import { healthTopic, snapshotTopic, type UsdRates, usdRatesTopic } from '../../topics.ts';
import { watchUsdRates } from './watch-usd-rates.ts';

const START_MS = 1_790_000_000_000;

let clock: ManualClock;
let bus: LocalBus;
let published: UsdRates[];
let watch: { stop(): void };
beforeEach(() => {
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
  published = [];
  bus.subscribe(usdRatesTopic, (rates) => published.push(rates));
  watch = watchUsdRates({ clock, bus });
});
afterEach(() => watch.stop());

function price(source: string, last: number, coin = 'USDT'): void {
  const row: SpotTicker = { coin, symbol: `${coin}-USD`, quote: 'USD', last };
  const topic = snapshotTopic(source, 'spotTickers');
  const others = bus.latest(topic)?.message.rows.filter((one) => one.coin !== coin) ?? [];
  bus.publish(topic, { venue: source, rows: [...others, row], fetchedAtMs: clock.now(), everyMs: 10_000 });
}

it('publishes a rate when it appears, and every 30 seconds how it moves', () => {
  price('kraken-spot', 0.999);
  price('coinbase', 0.997);
  clock.advance(1_000);
  expect(published.at(-1)?.rates).toMatchObject({ USDT: { rate: 0.998, isStale: false } });
  const before = published.length;
  for (let second = 0; second < 29; second += 1) {
    price('kraken-spot', 0.999 - second / 1e6);
    price('coinbase', 0.997);
    clock.advance(1_000);
  }
  expect(published.length).toBe(before);
  clock.advance(1_000);
  expect(published.length).toBe(before + 1);
});

it('takes no other venue for a source of the rate', () => {
  price('okx-spot', 0.5);
  clock.advance(1_000);
  expect(published.at(-1)?.rates).toEqual({});
});

it('names a source that has no fresh price of a currency that it lists, and clears it', () => {
  price('kraken-spot', 0.999);
  price('coinbase', 0.997);
  clock.advance(61_000);
  price('coinbase', 0.997);
  const error = 'HTTP 503.';
  const health = { source: 'kraken-spot:ticker', venue: 'kraken-spot', gives: ['spotTickers'] };
  const counts = { sinceMs: 0, messages: 0, refused: 0, reconnects: 0 };
  bus.publish(healthTopic('kraken-spot'), [{ ...health, ...counts, status: 'down', error }]);
  clock.advance(1_000);
  expect(published.at(-1)).toMatchObject({
    rates: { USDT: { rate: 0.997, venues: ['coinbase'] } },
    failing: {
      USDT: [{ source: 'kraken-spot:ticker', status: 'down', ageMs: 62_000, error }],
      // Neither lists it.
      USDC: [],
    },
  });
  price('kraken-spot', 0.999);
  clock.advance(1_000);
  expect(published.at(-1)?.failing).toMatchObject({ USDT: [] });
});

it('says that the rate is stale when all its sources are', () => {
  price('kraken-spot', 0.999);
  clock.advance(62_000);
  expect(published.at(-1)?.rates).toMatchObject({ USDT: { rate: 0.999, isStale: true, asOfMs: START_MS } });
});

it('publishes on when a clock that was hours ahead is set right', () => {
  const late = new LateClock();
  const own = new LocalBus(late);
  const rates: UsdRates[] = [];
  own.subscribe(usdRatesTopic, (one) => rates.push(one));
  const put = (last: number): void =>
    own.publish(snapshotTopic('kraken-spot', 'spotTickers'), {
      venue: 'kraken-spot',
      rows: [{ coin: 'USDT', symbol: 'USDT-USD', quote: 'USD', last }],
      fetchedAtMs: late.now(),
      everyMs: 10_000,
    });
  const watching = watchUsdRates({ clock: late, bus: own });
  put(0.999);
  late.advance(1_000);
  late.setRight();
  put(0.99);
  late.advance(1_000);
  expect(rates.at(-1)).toMatchObject({ atMs: late.now(), rates: { USDT: { rate: 0.99 } } });
  watching.stop();
});
