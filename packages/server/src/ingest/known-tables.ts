import type { Clock, Harvest, TableName, Tables } from '@crosstape/core';
import type { Known } from '@crosstape/venues';
import type { Bus } from '../platform/bus.ts';
import { snapshotTopic } from '../topics.ts';
import { rowsInCoinUnits } from './in-coin-units.ts';
import type { PrimaryCoins } from './primary-coins.ts';

/** Of a table that several sources fill, the rows of one that gave nothing for so many cadences are left out. */
const KEEP_CADENCES = 3;

export interface KnownTablesOptions {
  readonly venue: string;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Absent for the primary venue: its own rows are never touched. */
  readonly coins?: PrimaryCoins;
}

/** Who fills tables, and how often. */
export interface TableSource {
  readonly name: string;
  readonly gives: readonly TableName[];
  readonly everyMs: number;
}

/** What one source last said of a table. */
interface Part {
  readonly rows: readonly Tables[TableName][];
  readonly fetchedAtMs: number;
  readonly everyMs: number;
}

/** The tables of one venue: as last received, for its own parsers, and told to everybody in the primary's coins. */
export class KnownTables {
  readonly #options: KnownTablesOptions;
  readonly #parts = new Map<TableName, Map<string, Part>>();
  #known: Known = {};

  constructor(options: KnownTablesOptions) {
    this.#options = options;
    options.coins?.onChange(() => {
      for (const table of this.#parts.keys()) this.#publish(table);
    });
  }

  /** In the venue's own base coins and units. */
  get known(): Known {
    return this.#known;
  }

  put({ name, gives, everyMs }: TableSource, harvest: Harvest, fetchedAtMs: number): void {
    for (const table of gives) {
      const rows = harvest[table];
      if (!rows) continue;
      const parts = this.#parts.get(table) ?? new Map<string, Part>();
      this.#parts.set(table, parts.set(name, { rows, fetchedAtMs, everyMs }));
      const nowMs = this.#options.clock.now();
      for (const [other, part] of parts) {
        if (other !== name && nowMs - part.fetchedAtMs > KEEP_CADENCES * part.everyMs) parts.delete(other);
      }
      this.#known = { ...this.#known, [table]: parts.size === 1 ? rows : joined(parts) };
      this.#publish(table);
    }
  }

  /** Held back until it is known what the primary venue calls the coins. */
  #publish(table: TableName): void {
    const { venue, bus, coins } = this.#options;
    if (coins && !coins.isReady) return;
    const parts = [...(this.#parts.get(table)?.values() ?? [])];
    const rows = this.#known[table] ?? [];
    bus.publish(snapshotTopic(venue, table), {
      venue,
      rows: coins ? rowsInCoinUnits(table, rows, (base) => coins.match(base)) : rows,
      fetchedAtMs: Math.max(...parts.map(({ fetchedAtMs }) => fetchedAtMs)),
      everyMs: Math.max(...parts.map(({ everyMs }) => everyMs)),
    });
  }
}

function joined(parts: ReadonlyMap<string, Part>): readonly Tables[TableName][] {
  return [...parts.values()].flatMap(({ rows }) => rows);
}

/** Which of the tables that a source needs are not there yet. */
export function missingTables(known: Known, needs: readonly TableName[] = []): readonly TableName[] {
  return needs.filter((table) => known[table] === undefined);
}
