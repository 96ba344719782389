import { decodeIds, decodeTicks } from '@crosstape/core';
import { gunzipChunk } from './chunk-gzip.ts';
import { type Gap, ledgerTables, type Span } from './gap-ledger.ts';
import type { Entry, Key, Store, Table } from './store.ts';
import { decodePiece, type Ticks, tickTables } from './tick-shelf.ts';

/** Rows read at a time. */
const PAGE_ROWS = 64;
/** Damages that are told one by one; the rest is counted. */
const DAMAGES_MAX = 100;

/** Something in the store that is not as it was written. */
export interface Damage {
  readonly part: 'chunk' | 'ids' | 'tail' | 'gap' | 'span';
  readonly key: Key;
  readonly problem: string;
}

/** What is recorded of one coin. */
export interface CoinAudit {
  readonly coin: string;
  chunks: number;
  /** Sealed. */
  trades: number;
  tailTrades: number;
  /** Of the chunks and their ids, as they are stored. */
  bytes: number;
  firstTs: number | undefined;
  lastTs: number | undefined;
}

export interface Audit {
  readonly coins: readonly CoinAudit[];
  readonly gaps: number;
  readonly spans: number;
  /** Those that are told; `damaged` counts all. */
  readonly damages: readonly Damage[];
  readonly damaged: number;
}

/** Reads everything that is recorded of the tape, and tells whatever does not agree with itself. Writes nothing. */
export async function auditTicks(store: Store, onChunk: () => void = () => undefined): Promise<Audit> {
  const coins = new Map<string, CoinAudit>();
  const damages: Damage[] = [];
  let damaged = 0;
  const tell = (part: Damage['part'], key: Key, problem: string | undefined): void => {
    if (problem === undefined) return;
    damaged += 1;
    if (damages.length < DAMAGES_MAX) damages.push({ part, key, problem });
  };
  const coinOf = (coin: string): CoinAudit => {
    const known = coins.get(coin);
    if (known) return known;
    const fresh = {
      coin,
      chunks: 0,
      trades: 0,
      tailTrades: 0,
      bytes: 0,
      firstTs: undefined,
      lastTs: undefined,
    };
    coins.set(coin, fresh);
    return fresh;
  };

  const ids = store.table(tickTables.ids, 'binary');
  for await (const { key, value } of rowsOf(store.table(tickTables.chunks, 'binary'))) {
    onChunk();
    if (!isChunkKey(key)) {
      tell('chunk', key, 'the key is not coin, first ts, last ts, trades');
      continue;
    }
    const [coin, startTs, endTs, trades] = key;
    const audit = coinOf(coin);
    const ownIds = await ids.get(key);
    tell('chunk', key, overlap(audit.lastTs, startTs));
    tell(
      'chunk',
      key,
      problemOf(() => checkChunk(key, value)),
    );
    if (!ownIds) tell('chunk', key, 'its ids are missing');
    else
      tell(
        'ids',
        key,
        problemOf(() => checkIds(trades, value, ownIds)),
      );
    audit.chunks += 1;
    audit.trades += trades;
    audit.bytes += value.length + (ownIds?.length ?? 0);
    audit.firstTs ??= startTs;
    audit.lastTs = Math.max(audit.lastTs ?? 0, endTs);
  }
  const chunks = store.table(tickTables.chunks, 'binary');
  for await (const { key } of rowsOf(ids)) {
    if (!(await chunks.get(key))) tell('ids', key, 'there is no chunk for these ids');
  }

  for await (const { key, value } of rowsOf(store.table(tickTables.tail, 'binary'))) {
    if (typeof key[0] !== 'string' || typeof key[1] !== 'number' || key.length !== 2) {
      tell('tail', key, 'the key is not coin and position');
      continue;
    }
    const audit = coinOf(key[0]);
    tell(
      'tail',
      key,
      problemOf(() => {
        const piece = decodePiece(value);
        const { length, ts } = piece.columns;
        if (length === 0) return 'no trades are in it';
        const problem = checkTicks(piece) ?? overlap(audit.lastTs, ts[0] as number, audit.tailTrades > 0);
        audit.tailTrades += length;
        audit.firstTs ??= ts[0];
        audit.lastTs = ts[length - 1];
        return problem;
      }),
    );
  }

  const gaps = await countRows(store.table<Gap>(ledgerTables.gaps, 'json'), ({ key, value }) =>
    tell(
      'gap',
      key,
      problemOf(() => checkGap(key, value)),
    ),
  );
  const spans = await countRows(store.table<Span>(ledgerTables.spans, 'json'), ({ key, value }) =>
    tell(
      'span',
      key,
      problemOf(() => checkSpan(key[0], value)),
    ),
  );
  return { coins: [...coins.values()], gaps, spans, damages, damaged };
}

