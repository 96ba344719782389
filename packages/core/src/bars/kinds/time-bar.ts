import { type BarKind, numberParam } from '../bar-kind.ts';

export const timeBar: BarKind = {
  name: 'time',
  summary: 'One bar per interval of the clock in which something traded.',
  params: [
    {
      name: 'intervalMs',
      description: 'Length of the interval in ms',
      type: 'integer',
      min: 1000,
      max: 86_400_000,
      default: 60_000,
    },
  ],
  createRule(spec) {
    const intervalMs = numberParam(spec, 'intervalMs');
    const bucketStart = (ts: number): number => Math.floor(ts / intervalMs) * intervalMs;
    return {
      rescale() {
        // Time has no decimals.
      },
      scan(bar, { ts }, from, to) {
        const firstTs = bar.trades === 0 ? ts[from]! : bar.openTs;
        const nextStart = bucketStart(firstTs) + intervalMs;
        if (ts[to - 1]! < nextStart) return to;
        bar.isClosed = true;
        // The first trade of a later bucket, by halving: times never decrease.
        let low = from;
        let high = to - 1;
        while (low < high) {
          const middle = (low + high) >>> 1;
          if (ts[middle]! < nextStart) low = middle + 1;
          else high = middle;
        }
        return low;
      },
      finish(row) {
        row.openTs = bucketStart(row.openTs);
        row.closeTs = row.openTs + intervalMs - 1;
      },
    };
  },
};
