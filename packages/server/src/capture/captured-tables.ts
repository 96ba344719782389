import type { TableName, Tables } from '@crosstape/core';
import type { Known, Page, RequestSource } from '@crosstape/venues';

type Rows = readonly Tables[TableName][];

/** The tables of one venue from its captured answers, for parsers that need other tables. */
export class CapturedTables {
  /** Rows by table, then by source, or by key for a lookup. */
  readonly #parts = new Map<TableName, Map<string, Rows>>();
  /** Pages of an incomplete answer, by source. */
  readonly #pages = new Map<string, Page[]>();
  #known: Known = {};

  get known(): Known {
    return this.#known;
  }

  /** The pages of a source fill its tables together, after the last one. */
  put({ name, gives, firstPath }: RequestSource, key: string, page: Page): void {
    if (firstPath === undefined) return this.#put(gives, `${name} ${key}`, [page]);
    const before = key === firstPath ? [] : (this.#pages.get(name) ?? []);
    const pages = [...before, page];
    if (page.more) {
      this.#pages.set(name, pages);
      return;
    }
    this.#pages.delete(name);
    this.#put(gives, name, pages);
  }

  #put(gives: readonly TableName[], part: string, pages: readonly Page[]): void {
    for (const table of gives) {
      const parts = this.#parts.get(table) ?? new Map<string, Rows>();
      parts.set(
        part,
        pages.flatMap((page): Rows => page[table] ?? []),
      );
      this.#parts.set(table, parts);
      this.#known = { ...this.#known, [table]: [...parts.values()].flat() };
    }
  }
}
