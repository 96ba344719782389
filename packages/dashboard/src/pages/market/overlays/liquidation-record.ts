import { type FeedLiquidation, joinEvents, withReceived } from '../by-venue/liquidation-sides.ts';

/** Liquidations that are loaded for a chart. */
export interface LiquidationRecord {
  /** Start of the polled answers, which stays while older ones are loaded. */
  readonly startMs: number;
  /** Since when all of them are loaded. */
  readonly fromMs: number;
  /** Oldest first. */
  readonly events: readonly FeedLiquidation[];
}

/** Maximum events of an answer of the service. */
export const PAGE_EVENTS = 5_000;
/** Older pages are loaded up to this many events. */
export const EVENTS_MAX = 25_000;

/** An answer: newest first, and the end of the page before it, if there is one. */
export interface LiquidationPage {
  readonly data: readonly FeedLiquidation[];
  readonly nextEnd: number | null;
}

/** With the newest page, which is polled: its events join those that are loaded. */
export function withNewest(
  record: LiquidationRecord | undefined,
  { data, nextEnd }: LiquidationPage,
  startMs: number,
): LiquidationRecord {
  if (!record) return { startMs, fromMs: nextEnd ?? startMs, events: joinEvents(data, []) };
  return { ...record, events: withReceived(record.events, data) };
}

/** With a page that ends where the record begins. */
export function withOlder(
  record: LiquidationRecord,
  { data, nextEnd }: LiquidationPage,
  startMs: number,
): LiquidationRecord {
  const older = data.filter(({ ts }) => ts < record.fromMs).toReversed();
  const fromMs = Math.min(record.fromMs, nextEnd ?? startMs);
  return { ...record, fromMs, events: [...older, ...record.events] };
}

/** The time that the next older page is requested for; `undefined`: all are loaded, or as many as there may be. */
export function olderPage(
  record: LiquidationRecord | undefined,
  wantedMs: number,
): { readonly start: number; readonly end: number } | undefined {
  if (!record || isCut(record, wantedMs) || record.fromMs <= wantedMs) return undefined;
  return { start: wantedMs, end: record.fromMs };
}

/** Whether older ones are left out. */
export function isCut({ events, fromMs }: LiquidationRecord, wantedMs: number): boolean {
  return fromMs > wantedMs && events.length >= EVENTS_MAX;
}
