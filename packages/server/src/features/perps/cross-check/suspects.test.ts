import { ManualClock, MINUTE_MS, type Price } from '@crosstape/core';
import { expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { startTestApi } from '../../../api/testing/test-api.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import { type Snapshot, snapshotTopic, type Suspect, suspectsTopic } from '../../../topics.ts';
import { watchFigures } from './watch-figures.ts';

it('publishes at its first check, a figure that is off in two checks, once, and that it no longer is', () => {
  const clock = new ManualClock(1_790_000_000_000);
  const bus = new LocalBus(clock);
  const marks = new Map([
    ['hyperliquid', 100],
    ['okx', 100.1],
    ['gate', 100.2],
    ['bybit', 1_000],
  ]);
  const published: (readonly Suspect[])[] = [];
  bus.subscribe(suspectsTopic, (suspects) => published.push(suspects));
  const watch = watchFigures({ clock, bus });
  const pass = (minutes: number): void => {
    for (let i = 0; i < minutes; i += 1) {
      for (const [venue, mark] of marks) {
        const rows = [{ coin: 'BTC', symbol: 'BTC', mark }] as unknown as readonly Price[];
        const table: Snapshot<Price> = { venue, rows, fetchedAtMs: clock.now(), everyMs: MINUTE_MS };
        bus.publish(snapshotTopic(venue, 'prices'), table);
      }
      clock.advance(MINUTE_MS);
    }
  };
  pass(1);
  // Replaces what was published before a restart.
  expect(published).toEqual([[]]);
  pass(4);
  expect(published.slice(1)).toEqual([
    [
      {
        venue: 'bybit',
        coin: 'BTC',
        field: 'mark',
        value: 1_000,
        median: 100.1,
        reason: '10 times the median of the other venues',
      },
    ],
  ]);
  marks.set('bybit', 100.2);
  pass(2);
  expect(published.slice(2)).toEqual([[]]);
  watch.stop();
});

it('names suspect figures in the answers that show them, and counts them', async () => {
  const api = await startTestApi();
  publishSampleMarket(api);
  const suspect = { coin: 'BTC', value: 1, median: 2, reason: 'unchanged for longer than usual' };
  api.bus.publish(suspectsTopic, [
    { ...suspect, venue: 'hyperliquid', field: 'openInterest' },
    { ...suspect, venue: 'hyperliquid', field: 'mark' },
    { ...suspect, venue: 'okx', field: 'openInterest' },
  ]);
  const suspects = async (path: string): Promise<unknown> =>
    ((await api.get(path)).body.meta as { suspect?: unknown }).suspect;
  expect(await suspects('/perps/oi')).toEqual([{ ...suspect, venue: 'hyperliquid', field: 'openInterest' }]);
  expect(await suspects('/perps/tickers?coins=BTC')).toEqual([
    { ...suspect, venue: 'hyperliquid', field: 'mark' },
  ]);
  expect(await suspects('/perps/oi?coins=ETH')).toBeUndefined();
  expect(await suspects('/perps/funding')).toBeUndefined();
  expect((await api.fetch('/metrics')).text).toContain(
    'crosstape_suspect_figures{venue="okx",field="openInterest"} 1',
  );
  await api.close();
});
