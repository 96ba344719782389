import { describe, expect, it, vi } from 'vitest';
import { type Row, T0, VenueRig } from '../../testing/venue-rig.ts';

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

interface Push {
  readonly ts: number;
  readonly data: readonly { readonly symbol: string }[];
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

  it('quote contracts in USDT and USDC at prices in two dollars', async () => {
    const [usdt] = (await ask('ticker?productType=USDT-FUTURES&symbol=BTCUSDT')).data;
    const [usdc] = (await ask('ticker?productType=USDC-FUTURES&symbol=BTCPERP')).data;
    expect(Number(usdt?.['markPrice']) / Number(usdc?.['markPrice'])).toBeCloseTo(0.9998, 6);
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

  it('sends forced orders every 20 s, of both kinds of contract', async () => {
    const socket = await rig.open('/v3/ws/public');
    socket.send({ op: 'subscribe', args: [arg, { ...arg, instType: 'usdc-futures' }] });
    await vi.waitUntil(() => socket.frames.length === 2, PATIENCE);
    const sent = (): readonly Push[] =>
      socket.frames.slice(2).flatMap((text) => (text === 'pong' ? [] : (JSON.parse(text) as Push)));
    const isOfUsdc = ({ data }: Push): boolean => data.some(({ symbol }) => symbol.endsWith('PERP'));
    for (let minute = 1; !sent().some(isOfUsdc); minute += 1) {
      rig.clock.advance(60_000);
      socket.send('ping');
      await vi.waitUntil(() => socket.frames.filter((frame) => frame === 'pong').length === minute, PATIENCE);
    }
    expect(sent().length).toBeGreaterThan(1);
    for (const { ts } of sent()) expect((ts - T0) % 20_000).toBe(0);
  });

  it('cuts off clients that are silent for two minutes', async () => {
    const socket = await rig.open('/v3/ws/public');
    rig.clock.advance(125_000);
    await vi.waitUntil(() => socket.end !== undefined, PATIENCE);
    expect(socket.end).toBe('1000');
  });
});
