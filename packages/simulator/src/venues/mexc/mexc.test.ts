import { describe, expect, it } from 'vitest';
import { type Row, T0, VenueRig } from '../../testing/venue-rig.ts';

const rig = new VenueRig('mexc');

interface Answer<Data> {
  readonly code: number;
  readonly data: Data;
}

async function ask<Data = Row>(call: string): Promise<Answer<Data> & { readonly status: number }> {
  const { status, body } = await rig.ask<Answer<Data>>(`/api/v1/contract/${call}`);
  return { ...body, status };
}

describe('the calls', () => {
  it('list what trades, what is hidden, inverse, gone, or no crypto', async () => {
    const { data } = await ask<Row[]>('detail');
    const bySymbol = new Map(data.map((row) => [row['symbol'], row]));
    expect(bySymbol.get('BTC_USDT')).toMatchObject({ contractSize: 0.0001, state: 0, isHidden: false });
    expect(bySymbol.get('1000BONK_USDT')).toMatchObject({ baseCoin: '1000BONK', contractSize: 100 });
    expect(bySymbol.get('BTC_USD')).toMatchObject({ settleCoin: 'BTC', contractSize: 100 });
    expect(bySymbol.get('BTCTEST_USDT')).toMatchObject({ isHidden: true });
    expect(bySymbol.get('MATIC_USDT')).toMatchObject({ state: 3 });
    expect(bySymbol.get('FILECOIN_USDT')).toMatchObject({ baseCoin: 'FILECOIN', baseCoinName: 'FIL' });
    expect(bySymbol.get('TSLA_USDT')).toMatchObject({
      conceptPlate: ['mc-trade-zone-tradfi', 'mc-trade-zone-Stock'],
    });
  });

  it('count open interest in contracts, of a thousand coins where one is listed so', async () => {
    const { data } = await ask<Row[]>('ticker');
    const held = (symbol: string): number =>
      Number(data.find((row) => row['symbol'] === symbol)?.['holdVol']);
    expect((held('BTC_USDT') * 0.0001) / rig.market.openInterest('BTC', T0)).toBeCloseTo(1, 4);
    expect((held('1000BONK_USDT') * 100) / rig.market.openInterest('kBONK', T0)).toBeCloseTo(1, 4);
    expect((held('PEPE_USDT') * 1e6) / (1000 * rig.market.openInterest('kPEPE', T0))).toBeCloseTo(1, 4);
  });

  it('answer a list without a symbol, and the thing itself with one', async () => {
    const { data } = await ask('ticker?symbol=ETH_USDT');
    expect(data['fairPrice']).toBeCloseTo(rig.market.quote('ETH', T0).mark, 1);
    expect(data['indexPrice']).toBeCloseTo(rig.market.quote('ETH', T0).index, 1);
    expect(data['fundingRate']).toBeCloseTo(rig.market.funding('ETH', T0).rate, 8);
  });

  it('return the period and the next payment of all contracts at once', async () => {
    const { data } = await ask<Row[]>('funding_rate');
    expect(data.length).toBe((await ask<Row[]>('ticker')).data.length);
    const { periodHours, nextFundingMs } = rig.market.funding('ETH', T0);
    expect(data.find((row) => row['symbol'] === 'ETH_USDT')).toMatchObject({
      collectCycle: periodHours,
      nextSettleTime: nextFundingMs,
    });
  });

  it('return the same by symbol, and follow a change', async () => {
    const last = rig.market.coins.at(-1)?.name ?? '';
    const seen: unknown[] = [];
    for (const hours of [0, 4]) {
      rig.clock.advance(hours * 3_600_000);
      const { data } = await ask(`funding_rate/${last}_USDT`);
      const { periodHours, nextFundingMs } = rig.market.funding(last, rig.clock.now());
      expect(data).toMatchObject({ collectCycle: periodHours, nextSettleTime: nextFundingMs });
      seen.push(data['collectCycle']);
    }
    expect(seen).toEqual([8, 4]);
  });

  it('complain with HTTP 200', async () => {
    expect(await ask('funding_rate/FOO_USDT')).toMatchObject({ status: 200, code: 1001 });
    expect(await ask('ticker?symbol=FOO_USDT')).toMatchObject({ status: 200, code: 1001 });
    expect((await ask('nothing')).status).toBe(404);
  });

  it('are limited each by itself, the long list most', async () => {
    expect(await ask('detail')).toMatchObject({ code: 0 });
    expect(await ask('detail')).toMatchObject({ status: 200, code: 510 });
    const codes: number[] = [];
    for (let i = 0; i < 21; i += 1) codes.push((await ask('funding_rate/BTC_USDT')).code);
    expect(codes).toEqual([...Array<number>(20).fill(0), 510]);
    expect(await ask('ticker')).toMatchObject({ code: 0 });
    rig.clock.advance(5000);
    expect(await ask('detail')).toMatchObject({ code: 0 });
  });
});
