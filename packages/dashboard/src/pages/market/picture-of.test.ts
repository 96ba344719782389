import { expect, it } from 'vitest';
import { captionOf } from './picture-of.ts';

const shown = {
  market: 'hyperliquid:BTC',
  bars: '5m',
  sign: '$',
  close: 61_234.5,
  nowMs: Date.UTC(2026, 10, 18, 20, 34),
  mode: 'live',
  values: [],
} as const;

it('names the market, its bars, price and time, and what is not live', () => {
  const [first] = captionOf(shown);
  expect(first?.text).toBe('hyperliquid:BTC · 5m bars · $61,234.5 · 2026-11-18 20:34 UTC · Crosstape');
  const [simulated] = captionOf({
    ...shown,
    market: 'all:ETH',
    bars: 'range',
    close: undefined,
    mode: 'sim',
  });
  expect(simulated?.text).toBe(
    'All markets of ETH · range bars · 2026-11-18 20:34 UTC · simulated market · Crosstape',
  );
});

it('names the indicators in their colours', () => {
  const values = [{ name: 'EMA 20', text: '61,200.0', color: '--series-1' }];
  expect(captionOf({ ...shown, values })[1]).toEqual({ text: 'EMA 20 61,200.0', color: '--series-1' });
});
