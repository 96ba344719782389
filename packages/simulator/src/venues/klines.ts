import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '@crosstape/core';
import { HISTORY_MINUTES } from '../market/minute-bars.ts';
import { LISTED_MS } from '../market/outline.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import type { TapeDeal } from '../market/tape.ts';
import { ExactSum } from './exact-sum.ts';
import { KlineCounter } from './kline-counter.ts';
import type { TradeMarket } from './trade-ledger.ts';
import type { Question } from './wire.ts';

/** The first Monday. */
const WEEK_OFFSET_MS = 4 * DAY_MS;
/** Trades read before yielding. */
const TURN_TRADES = 4096;
/** Trades that one answer over a longer time is made of at most: two seconds of work. */
const TRADES_MAX = 100_000;
/** The same for hours: a request spans a thousand of them. */
const HOUR_TRADES_MAX = 3_000;
/** Outlines made before yielding. */
const TURN_OUTLINES = 100;
/** A request for less is answered whole: clients check the last hours in one request. */
const WHOLE_MS = 4 * HOUR_MS;
/** How long simulated venues keep their trades. */
const REMEMBERED_MS = HISTORY_MINUTES * MINUTE_MS;
/** Minutes of all markets that are remembered, about 20 MB: those of the last hours are requested repeatedly. */
const MINUTES_REMEMBERED = 50_000;

/** A market, and how its trades are printed on the venue's wire. */
export interface KlineSource {
  readonly market: TradeMarket;
  /** In the units and decimals that the venue prints. */
  readonly read: (deal: TapeDeal) => { readonly price: number; readonly size: number };
}

/** Trading of an interval, in the venue's units. */
export interface Kline {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly size: ExactSum;
  readonly notional: ExactSum;
  readonly trades: number;
  /** Number of the first trade, about, where it is not made of trades. */
  readonly first?: number;
  readonly buySize: ExactSum;
  readonly buyNotional: ExactSum;
}

export interface KlineRange {
  /** Length of the interval, in whole minutes. */
  readonly intervalMs: number;
  /** Any time in the first and in the last requested interval. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether an interval without a trade has a kline, at the price of the last trade before. */
  readonly hasEmpty: boolean;
}

/** `1m`, `4h`, `1d`, `1w` in milliseconds. */
export function intervalMsOf(name: string): number | undefined {
  const [, count, unit] = /^(\d{1,2})([mhdw])$/i.exec(name) ?? [];
  const unitMs = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: WEEK_MS }[(unit ?? '').toLowerCase()];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

export function openOf(atMs: number, intervalMs: number): number {
  const offsetMs = intervalMs === WEEK_MS ? WEEK_OFFSET_MS : 0;
  return Math.floor((atMs - offsetMs) / intervalMs) * intervalMs + offsetMs;
}

/**
 * The klines of a market, oldest first; the last one may be of an interval in progress. They are made of its very trades,
 * but for hours and longer intervals of times with too many trades, which are outlines.
 */
export async function readKlines(
  { trades: { untilMs } }: Pick<Question, 'trades'>,
  source: KlineSource,
  { intervalMs, fromMs, toMs, hasEmpty }: KlineRange,
): Promise<readonly Kline[]> {
  const klines: Kline[] = [];
  const endMs = Math.min(toMs, untilMs);
  const lastMs = openOf(endMs, intervalMs);
  const tradedMs = tradedFrom(source, { intervalMs, fromMs, endMs, untilMs });
  const isOutlined = intervalMs >= HOUR_MS;
  const sinceMs = isOutlined ? Math.max(fromMs, LISTED_MS) : Math.max(fromMs, tradedMs);
  const firstMs = openOf(sinceMs, intervalMs) + (sinceMs > fromMs ? intervalMs : 0);
  for (let openMs = firstMs; openMs <= lastMs; openMs += intervalMs) {
    const closeMs = Math.min(openMs + intervalMs, untilMs);
    const isTraded = openMs >= tradedMs;
    const kline = isTraded ? await readOne(source, openMs, closeMs) : outline(source, openMs, closeMs);
    if (kline) klines.push({ ...kline, openMs });
    else if (hasEmpty) klines.push(emptyAt(source, openMs));
    if (!isTraded && klines.length % TURN_OUTLINES === 0) await yieldToEventLoop();
  }
  return klines;
}

