import { type BarKind, numberParam } from '../bar-kind.ts';
import { createSumScan, unitParam } from '../sum-scan.ts';

export const volumeBar: BarKind = {
  name: 'volume',
  summary: 'Closes when its volume reaches the threshold; a print is not split.',
  params: [{ name: 'volume', description: 'Volume that closes a bar', type: 'number', above: 0 }, unitParam],
  createRule(spec) {
    return createSumScan({
      threshold: numberParam(spec, 'volume'),
      isUsd: spec.params['unit'] === 'usd',
      isSigned: false,
    });
  },
};
