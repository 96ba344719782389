import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MINUTE_MS, type Trade } from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import { expect, it } from 'vitest';
import type { UnreadPages } from '../../ingest/past-trades-client.ts';
import { SourceFailure } from '../../ingest/source-failure.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { readRepaired } from '../lake/repaired-file.ts';
import { compareHour } from './compare-hour.ts';
import { repairHour } from './repair-hour.ts';
import { RepairedTable } from './repaired-table.ts';
import { minutesOf, ticksOf, tradesFrom } from './testing/recorded-hour.ts';

const HOUR = Date.UTC(2026, 10, 16, 12);
const CONTRACT = 0.1;
const LOST = HOUR + 7 * MINUTE_MS;
const CHUNK = 50;
const all = tradesFrom(HOUR, 60);
const isLost = ({ ts }: Trade): boolean => ts >= LOST && ts < LOST + MINUTE_MS;

/** Turns of the event loop while the tape was read. */
let turns = 0;

/** An hour whose tape is `tape`; the venue returns `returned` when it is requested again. */
function repair(
  tape: readonly Trade[],
  returned: readonly Trade[] | SourceFailure,
  gaps: readonly { readonly from: number; readonly to: number }[] = [],
  rest?: UnreadPages,
) {
  const compared = {
    market: 'okx:BTC-USDT-SWAP',
    hour: HOUR,
    ours: minutesOf(tape, CONTRACT),
    venue: minutesOf(all, CONTRACT),
    gaps,
    proves: ['volume', 'prices'] as const,
  };
  const asked: TradeGap[] = [];
  const result = compareHour(compared);
  expect(result.verdict).toBe(gaps.length > 0 ? 'incomplete' : 'differs');
  const repaired = repairHour({
    compared,
    result,
    market: { symbol: 'BTC' },
    units: { contractSize: CONTRACT, scale: 1 },
    recorded: async function* (from, to) {
      const rows = tape.filter(({ ts }) => ts >= from && ts < to);
      for (let i = 0; i < rows.length; i += CHUNK) {
        setImmediate(() => (turns += 1));
        yield ticksOf(rows.slice(i, i + CHUNK));
      }
    },
    past: async (gap) => {
      asked.push(gap);
      if (returned instanceof SourceFailure) throw returned;
      const trades = returned.map(({ coin, ts, ...trade }) => ({ ...trade, symbol: coin, venueTs: ts }));
      return { trades, isWhole: !rest, ...(rest && { rest }) };
    },
  });
  return { asked, repaired };
}

it('requests the minutes that differ once, and returns what the tape lacks in coins', async () => {
  const { asked, repaired } = repair(
    all.filter((trade) => !isLost(trade)),
    [...all, ...all],
  );
  const lost = all.filter(isLost);
  expect(await repaired).toEqual({
    refill: { trades: lost.length, isRepaired: true },
    trades: lost.map(({ ts, tid, side, price, size }) => ({
      ts,
      tid,
      side,
      price,
      size: expect.closeTo(size * CONTRACT, 10) as number,
    })),
  });
  expect(asked).toEqual([{ market: { symbol: 'BTC' }, afterMs: LOST - 1, beforeMs: LOST + MINUTE_MS }]);
});

it('requests the minutes of a reported gap, and keeps what makes the hour agree', async () => {
  const tape = all.filter((trade) => !isLost(trade));
  const gaps = [{ from: LOST, to: LOST + MINUTE_MS }];
  const lost = all.filter(isLost);
  const { asked, repaired } = repair(tape, all, gaps);
  const { refill, trades } = await repaired;
  expect(refill).toEqual({ trades: lost.length, isRepaired: true });
  expect(trades.map(({ tid }) => tid)).toEqual(lost.map(({ tid }) => tid));
  expect(asked).toEqual([{ market: { symbol: 'BTC' }, afterMs: LOST - 1, beforeMs: LOST + MINUTE_MS }]);
  expect(await repair(tape, lost.slice(0, 2), gaps).repaired).toEqual({
    refill: { trades: 2, isRepaired: false },
    trades: [],
  });
});

