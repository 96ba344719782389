import type { ParsedTables, TableName, Tables } from '@crosstape/core';
import type { Lookup } from '@crosstape/venues';
import type { SizeChange } from './table-sizes.ts';
import type { ParseDetails } from './venue-tables.ts';

/** Rows of a key that was not refreshed for this many cadences are dropped, unless a lookup keeps them for longer. */
const KEEP_CADENCES = 3;
/** As many as can be requested; the oldest is dropped first. */
const ANSWERS_MAX = 3_000;

interface Answer {
  readonly parsed: ParsedTables;
  /** When the source made it. */
  readonly asOfMs: number;
  /** The rows of each table in the answer before. */
  readonly rowsBefore?: Readonly<Partial<Record<TableName, number>>>;
}

type AnsweredLookup = Pick<Lookup, 'gives' | 'everyMs' | 'keepMs' | 'isAbsent'>;

/** The last answer of a lookup for each key, and their union. */
export class LookupAnswers {
  readonly #lookup: AnsweredLookup;
  readonly #byKey = new Map<string, Answer>();

  constructor(lookup: AnsweredLookup) {
    this.#lookup = lookup;
  }

  /** Returns when the source made the answer that is kept. */
  put(key: string, parsed: ParsedTables, asOfMs: number, receivedAtMs: number): number {
    const { gives } = this.#lookup;
    const kept = this.#byKey.get(key);
    // The caches of one source are not all of the same age: an older answer does not replace a newer one.
    if (kept && asOfMs < kept.asOfMs && kept.asOfMs <= receivedAtMs) return kept.asOfMs;
    this.#byKey.delete(key);
    const rowsBefore = kept && Object.fromEntries(gives.map((table) => [table, kept.parsed[table]?.length]));
    this.#byKey.set(key, { parsed, asOfMs, ...(rowsBefore && { rowsBefore }) });
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= ANSWERS_MAX) break;
      this.#byKey.delete(oldest);
    }
    return asOfMs;
  }

  /** The clock was set back: no answer is of the future. */
  notAfter(nowMs: number): void {
    for (const [key, answer] of this.#byKey)
      if (answer.asOfMs > nowMs) this.#byKey.set(key, { ...answer, asOfMs: nowMs });
  }

  /** Drops the answers to these keys; returns whether there were any. */
  drop(keys: ReadonlySet<string>): boolean {
    const dropped = [...this.#byKey.keys()].filter((key) => keys.has(key));
    for (const key of dropped) this.#byKey.delete(key);
    return dropped.length > 0;
  }

  /** Whether the venue recently answered that it has nothing under this key. */
  isAbsent(key: string, nowMs: number): boolean {
    const answer = this.#byKey.get(key);
    if (!answer || !this.#lookup.isAbsent?.(answer.parsed)) return false;
    return nowMs - answer.asOfMs <= this.#keepMs(answer);
  }

  /** An empty answer expires soon. */
  #keepMs({ parsed }: Answer): number {
    const { everyMs, keepMs, isAbsent } = this.#lookup;
    const soonMs = KEEP_CADENCES * everyMs;
    return keepMs === undefined || isAbsent?.(parsed) ? soonMs : keepMs;
  }

  /**
   * Rows of a table in all answers, and in the answers before to the same keys: a key that is new, no longer requested or
   * absent changes nothing.
   */
  sizeOf(table: TableName): SizeChange {
    let rows = 0;
    let before = 0;
    for (const { parsed, rowsBefore } of this.#byKey.values()) {
      if (!rowsBefore || parsed.unread?.includes(table) || this.#lookup.isAbsent?.(parsed)) continue;
      rows += parsed[table]?.length ?? 0;
      before += rowsBefore[table] ?? 0;
    }
    return { rows, before };
  }

  parsed(nowMs: number): ParseDetails & { readonly parsed: ParsedTables; readonly newestMs: number } {
    const { gives } = this.#lookup;
    let newestMs = 0;
    for (const [key, answer] of this.#byKey) {
      if (nowMs - answer.asOfMs > this.#keepMs(answer)) this.#byKey.delete(key);
      else newestMs = Math.max(newestMs, answer.asOfMs);
    }
    const answers = [...this.#byKey.values()];
    const each = <Value>(read: (row: Tables[TableName], answer: Answer) => Value): [TableName, Value[]][] =>
      gives.map((table) => [
        table,
        answers.flatMap((answer) => (answer.parsed[table] ?? []).map((row) => read(row, answer))),
      ]);
    return {
      parsed: Object.fromEntries(each((row) => row)),
      newestMs,
      times: Object.fromEntries(each((_, { asOfMs }) => asOfMs)),
      absent: [...this.#byKey.keys()].filter((key) => this.isAbsent(key, nowMs)),
    };
  }
}
