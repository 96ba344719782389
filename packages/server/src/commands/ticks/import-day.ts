import { notionalUsdOf, type Trade } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import type { DayFills, FillColumns } from '../../features/audit/day-fills.ts';
import { CandleTable } from '../../features/candles/candle-table.ts';
import { importingCandles } from '../../features/candles/import-candles.ts';
import { type Gap, GapLedger } from '../../features/tape/gap-ledger.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { CoinWriter } from '../../seeding/coin-writer.ts';
import { marketKey } from '../../store/market-key.ts';
import type { Change, Store } from '../../store/store.ts';
import { findPlace } from './import-place.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Perpetuals of the venue itself: spot pairs are `@107` or `PURR/USDC`, those of other dexes `xyz:TSLA`. */
const TICKER = /^[a-z0-9]{1,32}$/i;

/** Changes that import a day. */
export interface ImportedFills {
  readonly changes: readonly Change[];
  readonly trades: number;
  /** Coins with trades. */
  readonly coins: number;
}

/** The trades of a day as the tape would have them, their candles, and what the ledger says of the day. */
export async function importingDay(store: Store, fills: DayFills): Promise<ImportedFills> {
  const { dayMs, hours } = fills;
  const table = new TickTable(store);
  const candles = new CandleTable(store);
  const ledger = new GapLedger(store);
  const traded = [...fills.coins].filter(([coin]) => TICKER.test(coin));
  const changes: Change[] = [];
  let trades = 0;
  for (const [coin, columns] of traded) {
    const ticks = ticksOf(coin, columns);
    const range = { coin, firstTs: dayMs, lastTs: dayMs + DAY_MS - 1 };
    const place = await findPlace(table, range);
    const owner = { coin, venue: primaryVenue.id };
    const writer = new CoinWriter({ store, owner, position: place.position });
    for (const part of [place.before, ticks, place.after]) writer.add(part);
    writer.finish(place.rest);
    const market = marketKey(primaryVenue.id, coin);
    changes.push(
      ...place.removing,
      ...writer.takeChanges(),
      ...(await importingCandles(candles, { market, dayMs, hours, columns: ticks.columns })),
    );
    trades += ticks.length;
  }
  // A coin without a trade on that day had none.
  const coins = new Set([...(await table.coins()), ...traded.map(([coin]) => coin)]);
  for (const coin of coins)
    for (const span of spansOf(hours, dayMs))
      changes.push(await ledger.replacing({ coin, ...span, ...stateOf(fills) }));
  return { changes, trades, coins: traded.length };
}

function stateOf({ refused }: DayFills): Pick<Gap, 'state' | 'reason'> {
  if (refused === 0) return { state: 'refilled', reason: 'imported from the published fills' };
  return {
    state: 'partial',
    reason: `imported from the published fills; ${refused} lines could not be read`,
  };
}

/** Consecutive hours as spans. */
function spansOf(
  hours: readonly number[],
  dayMs: number,
): readonly { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (const hour of hours.toSorted((a, b) => a - b)) {
    const from = dayMs + hour * HOUR_MS;
    const last = spans.at(-1);
    if (last?.to === from) last.to += HOUR_MS;
    else spans.push({ from, to: from + HOUR_MS });
  }
  return spans;
}

/** As on the tape, whose time never goes back. */
function ticksOf(coin: string, { length, ts, tid, price, size, sameOrder }: FillColumns): TickBuffer {
  const ticks = new TickBuffer();
  for (let i = 0; i < length; i += 1) {
    const venueTs = ts[i] as number;
    const at = Math.max(venueTs, ticks.lastTs ?? 0);
    const [paid, signed] = [price[i] as number, size[i] as number];
    const trade: Trade = {
      coin,
      venue: primaryVenue.id,
      side: signed > 0 ? 'buy' : 'sell',
      price: paid,
      size: Math.abs(signed),
      notionalUsd: notionalUsdOf(paid, Math.abs(signed)),
      ts: at,
      ...(at !== venueTs && { venueTs }),
      tid: tid[i] as number,
      sameOrder: sameOrder[i] === 1,
    };
    ticks.add(trade);
  }
  return ticks;
}
