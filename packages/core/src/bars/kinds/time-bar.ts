import { type BarKind, numberParam } from '../bar-kind.ts';

const STRIDE = 16;

export const timeBar: BarKind = {
  name: 'time',
  summary: 'One bar per clock interval that has a trade.',
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
        // Times never decrease: in strides first, then one by one.
        let i = from;
        while (i + STRIDE < to && ts[i + STRIDE]! < nextStart) i += STRIDE;
        while (ts[i]! < nextStart) i += 1;
        return i;
      },
      finish(row) {
        row.openTs = bucketStart(row.openTs);
        row.closeTs = row.openTs + intervalMs - 1;
      },
    };
  },
};
