import { type BarKind, numberParam } from '../bar-kind.ts';

export const tickBar: BarKind = {
  name: 'tick',
  summary: 'Closes on its Nth trade.',
  params: [
    {
      name: 'trades',
      description: 'Number of trades in a bar',
      type: 'integer',
      min: 1,
      max: 1_000_000,
      default: 500,
    },
  ],
  createRule(spec) {
    const trades = numberParam(spec, 'trades');
    return {
      rescale() {
        // Counts have no decimals.
      },
      scan(bar, _ticks, from, to) {
        const end = from + trades - bar.trades;
        if (end > to) return to;
        bar.isClosed = true;
        return end;
      },
    };
  },
};
