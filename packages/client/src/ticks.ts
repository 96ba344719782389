import {
  columnsInCoins,
  createTickColumns,
  decodeTicks,
  firstTickAt,
  type MarketUnits,
  type TickColumns,
} from '@crosstape/core';
import { ask, type Connection } from './connection.ts';
import { gunzip } from './gunzip.ts';

const DAY_MS = 86_400_000;

export interface TickRange {
  /** Trades with `start <= ts < end`; from 24 hours ago until now unless said otherwise. */
  readonly start?: number;
  readonly end?: number;
  /** Of a recorded market instead of the coin; its prices and sizes then count coins as well. */
  readonly market?: string | undefined;
}

/** An interval of the tape with missing or possibly missing trades: half open. */
export interface TapeHole {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface TickPage {
  /** Trades in tape order, without any before or after the asked range. */
  readonly ticks: TickColumns;
  /** The gaps of the tape within the page of this chunk. A page with gaps only has no trades. */
  readonly gaps: readonly TapeHole[];
}

interface HistoryPage {
  readonly data: {
    readonly chunks: readonly { readonly data: string }[];
    readonly unit?: MarketUnits;
  };
  readonly meta: { readonly nextStart: number | null; readonly gaps?: readonly TapeHole[] };
}

/** Pages forward through the recorded trades of a coin. */
export async function* tickPages(
  connection: Connection,
  coin: string,
  { start, end, market }: TickRange,
  signal?: AbortSignal,
): AsyncGenerator<TickPage, void> {
  let next: number | null = start ?? connection.clock.now() - DAY_MS;
  do {
    const name = market === undefined ? { coin } : { market };
    const query = { ...name, start: next, end, format: 'packed' };
    const request = { path: '/perps/trades/history', query, signal };
    const page: HistoryPage = await ask(connection, request, readPage);
    const { gaps = [] } = page.meta;
    let isReported = gaps.length === 0;
    for (const chunk of page.data.chunks) {
      const ticks = decodeTicks(await gunzip(bytesOf(chunk.data)));
      const within = cut(ticks, next, end ?? Infinity);
      if (within.length === 0) continue;
      const { unit } = page.data;
      yield { ticks: unit ? columnsInCoins(within, unit) : within, gaps };
      isReported = true;
    }
    if (!isReported) yield { ticks: createTickColumns(0), gaps };
    next = page.meta.nextStart;
  } while (next !== null);
}

async function readPage(response: Response): Promise<HistoryPage> {
  return (await response.json()) as HistoryPage;
}

/** The trades from `start` up to `end`, without copying them. */
function cut(ticks: TickColumns, start: number, end: number): TickColumns {
  const from = firstTickAt(ticks, start);
  const to = firstTickAt(ticks, end);
  if (from === 0 && to === ticks.length) return ticks;
  return {
    ...ticks,
    length: to - from,
    ts: ticks.ts.subarray(from, to),
    price: ticks.price.subarray(from, to),
    size: ticks.size.subarray(from, to),
    isBuy: ticks.isBuy.subarray(from, to),
    sameOrder: ticks.sameOrder.subarray(from, to),
  };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
