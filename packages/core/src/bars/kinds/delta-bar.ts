import { type BarKind, numberParam } from '../bar-kind.ts';
import { createSumScan, unitParam } from '../sum-scan.ts';

export const deltaBar: BarKind = {
  name: 'delta',
  summary: 'Closes when bought minus sold volume, either way, reaches the threshold.',
  params: [
    { name: 'delta', description: 'Imbalance that closes a bar', type: 'number', above: 0 },
    unitParam,
  ],
  createRule(spec) {
    return createSumScan({
      threshold: numberParam(spec, 'delta'),
      isUsd: spec.params['unit'] === 'usd',
      isSigned: true,
    });
  },
};
