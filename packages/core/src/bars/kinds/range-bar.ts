import { type BarKind, numberParam } from '../bar-kind.ts';
import { exactDecimal, floorAt, reachable, timesExact } from '../exact-decimal.ts';

export const rangeBar: BarKind = {
  name: 'range',
  summary: 'A trade that would stretch high − low beyond rangeTicks × tick opens the next bar.',
  params: [
    {
      name: 'rangeTicks',
      description: 'Greatest high − low of a bar, in ticks',
      type: 'integer',
      min: 1,
      max: 1_000_000,
    },
  ],
  createRule(spec) {
    const range = timesExact(exactDecimal(spec.tick), numberParam(spec, 'rangeTicks'));
    let spanMax = 0;
    return {
      rescale({ priceDecimals }) {
        // Spans are integers: above the range means above the integer at or below it.
        spanMax = reachable(floorAt(range, priceDecimals));
      },
      scan(bar, { price }, from, to) {
        const span = spanMax;
        // The prices beyond which a trade exceeds the range; they close in with every new extreme.
        let ceiling = bar.low + span;
        let floor = bar.high - span;
        for (let i = from; i < to; i += 1) {
          const p = price[i]!;
          if (p > ceiling || p < floor) {
            bar.isClosed = true;
            return i;
          }
          ceiling = Math.min(ceiling, p + span);
          floor = Math.max(floor, p - span);
        }
        return to;
      },
    };
  },
};
