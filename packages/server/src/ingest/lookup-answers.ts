import type { Harvest, TableName, Tables } from '@crosstape/core';
import type { TableSource } from './known-tables.ts';

/** Rows of a key that was not refreshed for so many cadences are dropped. */
const KEEP_CADENCES = 3;

interface Answer {
  readonly harvest: Harvest;
  readonly receivedAtMs: number;
}

/** What a lookup last said of each key, and all of it as one. */
export class LookupAnswers {
  readonly #lookup: TableSource;
  readonly #byKey = new Map<string, Answer>();

  constructor(lookup: TableSource) {
    this.#lookup = lookup;
  }

  put(key: string, harvest: Harvest, receivedAtMs: number): void {
    this.#byKey.set(key, { harvest, receivedAtMs });
  }

  harvest(nowMs: number): { readonly harvest: Harvest; readonly newestMs: number } {
    const { gives, everyMs } = this.#lookup;
    let newestMs = 0;
    for (const [key, { receivedAtMs }] of this.#byKey) {
      if (nowMs - receivedAtMs > KEEP_CADENCES * everyMs) this.#byKey.delete(key);
      else newestMs = Math.max(newestMs, receivedAtMs);
    }
    const answers = [...this.#byKey.values()];
    const tables = gives.map((table) => [
      table,
      answers.flatMap(({ harvest }): readonly Tables[TableName][] => harvest[table] ?? []),
    ]);
    return { harvest: Object.fromEntries(tables) as Harvest, newestMs };
  }
}