async function* rowsOf<Value>(table: Table<Value>): AsyncGenerator<Entry<Value>> {
  for (let from: Key | undefined; ; ) {
    const rows = await table.range({ ...(from ? { from } : {}), limit: PAGE_ROWS });
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    from = [...last.key, 0];
  }
}

async function countRows<Value>(table: Table<Value>, each: (row: Entry<Value>) => void): Promise<number> {
  let count = 0;
  for await (const row of rowsOf(table)) {
    count += 1;
    each(row);
  }
  return count;
}

function problemOf(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Chunks and tail follow each other in time; only pieces of a tail may share a millisecond. */
function overlap(lastTs: number | undefined, startTs: number, mayTouch = false): string | undefined {
  if (lastTs === undefined || startTs > lastTs || (mayTouch && startTs === lastTs)) return undefined;
  return `begins at ${startTs}, but what is before it ends at ${lastTs}`;
}

function isChunkKey(key: Key): key is [string, number, number, number] {
  return key.length === 4 && typeof key[0] === 'string' && key.slice(1).every(Number.isSafeInteger);
}

function checkChunk(
  [, startTs, endTs, trades]: readonly [string, number, number, number],
  value: Uint8Array,
) {
  const columns = decodeTicks(gunzipChunk(value));
  const { length, ts } = columns;
  if (length !== trades) return `${length} trades are in it, its key says ${trades}`;
  if (length === 0) return 'no trades are in it';
  if (ts[0] !== startTs) return `it begins at ${ts[0]}, its key says ${startTs}`;
  if (ts[length - 1] !== endTs) return `it ends at ${ts[length - 1]}, its key says ${endTs}`;
  return firstOlder(ts, length);
}

function checkIds(trades: number, chunk: Uint8Array, value: Uint8Array): string | undefined {
  const ids = decodeIds(gunzipChunk(value));
  if (ids.length !== trades) return `${ids.length} ids are in it, its key says ${trades}`;
  let columns: Ticks['columns'];
  try {
    columns = decodeTicks(gunzipChunk(chunk));
  } catch {
    // Told of the chunk itself.
    return undefined;
  }
  return columns.length === trades ? firstDouble({ columns, ids }) : undefined;
}

function checkTicks(ticks: Ticks): string | undefined {
  const { columns, ids } = ticks;
  if (columns.length !== ids.length) return `${columns.length} trades, but ${ids.length} ids are in it`;
  return firstOlder(columns.ts, columns.length) ?? firstDouble(ticks);
}

function firstOlder(ts: Float64Array, length: number): string | undefined {
  for (let i = 1; i < length; i += 1) {
    if ((ts[i] as number) < (ts[i - 1] as number)) return `trade ${i} is older than the one before it`;
  }
  return undefined;
}

/** A trade is known by its venue time and id. */
function firstDouble({ columns: { ts }, ids: { length, tid, lateMs } }: Ticks): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < length; i += 1) {
    seen.add(`${(ts[i] as number) - (lateMs[i] as number)} ${tid[i]}`);
    if (seen.size !== i + 1) return `trade ${i}, with tid ${tid[i]}, is in it twice`;
  }
  return undefined;
}

function checkGap([coin, from]: Key, gap: Gap): string | undefined {
  if (gap.coin !== coin) return `it speaks of ${gap.coin}`;
  if (!['refilled', 'partial', 'missing'].includes(gap.state)) return `its state is ${gap.state}`;
  return checkSpan(from, gap);
}

function checkSpan(key: string | number | undefined, { from, to }: Span): string | undefined {
  if (from !== key) return `it begins at ${from}, its key says ${key}`;
  if (!Number.isSafeInteger(to) || to < from) return `it ends at ${to}, before it begins`;
  return undefined;
}
