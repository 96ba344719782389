import {
  columnsInCoins,
  createTickColumns,
  DAY_MS,
  decodeReceipts,
  decodeTicks,
  firstTickAt,
  type MarketUnits,
  type TickColumns,
} from '@crosstape/core';
import { sendRequest, type Connection } from './connection.ts';
import { gunzip } from './gunzip.ts';

export interface TickRange {
  /** Trades with `start <= ts < end`; default: the last 24 hours. */
  readonly start?: number;
  readonly end?: number;
  /** A recorded market instead of the coin; its prices and sizes then count coins as well. */
  readonly market?: string | undefined;
  /** Whether pages have `recvMs`. */
  readonly recv?: boolean;
}

/** An interval of the tape with missing or possibly missing trades: half open. */
export interface TapeHole {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface TickPage {
  /** Trades in tape order, within the requested range. */
  readonly ticks: TickColumns;
  /** The gaps of the tape within the page of this chunk. A page with gaps only has no trades. */
  readonly gaps: readonly TapeHole[];
  /** With `recv`: when the service received each trade, in ms; NaN if unknown. */
  readonly recvMs?: Float64Array;
}

interface HistoryPage {
  readonly data: {
    readonly chunks: readonly { readonly data: string; readonly recv?: string }[];
    readonly unit?: MarketUnits;
  };
  readonly meta: { readonly nextStart: number | null; readonly gaps?: readonly TapeHole[] };
}

/** Pages forward through the recorded trades of a coin. */
export async function* tickPages(
  connection: Connection,
  coin: string,
  { start, end, market, recv }: TickRange,
  signal?: AbortSignal,
): AsyncGenerator<TickPage, void> {
  let next: number | null = start ?? connection.clock.now() - DAY_MS;
  do {
    const name = market === undefined ? { coin } : { market };
    const query = { ...name, start: next, end, format: 'packed', ...(recv && { recv: '1' }) };
    const request = { path: '/perps/trades/history', query, signal };
    const page: HistoryPage = await sendRequest(connection, request, readPage);
    const { gaps = [] } = page.meta;
    let isReported = gaps.length === 0;
    for (const chunk of page.data.chunks) {
      const ticks = decodeTicks(await gunzip(bytesOf(chunk.data)));
      const within = cut(ticks, next, end ?? Infinity);
      if (within.length === 0) continue;
      const { unit } = page.data;
      yield {
        ticks: unit ? columnsInCoins(within, unit) : within,
        gaps,
        ...(recv && { recvMs: await receiveTimes(chunk.recv, within, firstTickAt(ticks, next)) }),
      };
      isReported = true;
    }
    if (!isReported) yield { ticks: createTickColumns(0), gaps, ...(recv && { recvMs: new Float64Array() }) };
    next = page.meta.nextStart;
  } while (next !== null);
}

async function readPage(response: Response): Promise<HistoryPage> {
  return (await response.json()) as HistoryPage;
}

/** The trades from `start` up to `end`, not copied. */
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

/** The receive times of ticks that begin at a position in their chunk. */
async function receiveTimes(
  member: string | undefined,
  { length, ts }: TickColumns,
  from: number,
): Promise<Float64Array> {
  if (member === undefined) return new Float64Array(length).fill(Number.NaN);
  const { lagMs } = decodeReceipts(await gunzip(bytesOf(member)));
  return Float64Array.from({ length }, (_, i) => ts[i]! + lagMs[from + i]!);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
