import type { ParamsOf, PayloadOf, SocketItem } from '@crosstape/client';
import { columnsOf, Footprint } from '@crosstape/client/bars';
import { recordedTrades, type RecordedTradesOptions } from './recorded-trades.ts';

type FootprintBar = PayloadOf<'footprint'>;

const unitsMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The footprint of each bar as its trades are played, as the channel sends it live: it begins with a whole bar. */
export async function* recordedFootprints({
  interval,
  ...options
}: Omit<RecordedTradesOptions, 'since'> & {
  readonly interval: ParamsOf<'footprint'>['interval'];
}): AsyncGenerator<readonly SocketItem<'footprint'>[], void, undefined> {
  const lengthMs = Number.parseInt(interval, 10) * unitsMs[interval.at(-1) as keyof typeof unitsMs];
  const startOf = (ts: number): number => Math.floor(ts / lengthMs) * lengthMs;
  const footprint = new Footprint();
  let openTs = startOf(options.clock.now());
  const itemOf = (closed: boolean): SocketItem<'footprint'> => {
    const closeTs = openTs + lengthMs - 1;
    const payload: FootprintBar = { interval, openTs, closeTs, ...levelsOf(footprint), closed };
    return { type: 'data', ts: closeTs, payload };
  };
  for await (const items of recordedTrades({ ...options, since: { ts: openTs, count: 0 } })) {
    const bars: SocketItem<'footprint'>[] = [];
    const trades = items.flatMap((item) => (item.type === 'data' ? [item.payload] : []));
    for (let from = 0, to = 0; from < trades.length; from = to) {
      const barTs = startOf(trades[from]!.ts);
      while (to < trades.length && startOf(trades[to]!.ts) === barTs) to += 1;
      if (barTs > openTs) {
        if (footprint.totals().levels.length > 0) bars.push(itemOf(true));
        footprint.clear();
        openTs = barTs;
      }
      footprint.add(columnsOf(trades.slice(from, to)));
    }
    if (trades.length > 0) bars.push(itemOf(false));
    // A bar without a trade yet is sent too: the earlier ones are shown before the clock moves.
    if (items.some(({ type }) => type === 'joined')) bars.push({ type: 'joined' }, itemOf(false));
    if (bars.length > 0) yield bars;
  }
}

function levelsOf(footprint: Footprint): Pick<FootprintBar, 'levels' | 'poc' | 'delta' | 'volume'> {
  const { levels, ...totals } = footprint.totals();
  return { ...totals, levels: levels.map((level) => [...level]) };
}
