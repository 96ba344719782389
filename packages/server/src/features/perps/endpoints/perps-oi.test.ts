import type { OpenInterest } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { perpConventionOf, perpVenueIds } from '../../markets/venue-ids.ts';
import { type Snapshot, snapshotTopic } from '../../../topics.ts';
import { publishSampleMarket, sampleInstruments } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

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
      quote: 'USD',
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
      { coin: 'BTC', symbol: 'BTCUSDT', contracts: 5, coins: 5, value: 500_000 },
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

  it('names in `meta.sources` the coins that a venue lists without reporting their open interest', async () => {
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
      { coin: 'BTC', symbol: 'BTC-USDC-SWAP', contracts: 0.1, coins: 0.1, value: 10_000 },
      { coin: 'BTC', symbol: 'BTC-USDT-SWAP', contracts: 0.2, coins: 0.2, value: 20_000 },
    ]);
    const { body } = await api.get('/perps/oi?venues=okex');
    expect(body.data).toMatchObject([
      { oiUsd: 30_000, oiContracts: 0.3, oiCoin: 0.3, symbol: 'BTC-USDT-SWAP' },
    ]);
  });

  const usdOnly = perpVenueIds.filter((venue) => perpConventionOf(venue).isOiUsdOnly);

  it.each(usdOnly)('returns USD only, of BTC and ETH by default, on %s', async (venue) => {
    const row = { symbol: 'X', contracts: 5, coins: 5, value: 500_000 };
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

  describe('of a coin with several contracts', () => {
    const usdt = { coin: 'BTC', symbol: 'BTCUSDT', contracts: 2, coins: 2, value: 200 };
    const usdc = { coin: 'BTC', symbol: 'BTCPERP', contracts: 1, coins: 1, value: 100 };
    const eth = { coin: 'ETH', symbol: 'ETHUSDT', contracts: 9, coins: 9, value: 900 };
    const publish = (parts: Partial<Snapshot<OpenInterest>>): void => {
      api.bus.publish(snapshotTopic('bitget', 'openInterest'), {
        venue: 'bitget',
        rows: [usdt, usdc, eth],
        fetchedAtMs: api.clock.now(),
        everyMs: 30_000,
        ...parts,
      });
    };
    const sources = [
      { source: 'bitget:tickers', gives: ['openInterest'] },
      {
        source: 'bitget:usdc-tickers',
        gives: ['openInterest'],
        status: 'blocked',
        error: 'The venue answered HTTP 403.',
      } as const,
    ];
    const ask = async (): Promise<{ data: unknown; meta: Record<string, unknown> }> => {
      const { data, meta } = (await api.get('/perps/oi?venues=bitget')).body;
      return { data, meta };
    };

    it('is as new as the returned rows, whatever else of the venue came since', async () => {
      const startMs = api.clock.now();
      const btc = () => api.get('/perps/oi?venues=bitget&coins=BTC');
      const points = () => api.get('/points?type=OI_AGG&exchange=bitget&coin=BTC');
      publish({});
      const first = await btc();
      const { etag } = (await points()).headers;
      api.clock.advance(15_000);
      publish({ rowsAtMs: [startMs, startMs, api.clock.now()] });
      const again = await btc();
      expect(again.body.meta.fetchedAt).toBe(startMs);
      expect(again.headers).toMatchObject({ age: '15', etag: first.headers.etag });
      expect((await points()).headers).toMatchObject({ age: '15', etag });
    });

    it('returns the sum as stale, naming the part that is old', async () => {
      const now = api.clock.now();
      api.health('bitget', ...sources);
      publish({ rowsAtMs: [now, now - 120_000, now] });
      const { data, meta } = await ask();
      expect(data).toMatchObject([
        { coin: 'BTC', oiUsd: 300, fetchedAt: now - 120_000, stale: true },
        { coin: 'ETH', oiUsd: 900, fetchedAt: now },
      ]);
      expect(meta).toMatchObject({
        fetchedAt: now,
        stale: true,
        ageMs: 120_000,
        partial: false,
        sources: [{ source: 'bitget:usdc-tickers', status: 'blocked', ageMs: 120_000, coins: ['BTC'] }],
      });
      const sum = 'transform.groupBy.type=GROUP_BY_TYPE_SUM';
      const { body } = await api.get(`/points?type=OI_AGG&exchange=bitget&coins=BTC,ETH&${sum}`);
      expect((body.data as { rows: unknown }).rows).toEqual([
        expect.objectContaining({ coin: 'BTC', staleExchanges: ['bitget'] }),
        expect.not.objectContaining({ staleExchanges: expect.anything() }),
      ]);
    });

    it('leaves it out, naming it, once that part is older than what is served', async () => {
      const now = api.clock.now();
      api.health('bitget', ...sources);
      publish({ rowsAtMs: [now, now - 600_000, now] });
      expect((await ask()).data).toHaveLength(2);
      api.clock.advance(1);
      expect(await ask()).toMatchObject({
        data: [{ coin: 'ETH' }],
        meta: { partial: true, sources: [{ source: 'bitget:usdc-tickers', coins: ['BTC'] }] },
      });
    });

    it('leaves it out, naming it, while a part was never reported', async () => {
      publish({ rows: [usdt, eth], missing: [usdc] });
      expect(await ask()).toMatchObject({
        data: [{ coin: 'ETH' }],
        meta: { partial: true, sources: [{ source: 'bitget', status: 'changed', coins: ['BTC'] }] },
      });
    });

    it('answers 503 when a source fails and nothing is left to return', async () => {
      api.health('bitget', ...sources);
      publish({ rows: [usdt], missing: [usdc, eth] });
      const { status, body } = await api.get('/perps/oi?venues=bitget');
      expect(status).toBe(503);
      expect(body.meta).toMatchObject({
        sources: [{ source: 'bitget:usdc-tickers', coins: ['BTC', 'ETH'] }],
      });
    });
  });
});
