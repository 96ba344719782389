import type { Clock, ParsedTables, TableName, Tables } from '@crosstape/core';
import type { Known } from '@crosstape/venues';
import type { Bus } from '../platform/bus.ts';
import { freshMsOf, lastGoodMsOf, snapshotTopic } from '../topics.ts';
import { rowsInCoinUnits } from './in-coin-units.ts';
import type { PrimaryCoins } from './primary-coins.ts';

/** Tables with a row per contract. A row that an answer lacks is kept as long as a last good value is served. */
const contractTables: ReadonlySet<TableName> = new Set(['openInterest', 'funding', 'volumes']);
/** The data of one of several sources are kept as long as a last good value. */
const longKept: ReadonlySet<TableName> = new Set([...contractTables, 'positioning']);
/** Parsers derive other figures from these: stale ones are not used. */
const perishable: ReadonlySet<TableName> = new Set(['fundingPeriods', 'prices', 'indexPrices']);

export interface VenueTablesOptions {
  readonly venue: string;
  readonly bus: Bus;
  readonly clock: Clock;
  /** The sources that together list all instruments. */
  readonly listers: readonly string[];
  /** Absent for the primary venue: its own rows are never touched. */
  readonly coins?: PrimaryCoins;
}

/** The sources of tables, and their cadence. */
export interface TableSource {
  readonly name: string;
  readonly gives: readonly TableName[];
  readonly everyMs: number;
  /** How old it may be before it is stale, where that is not three polls. */
  readonly freshMs?: number | undefined;
  /** Named as the source, where that is not the venue. */
  readonly label?: string | undefined;
}

type Row = Tables[TableName];

/** Further details of parsed tables. */
export interface ParseDetails {
  /** When its source last confirmed it, where that is later than the fetch. */
  readonly checkedAtMs?: number;
  /** For data gathered key by key: when each row of a table was received. */
  readonly times?: { readonly [Name in TableName]?: readonly number[] };
  /** Keys under which the venue has nothing. */
  readonly absent?: readonly string[];
  /** Whether its last pages are missing. */
  readonly isPartial?: boolean;
}

interface TimedRow {
  readonly row: Row;
  readonly atMs: number;
}

/** The last data of one source for a table. */
interface Part {
  readonly rows: readonly TimedRow[];
  readonly absent: readonly string[];
  readonly fetchedAtMs: number;
  readonly checkedAtMs: number;
  readonly everyMs: number;
  readonly freshMs: number | undefined;
  readonly label: string | undefined;
  readonly isPartial: boolean;
}

/** The tables of one venue: as last received, for its own parsers, and published in the primary's coins. */
export class VenueTables {
  readonly #options: VenueTablesOptions;
  readonly #parts = new Map<TableName, Map<string, Part>>();
  #known: Known = {};
  /** Until when nothing in it expires. */
  #knownUntilMs = Number.POSITIVE_INFINITY;

  constructor(options: VenueTablesOptions) {
    this.#options = options;
    options.coins?.onChange(() => {
      for (const table of this.#parts.keys()) this.#publish(table);
    });
  }

  /** In the venue's own base coins and units. */
  get known(): Known {
    if (this.#options.clock.now() > this.#knownUntilMs) {
      this.#knownUntilMs = Number.POSITIVE_INFINITY;
      for (const table of perishable) if (this.#parts.has(table)) this.#know(table);
    }
    return this.#known;
  }

  /** The clock was set back: nothing was fetched in the future, or it would count as fresh until then. */
  notAfter(nowMs: number): void {
    this.#knownUntilMs = Number.POSITIVE_INFINITY;
    for (const [table, parts] of this.#parts) {
      for (const [name, part] of parts)
        parts.set(name, {
          ...part,
          rows: part.rows.map(({ row, atMs }) => ({ row, atMs: Math.min(atMs, nowMs) })),
          fetchedAtMs: Math.min(part.fetchedAtMs, nowMs),
          checkedAtMs: Math.min(part.checkedAtMs, nowMs),
        });
      this.#know(table);
      this.#publish(table);
    }
  }

  /** Whether every resource that lists instruments has answered: before that, the contracts of a coin are unknown. */
  get isListed(): boolean {
    const lists = this.#parts.get('instruments');
    return this.#options.listers.every((name) => lists?.has(name));
  }

  /** Whether a list without instruments can be true: of a part of a venue that never listed any, while other parts do. */
  canListNothing(source: string): boolean {
    const lists = this.#parts.get('instruments') ?? new Map<string, Part>();
    const before = lists.get(source) ?? { rows: [] };
    return before.rows.length === 0 && [...lists.values()].some(({ rows }) => rows.length > 0);
  }

  /** The symbols in a table that a source has filled lately; none once they are stale. */
  freshSymbols(source: string, table: TableName): ReadonlySet<string> {
    const part = this.#parts.get(table)?.get(source);
    if (!part) return new Set();
    const sinceMs = this.#options.clock.now() - freshMsOf(part);
    return new Set(part.rows.flatMap(({ row, atMs }) => (atMs >= sinceMs ? symbolOf(row) : [])));
  }

  put(source: TableSource, parsed: ParsedTables, fetchedAtMs: number, details: ParseDetails = {}): void {
    const { name, gives, everyMs, freshMs, label } = source;
    const { times = {}, absent = [], checkedAtMs = fetchedAtMs, isPartial = false } = details;
    const common = { absent, fetchedAtMs, checkedAtMs, everyMs, freshMs, label, isPartial };
    for (const table of gives) {
      const rows = parsed[table];
      if (!rows) continue;
      const { [table]: rowsAtMs } = times;
      const timed = rows.map((row, i) => ({ row, atMs: rowsAtMs?.[i] ?? fetchedAtMs }));
      const parts = this.#parts.get(table) ?? new Map<string, Part>();
      const kept = contractTables.has(table) ? this.#kept(parts.get(name), timed) : [];
      this.#parts.set(table, parts.set(name, { ...common, rows: [...timed, ...kept] }));
      this.#forget(table, parts, name);
      this.#know(table);
      this.#publish(table);
    }
  }

  /** Earlier rows for contracts that are still listed and missing from the new answer. */
  #kept(before: Part | undefined, reported: readonly TimedRow[]): readonly TimedRow[] {
    const { instruments } = this.#known;
    if (!before || !instruments) return [];
    const listed = new Set(instruments.map(symbolOf));
    const news = new Set(reported.map(({ row }) => symbolOf(row)));
    const sinceMs = this.#options.clock.now() - lastGoodMsOf(before.everyMs);
    return before.rows.filter(({ row, atMs }) => {
      const symbol = symbolOf(row);
      return atMs >= sinceMs && !news.has(symbol) && listed.has(symbol);
    });
  }

  /** Drops outdated data of other sources of a table. A list of contracts stays until there is a newer one. */
  #forget(table: TableName, parts: Map<string, Part>, name: string): void {
    if (table === 'instruments') return;
    const nowMs = this.#options.clock.now();
    for (const [other, part] of parts) {
      const isLong = longKept.has(table) && this.#known.instruments !== undefined;
      const keepMs = isLong ? lastGoodMsOf(part.everyMs) : freshMsOf(part);
      if (other !== name && nowMs - part.checkedAtMs > keepMs) parts.delete(other);
    }
  }

