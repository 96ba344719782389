import { decodeIds, decodeReceipts, decodeTicks, type IdColumns, type TickColumns } from '@crosstape/core';
import { BadRowError } from '../../store/bad-row.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import { type Gap, ledgerTables, type Span } from './gap-ledger.ts';
import { marketKey, shownMarket, venueOf } from '../../store/market-key.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Entry, Key, Store, Table } from '../../store/store.ts';
import { decodePiece, type Ticks, tickTables } from './tick-table.ts';

/** Rows read at a time: most are chunks. */
const CHUNK_ROWS = 64;
/** Damages that are listed one by one; the rest is counted. */
const DAMAGES_MAX = 100;

/** Something in the store that is not as it was written. */
export interface Damage {
  readonly part: 'chunk' | 'ids' | 'recv' | 'tail' | 'gap' | 'span';
  readonly key: Key;
  readonly problem: string;
}

/** The record of one market. */
export interface CoinAudit {
  /** Coin of the primary venue, or a market id. */
  readonly coin: string;
  chunks: number;
  /** Sealed. */
  trades: number;
  tailTrades: number;
  /** Stored bytes of the chunks and their ids. */
  bytes: number;
  firstTs: number | undefined;
  lastTs: number | undefined;
}

export interface Audit {
  readonly coins: readonly CoinAudit[];
  readonly gaps: number;
  readonly spans: number;
  /** The listed ones; `damaged` counts all. */
  readonly damages: readonly Damage[];
  readonly damaged: number;
}

/** Reads the whole record of the tape, and reports inconsistencies. Writes nothing. */
export async function auditTicks(store: Store, onChunk: () => void = () => undefined): Promise<Audit> {
  const auditor = new Auditor();
  const chunks = store.table(tickTables.chunks, 'binary');
  const ids = store.table(tickTables.ids, 'binary');
  for await (const { key, value } of rowsOf(chunks)) {
    onChunk();
    auditor.chunk(key, value, await ids.get(key));
  }
  for await (const { key } of rowsOf(ids)) {
    if (!(await chunks.get(key))) auditor.report('ids', key, 'there is no chunk for these ids');
  }
  for await (const { key, value } of rowsOf(store.table(tickTables.receipts, 'binary'))) {
    auditor.check('recv', key, () => checkReceipts(key, value));
    if (!(await chunks.get(key))) auditor.report('recv', key, 'there is no chunk for these receive times');
  }
  for await (const { key, value } of rowsOf(store.table(tickTables.tail, 'binary')))
    auditor.piece(key, value);
  let [gaps, spans] = [0, 0];
  for await (const { key, value } of rowsOf(store.table<Gap>(ledgerTables.gaps, 'json'))) {
    gaps += 1;
    auditor.check('gap', key, () => checkGap(key, value));
  }
  for await (const { key, value } of rowsOf(store.table<Span>(ledgerTables.spans, 'json'))) {
    spans += 1;
    auditor.check('span', key, () => checkSpan(key[1], value));
  }
  const { damages, damaged } = auditor;
  return { coins: [...auditor.coins.values()], gaps, spans, damages, damaged };
}

/** Looks at one row after the other, in the order of their keys, and keeps count. */
class Auditor {
  readonly coins = new Map<string, CoinAudit>();
  readonly damages: Damage[] = [];
  damaged = 0;

  report(part: Damage['part'], key: Key, problem: string): void {
    this.damaged += 1;
    if (this.damages.length < DAMAGES_MAX) this.damages.push({ part, key, problem });
  }

  /** Reports the result of a check, or its error. */
  check(part: Damage['part'], key: Key, problemOf: () => string | undefined): void {
    let problem: string | undefined;
    try {
      problem = problemOf();
    } catch (error) {
      const cause = error instanceof BadRowError ? error.cause : error;
      problem = cause instanceof Error ? cause.message : String(cause);
    }
    if (problem !== undefined) this.report(part, key, problem);
  }

  chunk(key: Key, value: Uint8Array, idsValue: Uint8Array | undefined): void {
    if (!isChunkKey(key))
      return this.report('chunk', key, 'the key is not market, first ts, last ts, trades');
    const [name, startTs, endTs, trades] = key;
    const coin = this.#coin(name);
    let columns: TickColumns | undefined;
    this.check('chunk', key, () => overlap(coin.lastTs, startTs));
    this.check('chunk', key, () => {
      columns = decodeTicks(gunzipChunk(value));
      return checkChunk(key, columns);
    });
    if (!idsValue) this.report('chunk', key, 'its ids are missing');
    else this.check('ids', key, () => checkIds(trades, decodeIds(gunzipChunk(idsValue)), columns));
    coin.chunks += 1;
    coin.trades += trades;
    coin.bytes += value.length + (idsValue?.length ?? 0);
    coin.firstTs ??= startTs;
    coin.lastTs = Math.max(coin.lastTs ?? 0, endTs);
  }

