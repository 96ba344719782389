import { Footprint } from '@crosstape/core';
import type { RequestOptions, Client, FollowOptions } from '../client.ts';
import type { ParamsOf, PayloadOf } from '../socket/frame-types.ts';

type FootprintBar = PayloadOf<'footprint'>;

export interface FootprintSpec {
  readonly coin: string;
  /** A recorded market of the coin; default: the primary venue's. */
  readonly market?: string;
  readonly interval: ParamsOf<'footprint'>['interval'];
  /** Number of bars before the one in progress. */
  readonly past: number;
}

/** Trades are recorded within a second. */
const RECORDED_WITHIN_MS = 2_000;

/**
 * An endless sequence of footprints (volume at each price, bar by bar). The first item has the recorded bars and the
 * one in progress, oldest first; later items have each bar as it changes. After a reconnection missed bars are read
 * from the record. Bars without a trade are left out.
 */
export async function* liveFootprints(
  client: Client,
  spec: FootprintSpec,
  options: FollowOptions = {},
): AsyncGenerator<readonly FootprintBar[], void, undefined> {
  const { coin, interval, past, market } = spec;
  const params = market === undefined ? { interval } : { interval, market };
  let last: FootprintBar | undefined;
  let isBroken = true;
  for await (const items of client.followBatches('footprint', coin, params, options)) {
    const bars: FootprintBar[] = [];
    for (const item of items) {
      if (item.type !== 'data') {
        // It joined or lagged: bars may have closed unreported.
        isBroken = true;
        continue;
      }
      const bar = item.payload;
      // The channel begins with a complete bar: earlier ones are read from the record, without a gap in between.
      if (isBroken)
        bars.push(...(await recorded(client, spec, bar, last?.openTs ?? pastOf(bar, past), options)));
      isBroken = false;
      bars.push(bar);
      last = bar;
    }
    if (bars.length > 0) yield bars;
  }
}

/** Start of the bars before this one. */
function pastOf({ openTs, closeTs }: FootprintBar, past: number): number {
  return openTs - past * (closeTs - openTs + 1);
}

/** The bars from a time until one. */
async function recorded(
  client: Client,
  { coin, market }: FootprintSpec,
  { interval, openTs, closeTs }: FootprintBar,
  start: number,
  options: RequestOptions,
): Promise<readonly FootprintBar[]> {
  if (start >= openTs) return [];
  const lengthMs = closeTs - openTs + 1;
  const waitMs = openTs + RECORDED_WITHIN_MS - client.now();
  if (waitMs > 0) await client.wait(Math.min(waitMs, RECORDED_WITHIN_MS), options);
  const byStart = new Map<number, Footprint>();
  for await (const { ticks } of client.ticks(coin, { start, end: openTs, market }, options)) {
    for (let from = 0, to = 0; from < ticks.length; from = to) {
      const barTs = startOf(ticks.ts[from] as number, lengthMs);
      while (to < ticks.length && startOf(ticks.ts[to] as number, lengthMs) === barTs) to += 1;
      const footprint = byStart.get(barTs) ?? new Footprint();
      byStart.set(barTs, footprint);
      footprint.add(ticks, from, to);
    }
  }
  return [...byStart].map(([barTs, footprint]) => ({
    interval,
    openTs: barTs,
    closeTs: barTs + lengthMs - 1,
    ...footprint.totals(),
    closed: true,
  }));
}

function startOf(ts: number, lengthMs: number): number {
  return Math.floor(ts / lengthMs) * lengthMs;
}
