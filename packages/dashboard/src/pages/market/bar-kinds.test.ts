import { candleIntervalsMs } from '@crosstape/client/bars';
import { expect, it } from 'vitest';
import { intervals, marketIntervals, rareIntervals, specOf, usualIntervals } from './bar-kinds.ts';
import { marketOf } from './market-choice.ts';

const spec = (market: string | null, search: string) =>
  specOf(marketOf('BTC', market), new URLSearchParams(search), undefined);

it('builds bars of seconds and of other kinds from trades, of one market and of several together', () => {
  expect(spec(null, 'interval=1s')).toEqual({
    coin: 'BTC',
    kind: 'time',
    params: { intervalMs: 1_000 },
    days: 0.1,
  });
  expect(spec('okx:BTC-USDT-SWAP', 'interval=15s&days=2')).toEqual({
    market: 'okx:BTC-USDT-SWAP',
    kind: 'time',
    params: { intervalMs: 15_000 },
    days: 2,
  });
  expect(spec('all:BTC', 'interval=1s')).toMatchObject({ market: 'all:BTC', kind: 'time', days: 0.1 });
  expect(spec('spot:BTC', 'kind=range')).toMatchObject({ market: 'spot:BTC', kind: 'range' });
  expect(spec('all:BTC', 'interval=1h')).toMatchObject({ market: 'all:BTC', interval: '1h' });
  expect(spec(null, 'interval=4h')).toMatchObject({ market: 'hyperliquid:BTC', interval: '4h' });
  expect(spec(null, 'kind=tick&interval=1s')).toMatchObject({
    kind: 'tick',
    params: { trades: 200 },
    days: 1,
  });
});

it('offers every length of a candle of the service, each once', () => {
  expect(intervals).toEqual(Object.keys(candleIntervalsMs));
  expect([...usualIntervals, ...rareIntervals].toSorted()).toEqual(marketIntervals.toSorted());
  expect(spec(null, 'interval=12h')).toMatchObject({ market: 'hyperliquid:BTC', interval: '12h' });
});
