import type { Log } from './log.ts';

export interface PendingRowsOptions<Row> {
  /** The most rows that wait, beside those being written; beyond it the oldest are dropped, and counted. */
  readonly max: number;
  /** What the rows are, for the log: `flows`. */
  readonly what: string;
  readonly log: Log;
  readonly write: (rows: readonly Row[]) => Promise<void>;
}

/** Rows that are written in batches, and wait in memory while the store cannot be written to. */
export class PendingRows<Row> {
  readonly #options: PendingRowsOptions<Row>;
  #rows: Row[] = [];
  #isFailing = false;
  /** Whether rows were dropped since the last that were written. */
  #isOverfull = false;
  #dropped = 0;

  constructor(options: PendingRowsOptions<Row>) {
    this.#options = options;
  }

  /** Rows dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  add(row: Row): void {
    this.#rows.push(row);
    this.#dropExcess();
  }

  /** Writes what waits, one call after the other; returns the newest row that was written. */
  async write(): Promise<Row | undefined> {
    const { what, log, write } = this.#options;
    const batch = this.#rows;
    if (batch.length === 0) return undefined;
    this.#rows = [];
    try {
      await write(batch);
      if (this.#isFailing) log.info({ rows: batch.length }, `${what} are being written again`);
      this.#isFailing = false;
      this.#isOverfull = false;
      return batch.at(-1);
    } catch (error) {
      this.#rows = [...batch, ...this.#rows];
      this.#dropExcess();
      if (!this.#isFailing) log.error({ err: error }, `${what} cannot be written; they wait in memory`);
      this.#isFailing = true;
      return undefined;
    }
  }

  #dropExcess(): void {
    const { max, what, log } = this.#options;
    const excess = this.#rows.length - max;
    if (excess <= 0) return;
    this.#dropped += excess;
    this.#rows.splice(0, excess);
    if (!this.#isOverfull) log.error({ max }, `too many ${what} wait to be written; the oldest are dropped`);
    this.#isOverfull = true;
  }
}
