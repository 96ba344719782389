import { expect, it } from 'vitest';
import { isChartSettings, settingsFor, settingsIn } from './chart-settings.ts';

const of = (coin: string, query: string) => settingsIn(coin, new URLSearchParams(query));

it('keeps interval, kind, indicators and scale for another coin, not what belongs to the page or the coin', () => {
  const settings = of(
    'BTC',
    'interval=4h&ind=rsi,vwap&scale=log&market=okx:BTC-USDT-SWAP&min=10000&replay=now',
  );
  expect(settings.coin).toBe('BTC');
  expect(settingsFor('ETH', settings)).toEqual({ interval: '4h', ind: 'rsi,vwap', scale: 'log' });
  expect(settingsFor('ETH', of('BTC', 'min=10000'))).toEqual({});
});

it('keeps sizes in dollars and ticks for the same coin alone, and numbers of trades for all', () => {
  const ofBtc = of('BTC', 'kind=volume&volume=5000000&days=3');
  expect(settingsFor('BTC', ofBtc)).toEqual({ kind: 'volume', volume: '5000000', days: '3' });
  expect(settingsFor('DOGE', ofBtc)).toEqual({ kind: 'volume', days: '3' });
  expect(settingsFor('DOGE', of('BTC', 'kind=pnf&boxTicks=50&reversal=4'))).toEqual({
    kind: 'pnf',
    reversal: '4',
  });
  expect(settingsFor('DOGE', of('BTC', 'kind=tick&trades=500'))).toEqual({ kind: 'tick', trades: '500' });
});

it('reads only what a browser may have stored', () => {
  expect(isChartSettings({ coin: 'BTC', query: '' })).toBe(true);
  for (const value of [null, 'interval=1h', { coin: 'BTC' }, { coin: 1, query: '' }])
    expect(isChartSettings(value)).toBe(false);
});
