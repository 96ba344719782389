import {
  CandleFold,
  createTickColumns,
  HOUR_MS,
  notionalUsdOf,
  type TickColumns,
  type Trade,
} from '@crosstape/core';
import { isPerpetualFill, primaryVenue } from '@crosstape/venues';
import { ArchiveCatalog } from '../../features/archive/archive-catalog.ts';
import { isDayInStore } from '../../features/archive/days-to-seal.ts';
import type { DayFills, FillColumns } from '../../features/audit/day-fills.ts';
import { CandleTable, minuteLevel } from '../../features/candles/candle-table.ts';
import { importingCandles } from '../../features/candles/import-candles.ts';
import { type Gap, GapLedger } from '../../features/tape/gap-ledger.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { CoinWriter } from '../../seeding/coin-writer.ts';
import { marketKey } from '../../store/market-key.ts';
import type { Change, Store } from '../../store/store.ts';
import { findPlace } from './import-place.ts';

/** Changes that import consecutive hours. */
export interface ImportedFills {
  readonly changes: readonly Change[];
  readonly trades: number;
  /** Coins with trades. */
  readonly coins: readonly string[];
}

/** The trades of consecutive hours as on the tape, their candles, and ledger entries. */
export async function importingHours(store: Store, fills: DayFills): Promise<ImportedFills> {
  const { dayMs, hours, refused } = fills;
  const table = new TickTable(store);
  const candles = new CandleTable(store);
  const ledger = new GapLedger(store);
  const from = dayMs + Math.min(...hours) * HOUR_MS;
  const span = { from, to: from + hours.length * HOUR_MS };
  const imported = (coin: string, columns: TickColumns): Promise<readonly Change[]> => {
    const market = marketKey(primaryVenue.id, coin);
    const fold = new CandleFold(minuteLevel.intervalMs);
    fold.add(columns);
    return importingCandles(candles, { market, span, minutes: fold.all(), isComplete: refused === 0 });
  };
  const traded = new Map([...fills.coins].filter(([coin]) => isPerpetualFill(coin)));
  const changes: Change[] = [];
  let trades = 0;
  for (const [coin, columns] of traded) {
    const ticks = ticksOf(coin, columns);
    await refuseArchived(store, coin, dayMs);
    const place = await findPlace(table, { coin, firstTs: span.from, lastTs: span.to - 1 });
    const owner = { coin, venue: primaryVenue.id };
    const writer = new CoinWriter({ store, owner, position: place.position });
    for (const part of [place.before, ticks, place.after]) writer.add(part);
    writer.finish(place.rest);
    changes.push(...place.removing, ...writer.takeChanges(), ...(await imported(coin, ticks.columns)));
    trades += ticks.length;
  }
  // A coin without a file entry had no trade in that time.
  const coins = new Set([...(await table.coins()), ...traded.keys()]);
  for (const coin of coins) {
    changes.push(...(await ledger.replacing({ coin, ...span, ...stateOf(fills) })));
    if (!traded.has(coin)) changes.push(...(await imported(coin, createTickColumns(0))));
  }
  return { changes, trades, coins: [...traded.keys()] };
}

/** Trades that only the archive has cannot be rewritten around imported ones. */
async function refuseArchived(store: Store, coin: string, dayMs: number): Promise<void> {
  const date = new Date(dayMs).toISOString().slice(0, 10);
  const market = { venue: primaryVenue.id, symbol: coin };
  if (await isDayInStore(store, market, new ArchiveCatalog(store), date)) return;
  throw new Error(
    `the trades of ${coin} on ${date} are in the archive only; nothing is imported into that day`,
  );
}

function stateOf({ refused }: DayFills): Pick<Gap, 'state' | 'reason'> {
  if (refused === 0) return { state: 'refilled', reason: 'imported from the published fills' };
  return {
    state: 'partial',
    reason: `imported from the published fills; ${refused} lines could not be read`,
  };
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
