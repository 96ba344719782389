import { describe, expect, it, vi } from 'vitest';
import { type Row, T0, VenueRig } from '../../testing/venue-rig.ts';
import { listingOfDeal } from './listing.ts';

/** A busy machine may take its time. */
const PATIENCE = { timeout: 10_000 };
const rig = new VenueRig('bitget');

interface Answer {
  readonly code: string;
  readonly msg: string;
  readonly data: readonly Row[];
}

async function ask(call: string): Promise<Answer & { readonly status: number }> {
  const { status, body } = await rig.ask<Answer>(`/api/v2/mix/market/${call}`);
  return { status, ...body };
}

describe('the calls', () => {
  it('list what is traded, what is no crypto, and what is gone', async () => {
    const { code, data } = await ask('contracts?productType=USDT-FUTURES');
    const bySymbol = new Map(data.map((row) => [row['symbol'], row]));
    expect(code).toBe('00000');
    expect(bySymbol.get('BTCUSDT')).toMatchObject({ baseCoin: 'BTC', isRwa: 'NO', symbolStatus: 'normal' });
    expect(bySymbol.get('TSLAUSDT')).toMatchObject({ isRwa: 'YES', symbolStatus: 'normal' });
    expect(bySymbol.get('MATICUSDT')).toMatchObject({ symbolStatus: 'off' });
    expect((await ask('contracts?productType=COIN-FUTURES')).data).toEqual([]);
    expect((await ask('contracts?productType=USDC-FUTURES')).data).toMatchObject([
      { symbol: 'BTCPERP', baseCoin: 'BTC', quoteCoin: 'USDC' },
      { symbol: 'ETHPERP', baseCoin: 'ETH', quoteCoin: 'USDC' },
    ]);
  });

  it('hold the positions in a coin in two contracts, at prices in two dollars', async () => {
    const [usdt] = (await ask('ticker?productType=USDT-FUTURES&symbol=BTCUSDT')).data;
    const [usdc] = (await ask('ticker?productType=USDC-FUTURES&symbol=BTCPERP')).data;
    const both = Number(usdt?.['holdingAmount']) + Number(usdc?.['holdingAmount']);
    expect(both / rig.market.openInterest('BTC', T0)).toBeCloseTo(1, 4);
    expect(Number(usdt?.['markPrice']) / Number(usdc?.['markPrice'])).toBeCloseTo(0.9998, 6);
  });

  it('count one coin by thousands and another one by one', async () => {
    const { data } = await ask('tickers?productType=usdt-futures');
    const amounts = new Map(data.map((row) => [row['symbol'], Number(row['holdingAmount'])]));
    expect(amounts.get('1000BONKUSDT')).toBeCloseTo(rig.market.openInterest('kBONK', T0), -1);
    expect(amounts.get('PEPEUSDT')).toBeCloseTo(1000 * rig.market.openInterest('kPEPE', T0), -1);
  });

  it('complain in the words of the venue', async () => {
    expect(await ask('tickers')).toMatchObject({ status: 400, code: '40019' });
    expect(await ask('tickers?productType=umcbl')).toMatchObject({ status: 400, code: '40020' });
    expect(await ask('ticker?productType=USDT-FUTURES&symbol=FOOUSDT')).toMatchObject({
      status: 400,
      code: '40034',
      msg: 'Parameter FOOUSDT does not exist',
      data: null,
    });
  });

  it('are limited to twenty a second, each by itself', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 21; i += 1)
      statuses.push((await ask('symbol-price?productType=USDT-FUTURES&symbol=BTCUSDT')).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    expect(rig.violations).toEqual({ 'symbol-price': 1 });
    expect((await ask('funding-time?productType=USDT-FUTURES&symbol=BTCUSDT')).status).toBe(200);
  });
});

describe('the socket', () => {
  const arg = { instType: 'usdt-futures', topic: 'liquidation' };

  it('answers pings, acknowledges a topic and refuses another', async () => {
    const socket = await rig.open('/v3/ws/public');
    socket.send('ping');
    socket.send({ op: 'subscribe', args: [arg, { ...arg, topic: 'gossip' }] });
    socket.send('nonsense');
    await vi.waitUntil(() => socket.frames.length === 4, PATIENCE);
    expect(socket.frames[0]).toBe('pong');
    expect(socket.frames.slice(1).map((frame) => JSON.parse(frame) as unknown)).toMatchObject([
      { event: 'subscribe', arg },
      { event: 'error', code: 30001 },
      { event: 'error', code: 30003 },
    ]);
  });

  it('sends every forced order by the side of the position and its value in USDT or USDC, every 20 s', async () => {
    const socket = await rig.open('/v3/ws/public');
    socket.send({ op: 'subscribe', args: [arg, { ...arg, instType: 'usdc-futures' }] });
    await vi.waitUntil(() => socket.frames.length === 2, PATIENCE);
    const expected = new Map<string, number>();
    for (let minute = 1; minute <= 30; minute += 1) {
      rig.clock.advance(60_000);
      socket.send('ping');
      await vi.waitUntil(() => socket.frames.filter((frame) => frame === 'pong').length === minute, PATIENCE);
    }
    for (const coin of rig.market.coins) {
      for (const deal of rig.market.liquidations(coin, T0, rig.clock.now())) {
        const { side, price, size } = deal;
        const { symbol, quote } = listingOfDeal(coin, deal);
        const key = `${symbol} ${side === 'sell' ? 'buy' : 'sell'}`;
        expected.set(key, (expected.get(key) ?? 0) + (price * size) / (quote === 'USDC' ? 0.9998 : 1));
      }
    }
    const reported = (): Map<string, number> => {
      const sums = new Map<string, number>();
      for (const frame of socket.frames.slice(2).filter((text) => text !== 'pong')) {
        const { data, ts }: { data: readonly Readonly<Record<string, string>>[]; ts: number } =
          JSON.parse(frame);
        expect((ts - T0) % 20_000).toBe(0);
        for (const { symbol, side, amount } of data)
          sums.set(`${symbol} ${side}`, (sums.get(`${symbol} ${side}`) ?? 0) + Number(amount));
      }
      return sums;
    };
    expect(expected.size).toBeGreaterThan(5);
    expect([...expected.keys()].some((key) => key.includes('PERP'))).toBe(true);
    expect(reported().size).toBe(expected.size);
    for (const [key, amount] of expected) expect(reported().get(key)).toBeCloseTo(amount, 2);
  });

  it('cuts off who is silent for two minutes', async () => {
    const socket = await rig.open('/v3/ws/public');
    rig.clock.advance(125_000);
    await vi.waitUntil(() => socket.end !== undefined, PATIENCE);
    expect(socket.end).toBe('1000');
  });
});
