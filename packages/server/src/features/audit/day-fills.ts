import { HOUR_MS, notionalUsdOf } from '@crosstape/core';
import type { FillKey, KnownLiquidation } from '../liquidations/score-inference.ts';
import { findHours } from '../../ingest/fills/fill-folder.ts';
import { linesIn } from '../../ingest/fills/fill-lines.ts';

const ROWS_MIN = 256;

/** The taker's side of trades, oldest first as the chain has them. */
export class FillColumns {
  length = 0;
  ts = new Float64Array(ROWS_MIN);
  tid = new Float64Array(ROWS_MIN);
  price = new Float64Array(ROWS_MIN);
  /** Negative when the taker sold. */
  size = new Float64Array(ROWS_MIN);
  /** 1 if a fill belongs to the same taker order as the previous one. */
  sameOrder = new Uint8Array(ROWS_MIN);
  #lastTaker: unknown;

  add(ts: number, tid: number, price: number, size: number, taker: unknown): void {
    if (this.length === this.ts.length) this.#grow();
    const at = this.length++;
    // As on the tape: fills of one taker, side and time.
    const isSame =
      at > 0 &&
      this.#lastTaker === taker &&
      this.ts[at - 1] === ts &&
      (this.size[at - 1] as number) > 0 === size > 0;
    this.sameOrder[at] = isSame ? 1 : 0;
    this.#lastTaker = taker;
    this.ts[at] = ts;
    this.tid[at] = tid;
    this.price[at] = price;
    this.size[at] = size;
  }

  #grow(): void {
    const rows = Math.ceil(this.length * 1.5);
    const copy = (column: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(rows);
      larger.set(column);
      return larger;
    };
    const flags = new Uint8Array(rows);
    flags.set(this.sameOrder);
    this.sameOrder = flags;
    [this.ts, this.tid, this.price, this.size] = [
      copy(this.ts),
      copy(this.tid),
      copy(this.price),
      copy(this.size),
    ];
  }
}

/** The fills of one UTC day, as Hyperliquid publishes them. */
export interface DayFills {
  readonly dayMs: number;
  /** The hours of the day that were read. */
  readonly hours: readonly number[];
  readonly coins: ReadonlyMap<string, FillColumns>;
  /** The orders that are marked as liquidations, by coin. */
  readonly liquidations: ReadonlyMap<string, readonly KnownLiquidation[]>;
  /** Lines and fills that could not be parsed; `firstRefusal` is the first reason. */
  readonly refused: number;
  readonly firstRefusal: string | undefined;
}

/** Reads all hours of a day that have a file. */
export async function readDayFills(
  folder: string,
  dayMs: number,
  onHour?: (hour: number) => void,
): Promise<DayFills> {
  return readFills(await findHours(folder, dayMs), dayMs, onHour);
}

/** Reads files of a day hour by hour: only the taker's side of each trade stays in memory, as numbers. */
export async function readFills(
  files: ReadonlyMap<number, string>,
  dayMs: number,
  onHour: (hour: number) => void = () => undefined,
): Promise<DayFills> {
  const reader = new FillReader(dayMs, new Set(files.keys()));
  for (const [hour, path] of files) {
    onHour(hour);
    try {
      for await (const lines of linesIn(path)) for (const line of lines) reader.line(line);
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
    }
  }
  return { dayMs, hours: [...files.keys()], ...reader.result() };
}

interface WireFill {
  readonly coin?: unknown;
  readonly px?: unknown;
  readonly sz?: unknown;
  readonly side?: unknown;
  readonly time?: unknown;
  readonly crossed?: unknown;
  readonly tid?: unknown;
  readonly oid?: unknown;
  readonly liquidation?: unknown;
}

interface MarkedOrder {
  readonly fills: FillKey[];
  notionalUsd: number;
}

class FillReader {
  readonly #dayMs: number;
  readonly #hours: ReadonlySet<number>;
  readonly #coins = new Map<string, FillColumns>();
  /** By coin and order id. */
  readonly #marked = new Map<string, Map<unknown, MarkedOrder>>();
  #refused = 0;
  #firstRefusal: string | undefined;

  constructor(dayMs: number, hours: ReadonlySet<number>) {
    this.#dayMs = dayMs;
    this.#hours = hours;
  }

  result(): Omit<DayFills, 'dayMs' | 'hours'> {
    const liquidations = new Map([...this.#marked].map(([coin, orders]) => [coin, [...orders.values()]]));
    return {
      coins: this.#coins,
      liquidations,
      refused: this.#refused,
      firstRefusal: this.#firstRefusal,
    };
  }

  line(text: string): void {
    if (text === '') return;
    let events: unknown;
    try {
      ({ events } = JSON.parse(text) as { readonly events?: unknown });
    } catch (error) {
      return this.#refuse((error as Error).message);
    }
    if (!Array.isArray(events)) return this.#refuse('a line without events');
    for (const event of events as readonly unknown[]) {
      const fill = Array.isArray(event) ? (event[1] as WireFill | null | undefined) : undefined;
      if (typeof fill !== 'object' || fill === null) this.#refuse('an event that is not a fill');
      else if (fill.crossed === true) this.#add(fill, (event as readonly unknown[])[0]);
    }
  }

  #add({ coin, px, sz, side, time, tid, oid, liquidation }: WireFill, user: unknown): void {
    const [price, size] = [Number(px), Number(sz)];
    const isWhole = Number.isSafeInteger(time) && Number.isSafeInteger(tid) && price > 0 && size > 0;
    if (typeof coin !== 'string' || !isWhole || (side !== 'B' && side !== 'A'))
      return this.#refuse('a fill without a coin, price, size, side, time or tid');
    const ts = time as number;
    if (!this.#hours.has(Math.floor((ts - this.#dayMs) / HOUR_MS))) return;
    let columns = this.#coins.get(coin);
    if (!columns) this.#coins.set(coin, (columns = new FillColumns()));
    columns.add(ts, tid as number, price, side === 'B' ? size : -size, user);
    if (isLiquidationOf(user, liquidation))
      this.#mark(coin, oid ?? tid, { ts, tid: tid as number }, notionalUsdOf(price, size));
  }

  #mark(coin: string, oid: unknown, fill: FillKey, notionalUsd: number): void {
    let orders = this.#marked.get(coin);
    if (!orders) this.#marked.set(coin, (orders = new Map()));
    const order = orders.get(oid);
    if (!order) return void orders.set(oid, { fills: [fill], notionalUsd });
    order.fills.push(fill);
    order.notionalUsd += notionalUsd;
  }

  #refuse(reason: string): void {
    this.#refused += 1;
    this.#firstRefusal ??= reason;
  }
}

/** Both sides of a trade carry the mark: it names the account that was liquidated. */
function isLiquidationOf(user: unknown, mark: unknown): boolean {
  if (typeof mark !== 'object' || mark === null) return false;
  const { liquidatedUser } = mark as { readonly liquidatedUser?: unknown };
  return (
    typeof user === 'string' &&
    typeof liquidatedUser === 'string' &&
    liquidatedUser.toLowerCase() === user.toLowerCase()
  );
}
