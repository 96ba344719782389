import { CoinWriter } from '../../../seeding/coin-writer.ts';
import type { DamagedFile, FoundRow } from '../../../store/damaged-file.ts';
import {
  type Gap,
  GapLedger,
  ledgerTables,
  type Span,
  type TapeSpan,
} from '../../../features/tape/gap-ledger.ts';
import { isRecordedBy } from '../../../features/tape/is-recorded-by.ts';
import { tradesOf } from '../../../features/tape/newest-trades.ts';
import { shownMarket, symbolOf, venueOf } from '../../../store/market-key.ts';
import type { Change, Store } from '../../../store/store.ts';
import { TickBuffer } from '../../../features/tape/tick-buffer.ts';
import { tickTables } from '../../../features/tape/tick-table.ts';
import { type Known, lostBetween } from './lost-between.ts';
import { tableOf } from './old-rows.ts';
import { chunkName, readChunk, readGap, readIds, readPiece, readReceipts, readSpan } from './tape-rows.ts';

const badness: Readonly<Record<Gap['state'], number>> = { refilled: 1, partial: 2, missing: 3 };

/** Merges overlapping gaps of one coin; where several overlap, the worst one wins. */
function worstGaps(gaps: readonly Gap[]): readonly Gap[] {
  const edges = [...new Set(gaps.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b);
  const joined: Gap[] = [];
  for (const [i, from] of edges.slice(0, -1).entries()) {
    const to = edges[i + 1] as number;
    const worst = gaps
      .filter((gap) => gap.from <= from && gap.to >= to)
      .toSorted((a, b) => badness[b.state] - badness[a.state])[0];
    if (!worst) continue;
    const last = joined.at(-1);
    const isSame = last?.to === from && last.state === worst.state && last.reason === worst.reason;
    if (last && isSame) joined[joined.length - 1] = { ...last, to };
    else joined.push({ ...worst, from, to });
  }
  return joined;
}

const CHUNKS_PER_COMMIT = 64;
const DAMAGED = 'the store was damaged';

/** What was copied of one market. */
export interface SalvagedCoin {
  /** Coin of the primary venue, or a market id. */
  readonly coin: string;
  chunks: number;
  trades: number;
  /** Times with lost or possibly lost trades. */
  lost: readonly Gap[];
}

/**
 * Copies the readable part of a tape to an empty store, and records the rest as gaps. Here a coin is named by its
 * market's id.
 */
export class TapeSalvage {
  readonly #source: DamagedFile;
  readonly #store: Store;
  readonly #coins = new Map<string, SalvagedCoin>();
  /** End of the last chunk of each coin. */
  readonly #sealedUntil = new Map<string, number>();
  readonly #gaps: Gap[] = [];

  constructor(options: { readonly source: DamagedFile; readonly store: Store }) {
    this.#source = options.source;
    this.#store = options.store;
  }

  async run(onChunk: (done: number, of: number) => void): Promise<readonly SalvagedCoin[]> {
    const spans = await this.#readAll(ledgerTables.spans, readSpan);
    const gaps = await this.#readAll(ledgerTables.gaps, readGap);
    const chunks = await this.#chunks();
    const pieces = await tableOf(this.#source, tickTables.tail, readPiece);
    const names = chunks.rows.flatMap((row) => chunkName(row) ?? []);
    const record = extent([
      ...spans.values,
      ...names.map(({ startTs, endTs }) => ({ from: startTs, to: endTs + 1 })),
    ]);
    const coinsOf = (rows: readonly FoundRow[]): string[] => rows.map(({ key }) => String(key[0]));
    const coins = [
      ...new Set([...chunks.rows, ...pieces.rows, ...gaps.rows].flatMap((row) => coinsOf([row]))),
    ];
    for (const coin of coins.toSorted())
      this.#coins.set(coin, { coin: shownMarket(coin), chunks: 0, trades: 0, lost: [] });

    await this.#copyChunks(chunks.rows, onChunk);
    const sealed = names.map(({ coin, startTs, endTs }) => ({ coin, from: startTs, to: endTs + 1 }));
    this.#lose(lostBetween({ known: sealed, breaks: chunks.breaks, coins: this.#names, record }), 'missing');
    await this.#copyTail(pieces.rows);
    if (pieces.breaks.size > 0)
      for (const coin of this.#names)
        this.#lose([{ coin, from: this.#sealedUntil.get(coin) ?? record.from, to: record.to }], 'partial');
    this.#gaps.push(...gaps.values);
    this.#lose(
      lostBetween({ known: gaps.values, breaks: gaps.breaks, coins: this.#names, record }),
      'partial',
    );
    // Without spans nothing is known to be complete.
    const recordedVenues = new Set(spans.values.map(({ venue }) => venue));
    for (const coin of this.#names)
      if (!recordedVenues.has(venueOf(coin))) this.#lose([{ coin, ...record }], 'partial');
    await this.#writeLedger(spans.values, chunks.breaks.size > 0);
    return [...this.#coins.values()];
  }

  get #names(): readonly string[] {
    return [...this.#coins.keys()];
  }

  #lose(lost: readonly Known[], state: 'missing' | 'partial'): void {
    for (const { coin, from, to } of lost)
      if (from < to) this.#gaps.push({ coin, from, to, state, reason: DAMAGED });
  }

  /** The recovered chunks, without those that another one replaced. */
  async #chunks(): Promise<{ readonly rows: readonly FoundRow[]; readonly breaks: ReadonlySet<number> }> {
    const found = await tableOf(this.#source, tickTables.chunks, readChunk);
    const rows: FoundRow[] = [];
    const breaks = new Set<number>();
    for (const [i, row] of found.rows.entries()) {
      if (found.breaks.has(i)) breaks.add(rows.length);
      const [before, name] = [rows.at(-1) && chunkName(rows.at(-1) as FoundRow), chunkName(row)];
      if (!name) {
        // Its key is damaged: a chunk is lost here.
        breaks.add(rows.length);
        continue;
      }
      const overlaps = before?.coin === name.coin && name.startTs <= before.endTs;
      if (!overlaps) rows.push(row);
      else if (row.txnId > (rows.at(-1)?.txnId ?? 0)) rows[rows.length - 1] = row;
    }
    if (found.breaks.has(found.rows.length)) breaks.add(rows.length);
    return { rows, breaks };
  }

  async #copyChunks(rows: readonly FoundRow[], onChunk: (done: number, of: number) => void): Promise<void> {
    const found = await tableOf(this.#source, tickTables.ids, readIds);
    const idsOf = new Map(found.rows.map((row) => [row.key.join(' '), row]));
    // A chunk without receive times is as valid as one recorded without them.
    const received = await tableOf(this.#source, tickTables.receipts, readReceipts);
    const receiptsOf = new Map(received.rows.map((row) => [row.key.join(' '), row]));
    const tables = {
      chunks: this.#store.table(tickTables.chunks, 'binary'),
      ids: this.#store.table(tickTables.ids, 'binary'),
      receipts: this.#store.table(tickTables.receipts, 'binary'),
    };
    let changes: Change[] = [];
    for (const [i, row] of rows.entries()) {
      onChunk(i + 1, rows.length);
      const { key } = row;
      const name = chunkName(row);
      if (!name) continue;
      const { coin, startTs, endTs, trades } = name;
      const ids = idsOf.get(key.join(' '));
      if (ids && (await readChunk(row)) && (await readIds(ids))) {
        changes.push(tables.chunks.puts([{ key, value: await row.read() }]));
        changes.push(tables.ids.puts([{ key, value: await ids.read() }]));
        const receipts = receiptsOf.get(key.join(' '));
        const value = receipts && (await readReceipts(receipts));
        if (value) changes.push(tables.receipts.puts([{ key, value }]));
        const salvaged = this.#coins.get(coin);
        if (salvaged) {
          salvaged.chunks += 1;
          salvaged.trades += trades;
        }
      } else this.#lose([{ coin, from: startTs, to: endTs + 1 }], 'missing');
      this.#sealedUntil.set(coin, endTs + 1);
      if (changes.length >= CHUNKS_PER_COMMIT) await this.#store.commit(changes.splice(0));
    }
    await this.#store.commit(changes);
  }

  /** Unsealed trades after the last chunk of each coin. Older page versions contain some of them again. */
  async #copyTail(rows: readonly FoundRow[]): Promise<void> {
    for (const coin of this.#names) {
      const owner = { coin: symbolOf(coin), venue: venueOf(coin) };
      const seen = new Set<string>();
      const tail = new TickBuffer();
      for (const row of rows.filter(({ key }) => key[0] === coin)) {
        const piece = await readPiece(row);
        for (const trade of piece ? tradesOf(owner, piece) : []) {
          const name = `${trade.venueTs ?? trade.ts} ${trade.tid}`;
          const isNew = trade.ts >= Math.max(this.#sealedUntil.get(coin) ?? 0, tail.lastTs ?? 0);
          if (!isNew || seen.has(name)) continue;
          seen.add(name);
          tail.add(trade);
        }
      }
      const writer = new CoinWriter({ store: this.#store, owner });
      writer.add(tail);
      writer.finish('tail');
      await this.#store.commit(writer.takeChanges());
      const salvaged = this.#coins.get(coin);
      if (salvaged) salvaged.trades += tail.length;
    }
  }

  async #writeLedger(
    spans: readonly (TapeSpan & { readonly venue: string })[],
    mayLackCoins: boolean,
  ): Promise<void> {
    for (const [coin, salvaged] of this.#coins) {
      const named = worstGaps(this.#gaps.filter((gap) => gap.coin === coin));
      const gaps = named.map((gap) => ({ ...gap, coin: symbolOf(coin) }));
      salvaged.lost = gaps.filter(({ reason }) => reason === DAMAGED);
      await this.#store.commit(new GapLedger(this.#store, venueOf(coin)).entering(gaps));
    }
    for (const { venue, ...span } of spans) {
      // A coin without a recovered part must not count as one without trades.
      const isRecorded = isRecordedBy(span.recordCoins ?? 'all');
      const found = this.#names.filter((coin) => venueOf(coin) === venue).map(symbolOf);
      const recordCoins = mayLackCoins ? found.filter(isRecorded).join(',') : span.recordCoins;
      const entry = { from: span.from, to: span.to, ...(recordCoins !== undefined && { recordCoins }) };
      await this.#store.commit([new GapLedger(this.#store, venue).extending(entry)]);
    }
  }

  async #readAll<Value>(
    name: string,
    read: (row: FoundRow) => Promise<Value | undefined>,
  ): Promise<{
    readonly rows: readonly FoundRow[];
    readonly values: readonly Value[];
    readonly breaks: ReadonlySet<number>;
  }> {
    const found = await tableOf(this.#source, name, read);
    const rows: FoundRow[] = [];
    const values: Value[] = [];
    const breaks = new Set<number>();
    for (const [i, row] of found.rows.entries()) {
      const value = await read(row);
      if (found.breaks.has(i) || value === undefined) breaks.add(rows.length);
      if (value === undefined) continue;
      rows.push(row);
      values.push(value);
    }
    if (found.breaks.has(found.rows.length)) breaks.add(rows.length);
    return { rows, values, breaks };
  }
}

function extent(spans: readonly Span[]): Span {
  const from = spans.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY);
  const to = spans.reduce((most, span) => Math.max(most, span.to), 0);
  return { from: Math.min(from, to), to };
}
