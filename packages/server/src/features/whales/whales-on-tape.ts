import {
  columnsInCoins,
  decodeIds,
  decodeTicks,
  HOUR_MS,
  type Market,
  MINUTE_MS,
  type Print,
  roundTo,
} from '@crosstape/core';
import type { Task } from '../../platform/jobs.ts';
import { throwIfGivenUp } from '../../platform/thread-tasks.ts';
import { gunzipChunk } from '../tape/chunk-gzip.ts';
import type { Store, WithReader } from '../../store/store.ts';
import { type RateAt, rateAt } from '../rates/rate-history.ts';
import { UsdRateTable } from '../rates/rate-table.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { venueOf } from '../../store/market-key.ts';
import { type Ticks, TickTable } from '../tape/tick-table.ts';
import type { WhaleQuery } from './whale-table.ts';
import { printsOfTicks } from './prints-of-ticks.ts';

/** A busy coin's hour has far fewer. */
const CHUNKS_PER_HOUR_MAX = 1_000;

export interface TapeSearch extends WhaleQuery {
  /** Location of the store. */
  readonly folder: string;
  readonly venue: string;
  /** Search begins here and goes back in time. */
  readonly untilMs: number;
  /** Nothing is recorded before this. */
  readonly sinceMs: number;
  /** For another venue than the primary: only its prints are found. */
  readonly market?: Market;
}

/** Finds prints of any size on the tape; `worker.ts` exports the function. */
export const findWhalesTask: Task<TapeSearch, readonly Print[]> = { name: 'findWhales' };

export async function findWhales(search: TapeSearch, withReader: WithReader): Promise<readonly Print[]> {
  const { market, sinceMs, untilMs } = search;
  const prefix = market && venueOf(market.id);
  return withReader(search.folder, async (store) => {
    const rates = market && (await readRates(store, market.quote, sinceMs, untilMs));
    return whalesOnTape(new TickTable(store, prefix), { ...search, rates });
  });
}

/** For a market that is not quoted in dollars. */
interface Rates {
  readonly at: RateAt;
  /** No rate of the range is larger. */
  readonly max: number;
}

async function readRates(store: Store, quote: string, from: number, to: number): Promise<Rates | undefined> {
  if (quote === 'USD') return undefined;
  const minutes = await new UsdRateTable(store).minutes(quote, from, to);
  return { at: rateAt(minutes), max: minutes.rate.reduce((a, b) => Math.max(a, b), 1) };
}

type RatedSearch = TapeSearch & { readonly rates?: Rates | undefined };

/** Newest first: goes back hour by hour, which no chunk crosses, until there are enough. */
async function whalesOnTape(table: TickTable, search: RatedSearch): Promise<readonly Print[]> {
  const { market } = search;
  const coin = market?.symbol ?? search.coin;
  const coins = coin === undefined ? await table.coins() : [coin];
  const found: Print[] = [];
  const keep = (prints: readonly Print[]): void => {
    for (const print of prints) if (print.ts >= search.sinceMs) found.push(print);
  };
  for (const name of coins) {
    // An order may have been written in two pieces.
    const tail = new TickBuffer();
    for (const piece of await table.tail(name)) tail.addTicks(piece);
    keep(printsIn(tail, name, search));
  }
  // Tails may be old, so only prints within the searched hours count as found.
  const isEnough = (sinceMs: number): boolean =>
    found.filter(({ ts }) => ts >= sinceMs).length >= search.limit;
  let hourMs = Math.floor(search.untilMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  while (hourMs > search.sinceMs && !isEnough(hourMs)) {
    hourMs -= HOUR_MS;
    for (const name of coins) keep(await hourOf(table, name, hourMs, search));
  }
  return found.toSorted((a, b) => b.ts - a.ts || b.tid - a.tid).slice(0, search.limit);
}

async function hourOf(
  table: TickTable,
  name: string,
  hourMs: number,
  search: RatedSearch,
): Promise<readonly Print[]> {
  throwIfGivenUp();
  const range = [name, hourMs, hourMs + HOUR_MS, CHUNKS_PER_HOUR_MAX] as const;
  const [chunks, ids] = await Promise.all([table.chunks(...range), table.chunkIds(...range)]);
  return chunks.flatMap((chunk, i) => {
    const member = ids[i];
    if (!member) return [];
    const ticks = { columns: decodeTicks(gunzipChunk(chunk.data)), ids: decodeIds(gunzipChunk(member.data)) };
    return printsIn(ticks, name, search);
  });
}

/** The prints of recorded trades, in coins, with their notional in dollars. */
function printsIn(
  ticks: Ticks,
  name: string,
  { venue, market, minUsd, rates }: RatedSearch,
): readonly Print[] {
  if (!market) return printsOfTicks({ coin: name, venue }, ticks, minUsd);
  const inCoins = { ...ticks, columns: columnsInCoins(ticks.columns, market) };
  const owner = { coin: market.coin, venue: market.venue };
  if (!rates) return printsOfTicks(owner, inCoins, minUsd);
  return printsOfTicks(owner, inCoins, minUsd / rates.max)
    .map((print) => {
      const rate = rates.at(print.ts - (print.ts % MINUTE_MS), MINUTE_MS) ?? 1;
      return { ...print, notionalUsd: roundTo(print.notionalUsd * rate, 2) };
    })
    .filter(({ notionalUsd }) => notionalUsd >= minUsd);
}
