import type { Print } from '@crosstape/core';
import { pagesOf } from '../../store/pages.ts';
import type { Change, Key, Store, Table } from '../../store/store.ts';

/** Prints below this are not kept: they can be made again from the tape. */
export const WHALE_FLOOR_USD = 100_000;
/** Prints are stored by power of ten, so that a query for large ones does not scan the small. */
const TIER_MIN = 5;
const TIER_MAX = 8;
const EVERY_COIN = '*';
/** Rows read or removed at a time, so that a long scan leaves the event loop free in between. */
const SCAN_ROWS = 500;
/** Prints that are stored in one step: more would block a shared store for too long. */
const PRINTS_PER_COMMIT = 1_000;

/** The table of other venues' prints. */
export const VENUE_WHALES = 'venue-whales';

/** The requested prints. */
export interface WhaleQuery {
  readonly minUsd: number;
  readonly coin?: string;
  readonly sinceMs?: number;
  readonly limit: number;
}

/** The large prints of the retention time, on disk: those of the primary venue, or under another name of all others. */
export class WhaleTable<Stored extends Print = Print> {
  readonly #store: Store;
  readonly #table: Table<Stored>;

  constructor(store: Store, name = 'whales') {
    this.#store = store;
    this.#table = store.table<Stored>(name, 'json');
  }

  /** The change that stores prints; those below the floor are left out, and storing one again changes nothing. */
  appending(prints: readonly Stored[]): Change {
    const large = prints.filter((print) => print.notionalUsd >= WHALE_FLOOR_USD);
    return this.#table.puts(large.flatMap((print) => keysOf(print).map((key) => ({ key, value: print }))));
  }

  /** In batches; after a failure all of them may be stored again. */
  async append(prints: readonly Stored[]): Promise<void> {
    for (let at = 0; at < prints.length; at += PRINTS_PER_COMMIT)
      await this.#store.commit([this.appending(prints.slice(at, at + PRINTS_PER_COMMIT))]);
  }

  /** Newest first. `minUsd` must not be below the floor; `caller` is whose turns it takes. */
  async newest(
    { minUsd, coin, sinceMs = 0, limit }: WhaleQuery,
    caller?: string,
  ): Promise<readonly Stored[]> {
    const table = [tierOf(minUsd), coin ?? EVERY_COIN] as const;
    const found: Stored[] = [];
    const [from, to] = [
      [...table, sinceMs],
      [...table, Number.MAX_SAFE_INTEGER],
    ];
    const range = { from, to, reverse: true, pageRows: SCAN_ROWS, caller };
    for await (const rows of pagesOf(this.#table, range)) {
      for (const { value } of rows) {
        if (value.notionalUsd >= minUsd) found.push(value);
        if (found.length === limit) return found;
      }
    }
    return found;
  }

  /** Forgets prints older than `beforeMs`. */
  async prune(beforeMs: number): Promise<void> {
    const table = [TIER_MIN, EVERY_COIN] as const;
    const range = { from: [...table, 0], to: [...table, beforeMs], pageRows: SCAN_ROWS };
    for await (const rows of pagesOf(this.#table, range))
      await this.#store.commit([this.#table.removes(rows.flatMap(({ value }) => keysOf(value)))]);
  }
}

/** A print is stored in every size class up to its own, once among all coins and once for its coin. */
function keysOf({ notionalUsd, coin, ts, tid, ...print }: Print & { readonly market?: string }): Key[] {
  const keys: Key[] = [];
  for (let tier = TIER_MIN; tier <= tierOf(notionalUsd); tier += 1) {
    const name = print.market ?? coin;
    keys.push([tier, EVERY_COIN, ts, name, tid], [tier, coin, ts, name, tid]);
  }
  return keys;
}

function tierOf(usd: number): number {
  let tier = TIER_MIN;
  while (tier < TIER_MAX && usd >= 10 ** (tier + 1)) tier += 1;
  return tier;
}