  #know(table: TableName): void {
    const nowMs = this.#options.clock.now();
    const rows: Row[] = [];
    for (const part of this.#parts.get(table)?.values() ?? []) {
      for (const { row, atMs } of part.rows) {
        const untilMs = perishable.has(table) ? atMs + freshMsOf(part) : Number.POSITIVE_INFINITY;
        if (untilMs < nowMs) continue;
        rows.push(row);
        this.#knownUntilMs = Math.min(this.#knownUntilMs, untilMs);
      }
    }
    this.#known = { ...this.#known, [table]: rows };
  }

  /** Held back until the primary venue's coin names are known. */
  #publish(table: TableName): void {
    const { venue, bus, coins } = this.#options;
    if (coins && !coins.isReady) return;
    const parts = [...(this.#parts.get(table)?.values() ?? [])];
    const isContracts = contractTables.has(table);
    const timed = isContracts && !this.isListed ? [] : parts.flatMap(({ rows }) => rows);
    const inUnits = (rows: readonly Row[]): readonly Row[] =>
      coins ? rowsInCoinUnits(table, rows, (base) => coins.match(base)) : rows;
    const fetchedAtMs = Math.max(...parts.map((part) => part.fetchedAtMs));
    const checkedAtMs = Math.max(...parts.map((part) => part.checkedAtMs));
    const label = parts.find((part) => part.label !== undefined)?.label;
    const missing = isContracts ? this.#missing(timed) : [];
    const absent = parts.flatMap((part) => part.absent);
    bus.publish(snapshotTopic(venue, table), {
      venue,
      ...(label !== undefined && { label }),
      rows: inUnits(timed.map(({ row }) => row)),
      fetchedAtMs,
      ...(checkedAtMs > fetchedAtMs && { checkedAtMs }),
      everyMs: Math.max(...parts.map(({ everyMs }) => everyMs)),
      ...(parts.some(({ freshMs }) => freshMs !== undefined) && {
        freshMs: Math.max(...parts.map(freshMsOf)),
      }),
      ...(timed.some(({ atMs }) => atMs !== fetchedAtMs) && { rowsAtMs: timed.map(({ atMs }) => atMs) }),
      ...(parts.some(({ isPartial }) => isPartial) && { isPartial: true }),
      ...(missing.length > 0 && { missing }),
      ...(absent.length > 0 && { absent }),
    });
  }

  #missing(reported: readonly TimedRow[]): readonly { readonly coin: string; readonly symbol: string }[] {
    const { coins } = this.#options;
    const symbols = new Set(reported.map(({ row }) => symbolOf(row)));
    return (this.#known.instruments ?? [])
      .filter(({ symbol }) => !symbols.has(symbol))
      .map(({ coin, symbol }) => ({ coin: coins?.match(coin).coin ?? coin, symbol }));
  }
}

function symbolOf(row: Row): string {
  return 'symbol' in row ? row.symbol : row.coin;
}

/** Which of the tables that a source needs are not there yet. */
export function missingTables(known: Known, needs: readonly TableName[] = []): readonly TableName[] {
  return needs.filter((table) => known[table] === undefined);
}
