import { type Bar, barAt, markComplete, resumeBuilder, type TapeGap } from '@crosstape/core';
import type { AskOptions, Client } from '../client.ts';
import { type BuildSpec, buildBars } from './build-bars.ts';
import { columnsOf } from './trade-columns.ts';

/** Where nothing was recorded there is no cursor: trades of the last minute are asked for. */
const NOTHING_RECORDED_MS = 60_000;

export interface LiveBars {
  /** Bars that closed since the last item; in the first one all that the service built. */
  readonly closed: readonly Bar[];
  /** The bar in progress. */
  readonly open: Bar | null;
}

/**
 * Bars without end: those that the service builds from its record, then those of the trades that follow, by the very
 * same rules and without a trade lost or doubled in between, across broken connections too.
 */
export async function* liveBars(
  client: Client,
  spec: BuildSpec,
  options: AskOptions = {},
): AsyncGenerator<LiveBars, void, undefined> {
  const pack = await buildBars(client, spec, options);
  const builder = resumeBuilder(pack.state);
  yield { closed: Array.from({ length: pack.bars.length }, (_, i) => barAt(pack.bars, i)), open: pack.open };

  const gaps: TapeGap[] = pack.stats.gaps.map(lastIncluded);
  const since = builder.cursor ?? { ts: client.now() - NOTHING_RECORDED_MS, count: 0 };
  let told = 0;
  for await (const items of client.followBatches('trades', pack.coin, { since }, options)) {
    for (const item of items) if (item.type === 'caughtUp') gaps.push(...item.gaps.map(lastIncluded));
    const trades = items.flatMap((item) => (item.type === 'data' ? [item.payload] : []));
    if (trades.length === 0) continue;
    builder.add(columnsOf(trades));
    const open = markComplete(builder.bars, builder.open, gaps);
    const closed = Array.from({ length: builder.bars.length - told }, (_, i) =>
      barAt(builder.bars, told + i),
    );
    told = builder.bars.length;
    yield { closed, open };
  }
}

function lastIncluded({ from, to }: { readonly from: number; readonly to: number }): TapeGap {
  return { from, to: to - 1 };
}
