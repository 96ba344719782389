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

  it('answer a list without a symbol, and the thing itself with one', async () => {
    const { data } = await ask('ticker?symbol=ETH_USDT');
    expect(data['fairPrice']).toBeCloseTo(rig.market.quote('ETH', T0).mark, 1);
    expect(data['indexPrice']).toBeCloseTo(rig.market.quote('ETH', T0).index, 1);
    expect(data['fundingRate']).toBeCloseTo(rig.market.funding('ETH', T0).rate, 8);
  });

  it('complain with HTTP 200', async () => {
    expect(await ask('funding_rate/FOO_USDT')).toMatchObject({ status: 200, code: 1001 });
    expect(await ask('ticker?symbol=FOO_USDT')).toMatchObject({ status: 200, code: 1001 });
    expect((await ask('nothing')).status).toBe(404);
  });
});
