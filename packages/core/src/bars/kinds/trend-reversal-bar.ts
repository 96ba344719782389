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
        let { high, low } = bar;
        for (let i = from; i < to; i += 1) {
          const close = price[i]!;
          if (close > high) high = close;
          if (close < low) low = close;
          let next = 0;
          if (direction >= 0 && close - open >= trendSpan) next = 1;
          else if (direction <= 0 && open - close >= trendSpan) next = -1;
          else if (direction > 0 && high - close >= reversalSpan) next = -1;
          else if (direction < 0 && close - low >= reversalSpan) next = 1;
          if (next !== 0) {
            memory[0] = next;
            bar.isClosed = true;
            return i + 1;
          }
        }
        return to;
      },
      finish(row, memory) {
        row.direction = memory[0]!;
      },
    };
  },
};
