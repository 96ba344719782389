import { type BarKind, numberParam } from '../bar-kind.ts';
import { ceilAt, exactDecimal, reachable, timesExact } from '../exact-decimal.ts';

const ticksParam = { type: 'integer', min: 1, max: 1_000_000 } as const;

export const trendReversalBar: BarKind = {
  name: 'trend_reversal',
  summary: 'Closes trendTicks further in the direction of the trend, or revTicks back from its extreme.',
  params: [
    { name: 'trendTicks', description: 'Way with the trend that closes a bar, in ticks', ...ticksParam },
    { name: 'revTicks', description: 'Way back from the extreme that closes a bar, in ticks', ...ticksParam },
  ],
  // The direction of the trend.
  memory: [{ min: -1, max: 1 }],
  createRule(spec) {
    const tick = exactDecimal(spec.tick);
    const trend = timesExact(tick, numberParam(spec, 'trendTicks'));
    const reversal = timesExact(tick, numberParam(spec, 'revTicks'));
    let trendSpan = 0;
    let reversalSpan = 0;
    return {
      rescale({ priceDecimals }) {
        trendSpan = reachable(ceilAt(trend, priceDecimals));
        reversalSpan = reachable(ceilAt(reversal, priceDecimals));
      },
      scan(bar, { price }, from, to, memory) {
        const open = bar.trades === 0 ? price[from]! : bar.open;
        const direction = memory[0]!;
        // The prices that close the bar: fixed in the direction of the trend, following its extreme against it.
        const backFromHigh = direction > 0 ? reversalSpan : Infinity;
        const backFromLow = direction < 0 ? reversalSpan : Infinity;
        let up = direction < 0 ? bar.low + reversalSpan : open + trendSpan;
        let down = direction > 0 ? bar.high - reversalSpan : open - trendSpan;
        for (let i = from; i < to; i += 1) {
          const close = price[i]!;
          if (close >= up || close <= down) {
            memory[0] = close >= up ? 1 : -1;
            bar.isClosed = true;
            return i + 1;
          }
          up = Math.min(up, close + backFromLow);
          down = Math.max(down, close - backFromHigh);
        }
        return to;
      },
      finish(row, memory) {
        row.direction = memory[0]!;
      },
    };
  },
};
