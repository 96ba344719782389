import { Footprint } from '@crosstape/core';
import type { AskOptions, Client } from '../client.ts';
import type { ParamsOf, PayloadOf } from '../socket/frame-types.ts';

type FootprintBar = PayloadOf<'footprint'>;

export interface FootprintSpec {
  readonly coin: string;
  readonly interval: ParamsOf<'footprint'>['interval'];
  /** How many bars before the one in progress. */
  readonly past: number;
}

/** A trade is on record within a second. */
const RECORDED_WITHIN_MS = 2_000;

/**
 * What was traded at each price, bar by bar and without end: in the first item those of the record and the one in
 * progress, oldest first; from then on each bar as it changes. Bars without a trade are left out.
 */
export async function* liveFootprints(
  client: Client,
  { coin, interval, past }: FootprintSpec,
  options: AskOptions = {},
): AsyncGenerator<readonly FootprintBar[], void, undefined> {
  let isFirst = true;
  for await (const items of client.followBatches('footprint', coin, { interval }, options)) {
    const bars = items.flatMap((item) => (item.type === 'data' ? [item.payload] : []));
    const [first] = bars;
    if (!first) continue;
    // The channel begins with a whole bar: what lies before it is read from the record, and nothing is in between.
    if (isFirst) yield [...(await recorded(client, coin, first, past, options)), ...bars];
    else yield bars;
    isFirst = false;
  }
}

async function recorded(
  client: Client,
  coin: string,
  { interval, openTs, closeTs }: FootprintBar,
  past: number,
  options: AskOptions,
): Promise<readonly FootprintBar[]> {
  const lengthMs = closeTs - openTs + 1;
  const waitMs = openTs + RECORDED_WITHIN_MS - client.now();
  if (waitMs > 0) await client.wait(Math.min(waitMs, RECORDED_WITHIN_MS), options);
  const byStart = new Map<number, Footprint>();
  for await (const { ticks } of client.ticks(
    coin,
    { start: openTs - past * lengthMs, end: openTs },
    options,
  )) {
    for (let from = 0, to = 0; from < ticks.length; from = to) {
      const start = startOf(ticks.ts[from] as number, lengthMs);
      while (to < ticks.length && startOf(ticks.ts[to] as number, lengthMs) === start) to += 1;
      const footprint = byStart.get(start) ?? new Footprint();
      byStart.set(start, footprint);
      footprint.add(ticks, from, to);
    }
  }
  return [...byStart].map(([start, footprint]) => ({
    interval,
    openTs: start,
    closeTs: start + lengthMs - 1,
    ...footprint.totals(),
    closed: true,
  }));
}

function startOf(ts: number, lengthMs: number): number {
  return Math.floor(ts / lengthMs) * lengthMs;
}
