import {
  type Bar,
  type CandleInterval,
  candleIntervalsMs,
  HOUR_MS,
  intervalStart,
  MINUTE_MS,
} from '@crosstape/core';
import type { Schemas } from '../api-types.ts';
import type { RequestOptions, Client, FollowOptions } from '../client.ts';
import type { Trade } from '../socket/frame-types.ts';
import { AmendedBars, type KnownGap } from './amended-bars.ts';
import { gapsIn, type LiveBars } from './live-bars.ts';

type CandleRow = Schemas['Candle'];

export interface CandleSpec {
  /** Id of a recorded market: `hyperliquid:BTC`. */
  readonly market: string;
  readonly interval: CandleInterval;
  /** Maximum number of closed candles to begin with. */
  readonly limit: number;
}

const MINUTES_PER_HOUR = 60;

/**
 * An endless sequence of candles: first those of the ledger, then those of live trades. The candle in progress is
 * composed of its finished hours and minutes and the trades of the current minute, so no trade is lost or counted
 * twice.
 */
export async function* liveCandles(
  client: Client,
  spec: CandleSpec,
  options: FollowOptions = {},
): AsyncGenerator<LiveBars, void, undefined> {
  const { market, interval } = spec;
  const intervalMs = candleIntervalsMs[interval];
  const begin = await readCandles(client, spec, options);
  const tracker = new AmendedBars(incomplete(begin.closed));
  let { open } = begin;
  let count = begin.closed.length;
  yield { closed: tracker.close(begin.closed), open: tracker.marked(open), amended: [] };

  const since = { ts: begin.sinceTs, count: 0 };
  for await (const items of client.followBatches('trades', market, { market, since }, options)) {
    const amended = tracker.learn(items.flatMap(gapsIn));
    const closed: Bar[] = [];
    for (const item of items) {
      if (item.type !== 'data') continue;
      const openTs = intervalStart(item.payload.ts, intervalMs);
      if (open && open.openTs < openTs) {
        closed.push(open);
        count += 1;
        open = null;
      }
      open = withTrade(open, item.payload, { index: count, openTs, closeTs: openTs + intervalMs - 1 });
    }
    const hasTrades = items.some(({ type }) => type === 'data');
    if (!hasTrades && amended.length === 0) continue;
    yield { closed: tracker.close(closed), open: tracker.marked(open), amended };
  }
}

/**
 * A candle as a bar. Figures that the venue does not report are NaN; `fromVenue` marks candles from before the tape.
 */
export function candleBar(row: CandleRow, intervalMs: number, index = 0): Bar {
  const { ts, open, high, low, close, volume, complete, origin } = row;
  const { buyVolume = NaN, notionalUsd = NaN, trades = NaN } = row;
  return {
    index,
    openTs: ts,
    closeTs: ts + intervalMs - 1,
    open,
    high,
    low,
    close,
    volume,
    buyVolume,
    notionalUsd,
    trades,
    delta: sum(2 * buyVolume, -volume),
    minDelta: NaN,
    maxDelta: NaN,
    direction: Math.sign(close - open),
    complete: complete !== false,
    fromVenue: origin === 'venue',
  };
}

interface Beginning {
  readonly closed: readonly Bar[];
  /** The candle in progress, excluding trades from `sinceTs` on. */
  readonly open: Bar | null;
  readonly sinceTs: number;
}

async function readCandles(
  client: Client,
  { market, interval, limit }: CandleSpec,
  options: RequestOptions,
): Promise<Beginning> {
  const intervalMs = candleIntervalsMs[interval];
  const newest = { market, interval: '1m', limit: MINUTES_PER_HOUR + 1 } as const;
  const { data: minutes } = await client.get('/candles', newest, options);
  // Tape time never goes back, so every minute before the newest one is final.
  const sinceTs = minutes.at(-1)?.ts ?? Math.floor(client.now() / MINUTE_MS) * MINUTE_MS;
  const openTs = intervalStart(sinceTs, intervalMs);
  const hourTs = Math.max(openTs, intervalStart(sinceTs, HOUR_MS));
  // Their end is named: an answer of a moment before, which a cache may have, could have a last candle without its end.
  const [{ data: rows }, { data: hours }] = await Promise.all([
    client.get('/candles', { market, interval, end: openTs, limit }, options),
    hourTs > openTs
      ? client.get('/candles', { market, interval: '1h', start: openTs, end: hourTs }, options)
      : { data: [] },
  ]);
  const parts = [...hours, ...minutes.filter(({ ts }) => ts >= hourTs && ts < sinceTs)];
  const closed = rows.filter(({ ts }) => ts < openTs).map((row, index) => candleBar(row, intervalMs, index));
  const [first, ...others] = parts.map((row) => candleBar(row, intervalMs, closed.length));
  const place = { openTs, closeTs: openTs + intervalMs - 1 };
  const open = first ? others.reduce(joined, { ...first, ...place }) : null;
  return { closed, open, sinceTs };
}

/** A candle, and a later part of the same interval. */
function joined(bar: Bar, later: Bar): Bar {
  return {
    ...bar,
    high: Math.max(bar.high, later.high),
    low: Math.min(bar.low, later.low),
    close: later.close,
    volume: sum(bar.volume, later.volume),
    buyVolume: sum(bar.buyVolume, later.buyVolume),
    notionalUsd: sum(bar.notionalUsd, later.notionalUsd),
    trades: bar.trades + later.trades,
    delta: sum(bar.delta, later.delta),
    direction: Math.sign(later.close - bar.open),
    complete: bar.complete && later.complete,
  };
}

function withTrade(
  bar: Bar | null,
  { price, size, side }: Trade,
  place: Pick<Bar, 'index' | 'openTs' | 'closeTs'>,
): Bar {
  const bought = side === 'buy' ? size : 0;
  const own: Bar = {
    ...place,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: size,
    buyVolume: bought,
    notionalUsd: price * size,
    trades: 1,
    delta: side === 'buy' ? size : -size,
    minDelta: NaN,
    maxDelta: NaN,
    direction: 0,
    complete: true,
    fromVenue: false,
  };
  return bar ? joined(bar, own) : own;
}

/** Incomplete candles as gaps of exactly their span. */
function incomplete(bars: readonly Bar[]): readonly KnownGap[] {
  return bars
    .filter(({ complete }) => !complete)
    .map(({ openTs, closeTs }) => ({ from: openTs, to: closeTs }));
}

/** Sum of decimals with at most 15 digits, without floating-point noise. */
function sum(a: number, b: number): number {
  return Number((a + b).toPrecision(15));
}