it('keeps nothing that does not make the hour agree', async () => {
  const tape = all.filter((trade) => !isLost(trade));
  const some = all.filter(isLost).slice(0, 2);
  expect(await repair(tape, some).repaired).toEqual({
    refill: { trades: 2, isRepaired: false },
    trades: [],
  });
  expect(await repair(tape, []).repaired).toEqual({ refill: { trades: 0, isRepaired: false }, trades: [] });
  const doubled = [...all, ...all.filter(isLost).map((trade) => ({ ...trade, tid: trade.tid + 10_000 }))];
  expect(await repair(doubled, all).repaired).toEqual({
    refill: { trades: 0, isRepaired: false },
    trades: [],
  });
});

it('knows a trade that was recorded late, and leaves other work a turn between chunks', async () => {
  const [late, ...lost] = all.filter(isLost) as [Trade, ...Trade[]];
  const delayed = { ...late, ts: LOST + 30 * MINUTE_MS, venueTs: late.ts };
  const tape = [...all.filter((trade) => !isLost(trade)), delayed].toSorted((a, b) => a.ts - b.ts);
  turns = 0;
  const { refill } = await repair(tape, all).repaired;
  expect(refill.trades).toBe(lost.length);
  expect(turns).toBe(Math.ceil(tape.filter(({ ts }) => ts >= LOST - MINUTE_MS).length / CHUNK));
});

it('knows the fills that its feed sent as one trade', async () => {
  const [first, ...lost] = all.filter(isLost) as [Trade, ...Trade[]];
  // For an order with two fills the feed sent one trade, with the id of the last.
  const fills = [0.25, 0.75].map((part, i) => ({
    ...first,
    size: part * first.size,
    tid: first.tid * 10 + i,
  }));
  const tape = all.filter((trade) => !lost.includes(trade));
  const numbered = (trade: Trade): Trade => ({ ...trade, tid: trade.tid * 10 + 1 });
  const { repaired } = repair(tape.map(numbered), [...fills, ...lost.map(numbered)]);
  expect((await repaired).refill).toEqual({ trades: lost.length, isRepaired: true });
});

it('says why the venue returned none', async () => {
  const { repaired } = repair(
    all.filter((trade) => !isLost(trade)),
    new SourceFailure('down', 'HTTP 503.'),
  );
  expect(await repaired).toEqual({
    refill: { trades: 0, isRepaired: false, reason: 'HTTP 503.' },
    trades: [],
  });
});

it('repairs nothing while the venue has more trades than it returned', async () => {
  const { repaired } = repair(
    all.filter((trade) => !isLost(trade)),
    all,
    [],
    {
      request: { method: 'GET', path: '/2' },
      isRead: true,
      hasAfter: true,
      hasBefore: true,
      coveredFromMs: 0,
    },
  );
  expect(await repaired).toEqual({
    refill: {
      trades: 0,
      isRepaired: false,
      reason: 'The venue has more trades of these minutes than are requested at once.',
    },
    trades: [],
  });
});

it('gives repaired trades of a day to the lake, and forgets old ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  const store = new LmdbStore(folder);
  try {
    const table = new RepairedTable(store);
    const trade = { ts: LOST, tid: 5, side: 'buy', price: 100, size: 0.2 } as const;
    await table.put('okx:BTC-USDT-SWAP', [trade, { ...trade, ts: LOST + 86_400_000 }]);
    const range = {
      venue: 'okx',
      symbol: 'BTC-USDT-SWAP',
      coin: 'BTC',
      fromTs: HOUR,
      toTs: HOUR + 3_600_000,
    };
    expect(await readRepaired(store, range)).toEqual({
      group: [
        BigInt64Array.of(BigInt(LOST)),
        Float64Array.of(100),
        Float64Array.of(0.2),
        [true],
        BigInt64Array.of(5n),
        ['BTC'],
      ],
      first: LOST,
      last: LOST,
    });
    await table.prune('okx:BTC-USDT-SWAP', LOST + 1);
    expect(await readRepaired(store, range)).toBeUndefined();
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});
