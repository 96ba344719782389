import { ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { GapLedger } from './gap-ledger.ts';
import { TickRecorder } from './tick-recorder.ts';
import { TickTable } from './tick-table.ts';

const place = storePerTest();

it('writes at the same times as the recorders of other venues, whose commits the store joins', async () => {
  const clock = new ManualClock(1_790_000_000_123);
  const times = ['bybit', 'okx'].map((venue) => {
    const recorder = new TickRecorder({
      venue,
      clock,
      table: new TickTable(place.store, venue),
      ledger: new GapLedger(place.store, venue),
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      retentionDays: 7,
      keptFromMs: () => undefined,
      recordCoins: 'all',
      connectedSpan: () => undefined,
    });
    const written: number[] = [];
    vi.spyOn(recorder, 'write').mockImplementation(async () => void written.push(clock.now()));
    clock.advance(150);
    return written;
  });
  clock.advance(2_000);
  expect(times[1]).toHaveLength(6);
  expect(times[0]).toEqual(times[1]);
});
