import { type Bar, barAt, type BarBuilder, resumeBuilder } from '@crosstape/core';
import type { Client, FollowOptions } from '../client.ts';
import type { SocketItem } from '../socket/frame-types.ts';
import { type BuildSpec, buildBars } from './build-bars.ts';
import { type KnownGap, newestOpen, BARS_MAX, AmendedBars } from './amended-bars.ts';
import { type MergedItem, mergedTrades } from './merged-trades.ts';
import { columnsOf } from './trade-columns.ts';

/** If nothing was recorded there is no cursor: request the trades of the last minute. */
const NOTHING_RECORDED_MS = 60_000;
/** Bars that a builder holds before a new builder continues from its state. */
const HELD_MAX = 4_096;

export interface LiveBars {
  /** Bars that closed since the last item; the first item has all bars of the build. */
  readonly closed: readonly Bar[];
  /** The bar in progress. */
  readonly open: Bar | null;
  /** Bars returned earlier that a newly found gap affects: each again, with a different `complete`. */
  readonly amended: readonly Bar[];
}

/**
 * An endless sequence of bars: first those that the service builds from its record, then those of live trades, by the
 * same rules and without losing or repeating a trade, even across reconnections. For several markets together
 * (`perp:BTC`), trades that arrive late count when they arrive.
 */
export async function* liveBars(
  client: Client,
  spec: BuildSpec,
  options: FollowOptions = {},
): AsyncGenerator<LiveBars, void, undefined> {
  const pack = await buildBars(client, spec, options);
  let builder = resumeBuilder(pack.state);
  const built = Array.from({ length: pack.bars.length }, (_, i) => barAt(pack.bars, i));
  const { gaps, merged, lastTs } = pack.stats;
  const tracker = new AmendedBars(newestOpen(gaps));
  // Includes the bar before the first, whose close is the start of its time.
  tracker.close(built.slice(-BARS_MAX - 1));
  yield { closed: built, open: pack.open, amended: [] };

  const since = builder.cursor ?? { ts: client.now() - NOTHING_RECORDED_MS, count: 0 };
  const { market } = spec;
  const from = market === undefined ? { since } : { since, market };
  const batches = merged
    ? mergedTrades(client, { ...merged, lastTs }, options)
    : client.followBatches('trades', pack.coin, from, options);
  for await (const items of batches) {
    const amended = tracker.learn(items.flatMap(gapsIn));
    const trades = items.flatMap((item) => (item.type === 'data' ? [item.payload] : []));
    if (trades.length === 0 && amended.length === 0) continue;
    const before = builder.bars.length;
    if (trades.length > 0) builder.add(columnsOf(trades));
    const closed = tracker.close(barsFrom(builder, before));
    yield { closed, open: tracker.marked(builder.open), amended };
    if (builder.bars.length > HELD_MAX) builder = resumeBuilder(builder.state());
  }
}

function barsFrom({ bars }: BarBuilder, from: number): readonly Bar[] {
  return Array.from({ length: bars.length - from }, (_, i) => barAt(bars, from + i));
}

/** The gaps of the tape that an item reports. */
export function gapsIn(item: SocketItem<'trades'> | MergedItem): readonly KnownGap[] {
  if (item.type === 'caughtUp') return newestOpen(item.gaps);
  return item.type === 'gap' ? [item] : [];
}
