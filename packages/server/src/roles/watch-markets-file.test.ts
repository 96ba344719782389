import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterAll, expect, it, vi } from 'vitest';
import type { MarketChoice } from '../platform/market-choice.ts';
import { readRecordMarkets } from '../settings/record-markets.ts';
import { watchMarketsFile } from './watch-markets-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'markets-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('follows the file, and keeps the last valid content', async () => {
  const file = join(folder, 'markets.txt');
  expect(readRecordMarkets(`@${file}`)).toBeUndefined();
  writeFileSync(file, 'primary\n');
  expect(readRecordMarkets(`@${file}`)).toEqual({ patterns: [] });
  const clock = new ManualClock(1_790_000_000_000);
  const warn = vi.fn();
  const log = { debug: () => {}, info: () => {}, warn, error: () => {} };
  const choices: MarketChoice[] = [];
  const stop = watchMarketsFile({ file, clock, log, onChoice: (choice) => choices.push(choice) });
  const changed = async (text: string, isMet: () => void): Promise<void> => {
    writeFileSync(file, text);
    // Twice: one read may be in the middle of a write.
    await vi.waitFor(() => {
      clock.advance(5_000);
      isMet();
    });
  };
  await vi.waitFor(() => expect(choices).toHaveLength(1));
  await changed('okex:*,\ncoinbase:BTC-USD\n', () =>
    expect(choices[1]).toMatchObject({ globs: ['okx:*', 'coinbase-spot:BTC-USD'] }),
  );
  await changed('nowhere:*', () => expect(warn).toHaveBeenCalledTimes(1));
  expect(choices).toHaveLength(2);
  await changed('top:3', () => expect(choices[2]).toEqual({ top: 3 }));
  stop();
});
