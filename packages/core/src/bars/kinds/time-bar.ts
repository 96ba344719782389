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
        for (let i = from; i < to; i += 1) {
          if (ts[i]! >= nextStart) {
            bar.isClosed = true;
            return i;
          }
        }
        return to;
      },
      finish(row) {
        row.openTs = bucketStart(row.openTs);
        row.closeTs = row.openTs + intervalMs - 1;
      },
    };
  },
};