  piece(key: Key, value: Uint8Array): void {
    const [name, position] = key;
    if (typeof name !== 'string' || typeof position !== 'number' || key.length !== 2)
      return this.report('tail', key, 'the key is not market and position');
    const coin = this.#coin(name);
    this.check('tail', key, () => {
      const piece = decodePiece(value);
      const { length, ts } = piece.columns;
      if (length === 0) return 'no trades are in it';
      const problem = checkTicks(piece) ?? overlap(coin.lastTs, ts[0] as number, coin.tailTrades > 0);
      coin.tailTrades += length;
      coin.firstTs ??= ts[0];
      coin.lastTs = ts[length - 1];
      return problem;
    });
  }

  #coin(name: string): CoinAudit {
    const counts = { chunks: 0, trades: 0, tailTrades: 0, bytes: 0 };
    const coin = this.coins.get(name) ?? {
      coin: shownMarket(name),
      ...counts,
      firstTs: undefined,
      lastTs: undefined,
    };
    this.coins.set(name, coin);
    return coin;
  }
}

async function* rowsOf<Value>(table: Table<Value>): AsyncGenerator<Entry<Value>> {
  for await (const rows of pagesOf(table, { pageRows: CHUNK_ROWS })) yield* rows;
}

/** Chunks and tail follow each other in time; only pieces of a tail may share a millisecond. */
function overlap(lastTs: number | undefined, startTs: number, mayTouch = false): string | undefined {
  if (lastTs === undefined || startTs > lastTs || (mayTouch && startTs === lastTs)) return undefined;
  return `begins at ${startTs}, but what is before it ends at ${lastTs}`;
}

type ChunkKey = readonly [market: string, startTs: number, endTs: number, trades: number];

function isChunkKey(key: Key): key is ChunkKey {
  return key.length === 4 && typeof key[0] === 'string' && key.slice(1).every(Number.isSafeInteger);
}

function checkChunk([, startTs, endTs, trades]: ChunkKey, { length, ts }: TickColumns): string | undefined {
  if (length !== trades) return `${length} trades are in it, its key says ${trades}`;
  if (length === 0) return 'no trades are in it';
  if (ts[0] !== startTs) return `it begins at ${ts[0]}, its key says ${startTs}`;
  if (ts[length - 1] !== endTs) return `it ends at ${ts[length - 1]}, its key says ${endTs}`;
  return firstOlder(ts, length);
}

/** If a chunk cannot be read, its ids are only counted. */
function checkIds(trades: number, ids: IdColumns, columns: TickColumns | undefined): string | undefined {
  if (ids.length !== trades) return `${ids.length} ids are in it, its key says ${trades}`;
  return columns?.length === trades ? firstDouble({ columns, ids }) : undefined;
}

function checkReceipts(key: Key, value: Uint8Array): string | undefined {
  if (!isChunkKey(key)) return 'the key is not market, first ts, last ts, trades';
  const { length } = decodeReceipts(gunzipChunk(value));
  return length === key[3] ? undefined : `${length} receive times are in it, its key says ${key[3]}`;
}

function checkTicks(ticks: Ticks): string | undefined {
  const { columns, ids, receipts } = ticks;
  if (receipts && receipts.length !== columns.length)
    return `${columns.length} trades, but ${receipts.length} receive times are in it`;
  if (columns.length !== ids.length) return `${columns.length} trades, but ${ids.length} ids are in it`;
  return firstOlder(columns.ts, columns.length) ?? firstDouble(ticks);
}

function firstOlder(ts: Float64Array, length: number): string | undefined {
  for (let i = 1; i < length; i += 1) {
    if ((ts[i] as number) < (ts[i - 1] as number)) return `trade ${i} is older than the previous one`;
  }
  return undefined;
}

/** A trade is identified by its venue time and id. */
function firstDouble({ columns: { ts }, ids: { length, tid, lateMs } }: Ticks): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < length; i += 1) {
    seen.add(`${(ts[i] as number) - (lateMs[i] as number)} ${tid[i]}`);
    if (seen.size !== i + 1) return `trade ${i}, with tid ${tid[i]}, is in it twice`;
  }
  return undefined;
}

function checkGap([market, from]: Key, gap: Gap): string | undefined {
  if (!isOfMarket(gap, market)) return `it speaks of ${gap.coin}`;
  if (!['refilled', 'partial', 'missing'].includes(gap.state)) return `its state is ${gap.state}`;
  return checkSpan(from, gap);
}

/** Whether the key and the value of a gap name the same market. */
export function isOfMarket({ coin }: Gap, market: unknown): boolean {
  return typeof market === 'string' && market === marketKey(venueOf(market), coin);
}

function checkSpan(key: string | number | undefined, { from, to }: Span): string | undefined {
  if (from !== key) return `it begins at ${from}, its key says ${key}`;
  if (!Number.isSafeInteger(to) || to < from) return `it ends at ${to}, before it begins`;
  return undefined;
}
