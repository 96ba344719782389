import { DAY_MS } from '@crosstape/core';

/** Tables with a file per market and day. */
export const marketTables = ['trades', 'candles_1m', 'gaps', 'repaired_trades'] as const;
/** Tables with a file per venue and day: their rows name the coin. */
export const venueTables = ['liquidations', 'open_interest', 'funding'] as const;

export type MarketFileTable = (typeof marketTables)[number];
export type VenueFileTable = (typeof venueTables)[number];
export type LakeTable = MarketFileTable | VenueFileTable;

/** The parsed key of a lake file. */
export interface LakeName {
  readonly table: LakeTable;
  /** The first part of the market's id: `binance`, `binance-spot`. */
  readonly venue: string;
  /** In path form; absent in a table with a file per venue. */
  readonly symbol?: string;
  /** UTC: `2026-11-09`. */
  readonly date: string;
  /** From 1 on: repaired trades that were archived after others of the day; absent for the first file. */
  readonly part?: number;
}

export const MANIFEST_KEY = 'manifest.json';
const KEY =
  /^(?<table>[a-z_0-9]+)\/venue=(?<venue>[a-z0-9-]+)(?:\/symbol=(?<symbol>[^/]+))?\/date=(?<date>\d{4}-\d\d-\d\d)\/part-(?<part>0|[1-9]\d{0,5})\.parquet$/;

/** A symbol in path form: `BTC/USD` is `BTC-USD`. */
export function symbolInPath(symbol: string): string {
  return symbol.replaceAll(/[/:]/g, '-');
}

/** The path of a file below the bucket, in the layout that DuckDB, Polars and Spark call hive. */
export function lakeKeyOf({ table, venue, symbol, date, part = 0 }: LakeName): string {
  const market = symbol === undefined ? '' : `/symbol=${symbol}`;
  return `${table}/venue=${venue}${market}/date=${date}/part-${part}.parquet`;
}

/** `undefined` for a text that is no key of the lake. */
export function readLakeKey(key: string): LakeName | undefined {
  const { table = '', venue = '', symbol, date = '', part = '0' } = KEY.exec(key)?.groups ?? {};
  const isVenueTable = venueTables.some((name) => name === table);
  const isMarketTable = marketTables.some((name) => name === table);
  if ((!isVenueTable && !isMarketTable) || isVenueTable !== (symbol === undefined)) return undefined;
  if (dateOf(startOfDate(date)) !== date) return undefined;
  if (part !== '0' && table !== 'repaired_trades') return undefined;
  return {
    table: table as LakeTable,
    venue,
    date,
    ...(symbol !== undefined && { symbol }),
    ...(part !== '0' && { part: Number(part) }),
  };
}

/** The UTC date of a time. */
export function dateOf(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : '';
}

/** When a UTC date begins; NaN for one that the calendar does not have. */
export function startOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** How long after its end a day is sealed: late trades have arrived by then. */
export const SEAL_AFTER_MS = 10 * 60_000;

/** Whether a UTC day is over, and a record since `sinceMs` has it from its beginning. */
export function isSealedDate(date: string, nowMs: number, sinceMs: number): boolean {
  const from = startOfDate(date);
  return from >= sinceMs && from + DAY_MS + SEAL_AFTER_MS <= nowMs;
}

/** Past UTC days that a record since `sinceMs` still has from their beginning, newest first. */
export function sealedDates(nowMs: number, sinceMs: number): readonly string[] {
  const dates: string[] = [];
  const newest = Math.floor((nowMs - SEAL_AFTER_MS) / DAY_MS) - 1;
  for (let day = newest; day * DAY_MS >= sinceMs; day -= 1) dates.push(dateOf(day * DAY_MS));
  return dates;
}
