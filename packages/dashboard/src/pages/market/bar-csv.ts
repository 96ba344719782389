import type { Bar } from '../../live/topic.ts';

const fields = [
  'openTs',
  'closeTs',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'buyVolume',
  'trades',
  'delta',
  'direction',
  'complete',
] as const;

/** Bars as a table that any program reads. */
export function barsToCsv(bars: readonly Bar[]): string {
  const rows = bars.map((bar) => fields.map((name) => (Number.isNaN(bar[name]) ? '' : bar[name])).join(','));
  return [fields.join(','), ...rows, ''].join('\n');
}
