import { type Clock, notionalUsdOf, type Print, type Trade } from '@crosstape/core';
import type { MarketReader } from '../market-tape/market-reader.ts';
import type { CoinGap, TapeCoverage } from './tape-coverage.ts';
import type { TapeReader } from './tape-reader.ts';
import { readTapeTail, type TailChunk, ticksOf } from './tape-tail.ts';
import type { WhaleReader } from '../whales/whales.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Recalled } from '../../sse/event-stream.ts';
import type { WhaleQuery } from '../whales/whale-table.ts';
import { printTopic } from '../../topics.ts';

/** How far back a stream can be resumed from the record, as on the gateway. */
export const RECALL_MS_MAX = 3_600_000;
export const PRINTS_MAX = 10_000;
/** A print is published when its order is complete, and so may follow prints that are this much later. */
export const PRINT_LATE_MS = 1_000;

/** Reads recorded events for streams. */
export interface StreamRecord {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  readonly whales: Pick<WhaleReader, 'newest' | 'ofMarkets'>;
  readonly primaryVenue: string;
  /** The tapes of other venues; absent where only the primary's is recorded. */
  readonly markets?: MarketReader | undefined;
}

/** The recorded trades of a coin from a time on; `undefined` where that is too long ago. */
export async function recallTrades(
  record: StreamRecord,
  coin: string,
  fromTs: number,
  owner = { coin, venue: record.primaryVenue },
): Promise<Recalled | undefined> {
  if (record.clock.now() - fromTs > RECALL_MS_MAX) return undefined;
  const { chunks, position } = await readTapeTail(record, coin, fromTs);
  const batches = {
    *[Symbol.iterator]() {
      for (const chunk of chunks) yield tradesOf(chunk, owner);
    },
  };
  return { batches, position, ...(await lostSince(record, coin, fromTs)) };
}

/** The recorded prints of a query; `undefined` if there are too many, or they are too old. */
export async function recallPrints(
  record: StreamRecord,
  query: Pick<WhaleQuery, 'minUsd' | 'coin'>,
  anyCoin: string,
  fromTs: number,
): Promise<Recalled | undefined> {
  const { bus, whales, clock } = record;
  if (clock.now() - fromTs > RECALL_MS_MAX) return undefined;
  const { prints } = await whales.newest({ ...query, sinceMs: fromTs - PRINT_LATE_MS, limit: PRINTS_MAX });
  if (prints.length === PRINTS_MAX) return undefined;
  // An outage of the feed is in the ledger of every coin.
  const lost = await lostSince(record, query.coin ?? anyCoin, fromTs);
  const log = bus.log(printTopic);
  const found = log.search({
    atLeast: { field: 'notionalUsd', value: query.minUsd },
    ...(query.coin !== undefined && { equals: { field: 'coin', value: query.coin } }),
  });
  const logged = new Set(Array.from(found, ({ event }) => nameOf(event)));
  const older = prints.filter((print) => !logged.has(nameOf(print))).toReversed();
  return { batches: [older], position: log.start, ...lost };
}

async function lostSince(
  { coverage, clock }: StreamRecord,
  coin: string,
  fromTs: number,
): Promise<Pick<Recalled, 'lost'>> {
  return lostIn(await coverage.gaps(coin, fromTs, clock.now()), fromTs);
}

/** The gaps since a time, as one interval. */
export function lostIn(all: readonly CoinGap[], fromTs: number): Pick<Recalled, 'lost'> {
  const gaps = all.filter(({ state }) => state !== 'refilled');
  if (gaps.length === 0) return {};
  const from = Math.min(...gaps.map((gap) => gap.from));
  return { lost: { fromTs: Math.max(fromTs, from), toTs: Math.max(...gaps.map(({ to }) => to)) - 1 } };
}

function tradesOf({ chunk, skip }: TailChunk, owner: { coin: string; venue: string }): readonly Trade[] {
  const { columns, ids } = ticksOf(chunk);
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  return Array.from({ length: columns.length - skip }, (_, n) => {
    const i = skip + n;
    const price = (columns.price[i] as number) / priceScale;
    const size = (columns.size[i] as number) / sizeScale;
    return {
      ...owner,
      side: columns.isBuy[i] === 1 ? 'buy' : 'sell',
      price,
      size,
      notionalUsd: notionalUsdOf(price, size),
      ts: columns.ts[i] as number,
      tid: ids.tid[i] as number,
      sameOrder: columns.sameOrder[i] === 1,
    };
  });
}

function nameOf({ coin, ts, tid }: Print): string {
  return `${coin} ${ts} ${tid}`;
}
