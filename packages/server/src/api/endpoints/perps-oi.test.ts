import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishSampleMarket, sampleInstruments } from '../testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.close());

interface Row {
  readonly coin: string;
  readonly venue: string;
}

const coinsOf = (data: unknown): string[] => (data as Row[]).map((row) => row.coin);

describe('/perps/oi', () => {
  it('gives every coin of the primary venue by default', async () => {
    publishSampleMarket(api);
    const { status, body } = await api.get('/perps/oi');
    expect(status).toBe(200);
    expect(coinsOf(body.data)).toEqual(['BTC', 'ETH', 'kPEPE']);
    expect((body.data as Row[])[0]).toEqual({
      coin: 'BTC',
      venue: 'hyperliquid',
      oiUsd: 10_050_000,
      oiContracts: 100.5,
      fetchedAt: START_MS,
      oiCoin: 100.5,
      symbol: 'BTC',
    });
    expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'hyperliquid' });
  });

  it('finds coins in any case, and by their bare name, in the order asked', async () => {
    publishSampleMarket(api);
    const { body } = await api.get('/perps/oi?coins=pepe,btc,BTC,kpepe');
    expect(coinsOf(body.data)).toEqual(['kPEPE', 'BTC']);
  });

  it('leaves unknown coins out and names them as written', async () => {
    publishSampleMarket(api);
    const { status, body } = await api.get('/perps/oi?coins=BTC,nope');
    expect(status).toBe(200);
    expect(coinsOf(body.data)).toEqual(['BTC']);
    expect(body.meta.unknown).toEqual(['nope']);
  });

  it('answers 404 when every coin is unknown', async () => {
    publishSampleMarket(api);
    const { status, body } = await api.get('/perps/oi?coins=nope,nada');
    expect(status).toBe(404);
    expect(body.meta).toMatchObject({ code: 'not_found', unknown: ['nope', 'nada'] });
  });

  it('names the known coins that a venue does not list', async () => {
    publishSampleMarket(api);
    api.table('bybit', 'openInterest', [
      { coin: 'BTC', symbol: 'BTCUSDT', contracts: 5, coins: 5, usd: 500_000 },
    ]);
    const { body } = await api.get('/perps/oi?coins=BTC,ETH&venues=venue_a,BYBIT');
    expect((body.data as Row[]).map((row) => `${row.venue} ${row.coin}`)).toEqual([
      'hyperliquid BTC',
      'hyperliquid ETH',
      'bybit BTC',
    ]);
    expect(body.meta).toMatchObject({
      source: 'hyperliquid+bybit',
      notListed: [{ venue: 'bybit', coins: ['ETH'] }],
    });
  });

  it('names in `meta.sources` the coins that a venue lists without telling their open interest', async () => {
    publishSampleMarket(api);
    api.table('hyperliquid', 'instruments', [
      ...sampleInstruments,
      { symbol: 'NEW', coin: 'NEW', sizeDecimals: 2 },
    ]);
    for (const path of ['/perps/oi', '/perps/oi?coins=BTC,NEW']) {
      const { body } = await api.get(path);
      expect(coinsOf(body.data)).not.toContain('NEW');
      expect(body.meta.partial).toBe(true);
      expect(body.meta.sources).toMatchObject([{ source: 'hyperliquid', status: 'changed', coins: ['NEW'] }]);
    }
  });

  it('sums the contracts of a coin and names the largest', async () => {
    api.table('okx', 'openInterest', [
      { coin: 'BTC', symbol: 'BTC-USDC-SWAP', contracts: 0.1, coins: 0.1, usd: 10_000 },
      { coin: 'BTC', symbol: 'BTC-USDT-SWAP', contracts: 0.2, coins: 0.2, usd: 20_000 },
    ]);
    const { body } = await api.get('/perps/oi?venues=okex');
    expect(body.data).toMatchObject([
      { oiUsd: 30_000, oiContracts: 0.3, oiCoin: 0.3, symbol: 'BTC-USDT-SWAP' },
    ]);
  });

  it.each(['bitget', 'gate', 'mexc'])('tells USD only, of BTC and ETH by default, on %s', async (venue) => {
    const row = { symbol: 'X', contracts: 5, coins: 5, usd: 500_000 };
    api.table(
      venue,
      'openInterest',
      ['BTC', 'ETH', 'SOL'].map((coin) => ({ ...row, coin })),
    );
    const { body } = await api.get(`/perps/oi?venues=${venue}`);
    expect(coinsOf(body.data)).toEqual(['BTC', 'ETH']);
    for (const one of body.data as object[]) {
      expect(one).toMatchObject({ oiContracts: 0, oiUsd: 500_000 });
      expect(one).not.toHaveProperty('oiCoin');
    }
    expect(coinsOf((await api.get(`/perps/oi?venues=${venue}&coins=SOL`)).body.data)).toEqual(['SOL']);
  });

  it('answers for the venues that can be asked and labels the one that is known by name only', async () => {
    publishSampleMarket(api);
    const { status, body } = await api.get('/perps/oi?venues=hl,kraken');
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({
      source: 'hyperliquid',
      partial: true,
      sources: [{ source: 'kraken', status: 'down', ageMs: null, error: expect.stringContaining('kraken') }],
    });
  });

  it('answers 503 at once when only venues without a connector are asked', async () => {
    publishSampleMarket(api);
    const { status, headers, body } = await api.get('/perps/oi?venues=kraken,dydx');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('5');
    expect(body.meta).toMatchObject({ code: 'upstream_unavailable', source: 'kraken+dydx' });
  });
});
