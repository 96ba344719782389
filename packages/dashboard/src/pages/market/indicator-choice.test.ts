import { expect, it } from 'vitest';
import {
  firstChoice,
  inOrder,
  parseChoice,
  parseChoices,
  printChoice,
  withAnother,
} from './indicator-choice.ts';

it('restores settings from their text, and prints only what is not the default', () => {
  const texts = [
    'cvd',
    'ema',
    'ema_9_hlc3_c4',
    'bollinger_20_2.5',
    'bollinger_50_ohlc4',
    'rsi_7',
    'macd',
    'macd_8_21_5_hlc3_c2',
    'macd_12_26_5',
    'stoch_14_1',
    'supertrend_10_2',
    'vwap_week_c2',
    'avwap_c1',
    'compare_ETH',
    'compare_binance:ETHUSDT_c6',
    'spread',
    'spread_coinbase-spot:BTC-USD',
    'bookdepth_0.25',
    'bookimbalance',
  ];
  for (const text of texts) expect(printChoice(parseChoice(text)!)).toBe(text);
  expect(parseChoice('bollinger_20_2.5')).toEqual({
    kind: 'bollinger',
    length: 20,
    deviations: 2.5,
    source: 'close',
    color: 8,
  });
  expect(printChoice(parseChoice('ema_20_close_c1')!)).toBe('ema');
});

it('knows the names of earlier addresses', () => {
  expect(parseChoices('ema20,ema50,ema200,oi')).toEqual(['ema', 'ema_50_c4', 'ema_200_c6', 'oi']);
});

it.each([
  'nope',
  'ema_0',
  'ema_1.5',
  'bookdepth_0.3',
  'bookdepth_3',
  'oi_0.5',
  'ema_501',
  'ema_9_9',
  'rsi_14_2',
  'macd_26_12',
  'macd_12_26_9_3',
  'stoch_14_0',
  'supertrend_10_9',
  'supertrend_c3',
  'cvd_9',
  'vwap_9',
  'vwap_year',
  'ema_week',
  'ema_c10',
  'bollinger_20_9',
  'bollinger_20_2_2',
  'compare',
  'compare_',
  'compare_:ETH',
  'ema_ETH',
])('takes nothing malformed: %s', (text) => {
  expect(parseChoice(text)).toBeUndefined();
  expect(parseChoices(`rsi,${text}`)).toEqual(['rsi']);
});

it('adds another of a kind beside the first, each once, in the order of the menu', () => {
  const one = withAnother(['rsi'], 'ema');
  expect(one).toEqual(['ema', 'rsi']);
  expect(withAnother(one, 'ema')).toEqual(['ema', 'ema_50_c2', 'rsi']);
  expect(inOrder(['rsi', 'ema', 'rsi', 'vwap'])).toEqual(['vwap', 'ema', 'rsi']);
});

it('compares a chart with another large coin than its own at first', () => {
  const texts = ['BTC', 'SOL', undefined].map((coin) => firstChoice('compare', coin));
  expect(texts).toEqual(['compare_ETH', 'compare_BTC', 'compare_BTC']);
  expect(firstChoice('rsi', 'BTC')).toBe('rsi');
});