interface Asked {
  readonly intervalMs: number;
  readonly fromMs: number;
  readonly endMs: number;
  readonly untilMs: number;
}

/**
 * From when on klines are made of trades: a busy market would have to make millions of them for a long span. The limit
 * for hours depends only on the market, so that the same hour is identical in every answer; there are no earlier
 * minutes.
 */
function tradedFrom(
  { market: { tape } }: KlineSource,
  { intervalMs, fromMs, endMs, untilMs }: Asked,
): number {
  const oldestMs = untilMs - REMEMBERED_MS;
  if (endMs - fromMs <= WHOLE_MS) return oldestMs;
  if (intervalMs >= HOUR_MS) {
    const trades = tape.nextAt(untilMs) - tape.nextAt(oldestMs);
    return untilMs - REMEMBERED_MS * Math.min(1, HOUR_TRADES_MAX / trades);
  }
  const sinceMs = Math.max(fromMs, oldestMs);
  const trades = tape.nextAt(endMs) - tape.nextAt(sinceMs);
  return trades <= TRADES_MAX ? oldestMs : endMs - (endMs - sinceMs) * (TRADES_MAX / trades);
}

function outline({ market, read }: KlineSource, openMs: number, endMs: number): Kline | undefined {
  const { trades, deals } = market.tape.outline(openMs, endMs);
  const counted = new KlineCounter();
  for (const deal of deals) counted.add(read(deal), deal.side === 'buy');
  const kline = counted.finish(openMs);
  return kline && { ...kline, trades, first: deals[0]?.number ?? 0 };
}

async function readOne(source: KlineSource, openMs: number, endMs: number): Promise<Kline | undefined> {
  let merged: Kline | undefined;
  for (let atMs = openMs; atMs < endMs; atMs += MINUTE_MS) {
    const minute = await readMinute(source, atMs, Math.min(atMs + MINUTE_MS, endMs));
    merged = merged && minute ? merge(merged, minute) : (merged ?? minute);
  }
  return merged;
}

/** Whole minutes by `minuteKey`. */
const remembered = new Map<number, Kline | undefined>();
const tapeNumbers = new WeakMap<TradeMarket['tape'], number>();
let tapesSeen = 0;

/** A minute of a tape as one number. */
function minuteKey(tape: TradeMarket['tape'], openMs: number): number {
  let number = tapeNumbers.get(tape);
  if (number === undefined) tapeNumbers.set(tape, (number = tapesSeen++));
  return number * 2 ** 32 + openMs / MINUTE_MS;
}

async function readMinute(source: KlineSource, openMs: number, endMs: number): Promise<Kline | undefined> {
  const key = minuteKey(source.market.tape, openMs);
  if (remembered.has(key)) return remembered.get(key);
  const kline = await makeKline(source, openMs, endMs);
  if (endMs - openMs < MINUTE_MS) return kline;
  const [oldest] = remembered.size < MINUTES_REMEMBERED ? [] : remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
  remembered.set(key, kline);
  return kline;
}

async function makeKline(
  { market, read }: KlineSource,
  openMs: number,
  endMs: number,
): Promise<Kline | undefined> {
  const { tape } = market;
  const to = tape.nextAt(endMs);
  const counted = new KlineCounter();
  for (let from = tape.nextAt(openMs); from < to; from += TURN_TRADES) {
    for (const deal of tape.read(from, Math.min(to, from + TURN_TRADES)))
      counted.add(read(deal), deal.side === 'buy');
    await yieldToEventLoop();
  }
  return counted.finish(openMs);
}

function merge(a: Kline, b: Kline): Kline {
  return {
    openMs: a.openMs,
    open: a.open,
    high: Math.max(a.high, b.high),
    low: Math.min(a.low, b.low),
    close: b.close,
    size: a.size.plus(b.size),
    notional: a.notional.plus(b.notional),
    trades: a.trades + b.trades,
    buySize: a.buySize.plus(b.buySize),
    buyNotional: a.buyNotional.plus(b.buyNotional),
  };
}

function emptyAt({ market, read }: KlineSource, openMs: number): Kline {
  const next = market.tape.nextAt(openMs);
  const [last] = market.tape.read(next - 1, next);
  const price = last ? read(last).price : 0;
  const { zero } = ExactSum;
  const nothing = { size: zero, notional: zero, trades: 0, buySize: zero, buyNotional: zero };
  return { openMs, open: price, high: price, low: price, close: price, ...nothing };
}
