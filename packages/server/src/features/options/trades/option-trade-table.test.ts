import { expect, it } from 'vitest';
import { sampleTrade } from '../../../api/testing/sample-option-trades.ts';
import type { Entry, Range, Store } from '../../../store/store.ts';
import { OptionTradeTable, type RecordedOptionTrade } from './option-trade-table.ts';

const TO_MS = 1_800_000_000_000;

/** A trade of every millisecond. */
async function range({ from, to, limit }: Range): Promise<readonly Entry<RecordedOptionTrade>[]> {
  const [fromMs, toMs] = [from?.[1], to?.[1]] as [number, number];
  return Array.from({ length: Math.min(limit, toMs - fromMs) }, (_, i) => {
    const ts = toMs - 1 - i;
    return { key: ['BTC', ts, `${ts}`], value: sampleTrade({ ts, id: `${ts}` }) };
  });
}

it('ends a page after fifty thousand trades that are not wanted, where the next one begins', async () => {
  const table = new OptionTradeTable({ table: () => ({ range }) } as unknown as Store);
  const query = { coin: 'BTC', fromMs: TO_MS - 50_500, limit: 10 };
  const isWanted = ({ ts }: RecordedOptionTrade): boolean => ts === TO_MS - 50_400;
  const first = await table.newest({ ...query, toMs: TO_MS, isWanted });
  expect(first).toEqual({ trades: [], nextEndMs: TO_MS - 50_000 });
  const { trades, nextEndMs } = await table.newest({ ...query, toMs: TO_MS - 50_000, isWanted });
  expect([trades.map(({ ts }) => ts - TO_MS), nextEndMs]).toEqual([[-50_400], undefined]);
});
