import { DAY_MS, HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Coin } from '../../market/coins.ts';
import { type Bar, type MinuteBars, mergeBars } from '../../market/minute-bars.ts';
import { LISTED_MS } from '../../market/outline.ts';
import { decimal } from './print.ts';

/** Maximum candles that the venue keeps per interval. */
const CANDLES_MAX = 5000;
/** Candles printed before yielding. */
const CANDLES_PER_TURN = 200;

/** Milliseconds of each interval; a month is handled separately. */
const INTERVALS: ReadonlyMap<string, number> = new Map([
  ['1m', 60_000],
  ['3m', 180_000],
  ['5m', 300_000],
  ['15m', 900_000],
  ['30m', 1_800_000],
  ['1h', 3_600_000],
  ['2h', 7_200_000],
  ['4h', 14_400_000],
  ['8h', 28_800_000],
  ['12h', 43_200_000],
  ['1d', DAY_MS],
  ['3d', 3 * DAY_MS],
  ['1w', 7 * DAY_MS],
  ['1M', 0],
]);

export function isInterval(name: unknown): name is string {
  return typeof name === 'string' && INTERVALS.has(name);
}

/**
 * {"t":1681923600000,"T":1681924499999,"s":"BTC","i":"15m","o":"29295.0","c":"29258.0","h":"29309.0","l":"29250.0",
 *  "v":"0.98639","n":189}
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint#candle-snapshot
 */
export interface WireCandle {
  readonly t: number;
  readonly T: number;
  readonly s: string;
  readonly i: string;
  readonly o: string;
  readonly c: string;
  readonly h: string;
  readonly l: string;
  readonly v: string;
  readonly n: number;
}

interface CandleRange {
  readonly interval: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly nowMs: number;
}

/**
 * The candles of an interval that begin in [startMs, endMs], up to now; intervals without a trade are left out. Those
 * of hours and longer reach further back than the cached trades.
 */
export async function printCandles(bars: MinuteBars, coin: Coin, range: CandleRange): Promise<WireCandle[]> {
  const { interval, nowMs } = range;
  const oldestMs = Math.max(range.startMs, rememberedSince(bars, coin, nowMs));
  // A candle that began before the remembered trades would lack its beginning.
  let openMs = openOf(interval, oldestMs);
  if (openMs < oldestMs) openMs = closeOf(interval, openMs);
  const lastMs = openOf(interval, Math.min(range.endMs, nowMs));
  const minutes = await readMinutes(bars, coin, openMs, Math.min(closeOf(interval, lastMs), nowMs + 1));
  const firstMs = openMs;
  const candles = await printOutlines(bars, coin, { ...range, endMs: Math.min(range.endMs, openMs - 1) });
  for (let count = 1; openMs <= lastMs; count += 1) {
    const closeMs = closeOf(interval, openMs);
    const bar = mergeBars(minutes.slice((openMs - firstMs) / MINUTE_MS, (closeMs - firstMs) / MINUTE_MS));
    if (bar) candles.push(printBar(bar, coin, { interval, openMs, closeMs }));
    if (count % CANDLES_PER_TURN === 0) await yieldToEventLoop();
    openMs = closeMs;
  }
  return candles.slice(-CANDLES_MAX);
}

async function printOutlines(
  bars: MinuteBars,
  coin: Coin,
  { interval, startMs, endMs, nowMs }: CandleRange,
): Promise<WireCandle[]> {
  const lengthMs = INTERVALS.get(interval) ?? 0;
  if (lengthMs < HOUR_MS) return [];
  const keptMs = openOf(interval, nowMs) - (CANDLES_MAX - 1) * lengthMs;
  const sinceMs = Math.max(startMs, keptMs, LISTED_MS);
  const candles: WireCandle[] = [];
  for (let openMs = openOf(interval, sinceMs + lengthMs - 1); openMs <= endMs; openMs += lengthMs) {
    const closeMs = openMs + lengthMs;
    const bar = bars.outline(coin, openMs, closeMs);
    if (bar) candles.push(printBar(bar, coin, { interval, openMs, closeMs }));
    if (candles.length % CANDLES_PER_TURN === 0) await yieldToEventLoop();
  }
  return candles;
}

/** The candle that is being made. */
export async function printOpenCandle(
  bars: MinuteBars,
  coin: Coin,
  { interval, nowMs }: { readonly interval: string; readonly nowMs: number },
): Promise<WireCandle | undefined> {
  const openMs = openOf(interval, nowMs);
  const minutes = await readMinutes(
    bars,
    coin,
    Math.max(openMs, rememberedSince(bars, coin, nowMs)),
    nowMs + 1,
  );
  const bar = mergeBars(minutes);
  return bar && printBar(bar, coin, { interval, openMs, closeMs: closeOf(interval, openMs) });
}

/** The start of the oldest minute that is still there. */
function rememberedSince(bars: MinuteBars, coin: Coin, nowMs: number): number {
  return (Math.floor(nowMs / MINUTE_MS) - bars.rememberedMinutes(coin) + 1) * MINUTE_MS;
}

/** The minutes from a full one on, the one in progress as far as it goes. */
async function readMinutes(
  bars: MinuteBars,
  coin: Coin,
  fromMs: number,
  untilMs: number,
): Promise<(Bar | undefined)[]> {
  const minuteMs = Math.floor(untilMs / MINUTE_MS) * MINUTE_MS;
  const whole = await bars.read(coin, fromMs, minuteMs);
  return untilMs > minuteMs && minuteMs >= fromMs
    ? [...whole, await bars.readPart(coin, minuteMs, untilMs)]
    : whole;
}

function printBar(
  bar: Bar,
  coin: Coin,
  times: { interval: string; openMs: number; closeMs: number },
): WireCandle {
  return {
    t: times.openMs,
    T: times.closeMs - 1,
    s: coin.name,
    i: times.interval,
    o: decimal(bar.open, 6),
    c: decimal(bar.close, 6),
    h: decimal(bar.high, 6),
    l: decimal(bar.low, 6),
    v: decimal(bar.size, coin.sizeDecimals),
    n: bar.trades,
  };
}

function openOf(interval: string, atMs: number): number {
  const lengthMs = INTERVALS.get(interval) ?? 0;
  if (lengthMs > 0) return Math.floor(atMs / lengthMs) * lengthMs;
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function closeOf(interval: string, openMs: number): number {
  const lengthMs = INTERVALS.get(interval) ?? 0;
  if (lengthMs > 0) return openMs + lengthMs;
  const date = new Date(openMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
