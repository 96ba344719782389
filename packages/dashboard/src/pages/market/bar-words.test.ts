import { expect, it } from 'vitest';
import type { Bar } from '../../live/topic.ts';
import { barFigures, spokenBar } from './bar-words.ts';

const bar: Bar = {
  index: 0,
  openTs: 0,
  closeTs: 60_000,
  open: 2_000,
  high: 2_010.5,
  low: 1_990,
  close: 1_995,
  volume: 1_234,
  buyVolume: 500,
  trades: 42,
  delta: -234,
  direction: -1,
  complete: false,
};

it('prints every figure of a bar with its unit', () => {
  expect(barFigures(bar, { coin: 'ETH' })).toEqual({
    open: '$2,000.00',
    high: '$2,010.50',
    low: '$1,990.00',
    close: '$1,995.00',
    change: '−0.25%',
    volume: '1.23K ETH',
    delta: '−234.00 ETH',
    trades: '42',
  });
});

it('reads a bar out in one sentence, with the gap in its tape', () => {
  expect(spokenBar(bar, { coin: 'ETH' }, '01 Jan, 00:00')).toBe(
    '01 Jan, 00:00: open $2,000.00, high $2,010.50, low $1,990.00, close $1,995.00, −0.25%, volume 1.23K ETH, delta −234.00 ETH, 42 trades, the tape has a gap here',
  );
});
