import { catalog } from '@crosstape/venues';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Demand, demandTopic } from '../../../topics.ts';
import { catalogVenueIds } from '../venue-ids.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { FIRST_EXPIRY_MS, publishSampleOptions } from '../../../api/testing/sample-options.ts';
import { publishSamplePrediction, sampleQuestion } from '../../../api/testing/sample-prediction.ts';
import { START_MS, startTestApi, type TestApi, testVenues } from '../../../api/testing/test-api.ts';

type Row = Readonly<Record<string, unknown>>;
interface Reply {
  readonly venues: readonly Row[];
  readonly exchange?: string;
  readonly markets?: readonly Row[];
  readonly page?: number;
  readonly pageSize?: number;
  readonly total?: number;
}

let api: TestApi;
let demands: Demand[];
beforeEach(async () => {
  api = await startTestApi();
  demands = [];
  api.bus.subscribe(demandTopic, (demand) => demands.push(demand));
});
afterEach(() => api.close());

async function get(search: string): Promise<{ status: number; data: Reply; meta: Row; error: string }> {
  const { status, body } = await api.get(`/markets${search}`);
  return { status, data: body.data as Reply, meta: body.meta, error: body.error ?? '' };
}

const spot = (symbol: string, coin: string) => ({ symbol, coin, quote: 'USDT', last: 1, volume24hCoins: 1 });

describe('the catalogue', () => {
  it('is no CSV: that is made of the markets of a venue', async () => {
    const { status, body } = await api.get('/markets?format=csv');
    expect([status, body.meta.code]).toEqual([400, 'bad_request']);
    expect(body.error).toContain('the list `markets`');
  });

  it('has every venue with what it supplies, and nothing else', async () => {
    const { data, meta } = await get('');
    expect(Object.keys(data)).toEqual(['venues']);
    expect(data.venues.map(({ id }) => id)).toEqual(testVenues.map(({ id }) => id));
    expect(data.venues.find(({ id }) => id === 'okx')).toEqual({
      id: 'okx',
      name: 'OKX',
      kind: 'cex',
      status: 'live',
      capabilities: {
        oi: true,
        funding: true,
        spot: true,
        liquidations: true,
        options: false,
        predictions: false,
      },
      dataSource: 'api.okx.example+api.okx.example',
    });
    expect(data.venues.find(({ id }) => id === 'cme')).toMatchObject({ kind: 'tradfi', status: 'planned' });
    expect(meta).toEqual({ fetchedAt: START_MS, source: 'crosstape' });
  });

  it('is the one of the venues that are connected', () => {
    expect(catalog.map(({ id }) => id)).toEqual(catalogVenueIds);
  });
});

describe('the markets of a venue', () => {
  it('are perpetuals and spot pairs, in a fixed order, with the catalogue beside them', async () => {
    api.table('binance', 'instruments', [
      { symbol: 'ETHUSDT', coin: 'ETH' },
      { symbol: '1000PEPEUSDT', coin: 'kPEPE' },
    ]);
    api.table('binance-spot', 'spotTickers', [spot('BTCUSDT', 'BTC'), spot('BTCUSDC', 'BTC')]);
    const { data, meta } = await get('?exchange=venue_D');
    expect(data).toMatchObject({ exchange: 'binance', page: 0, pageSize: 50, total: 4 });
    expect(data.venues).toHaveLength(testVenues.length);
    expect(data.markets).toEqual([
      {
        exchange: 'binance',
        symbol: '1000PEPEUSDT',
        coin: 'kPEPE',
        kind: 'perp',
        label: '1000PEPEUSDT perpetual',
      },
      { exchange: 'binance', symbol: 'ETHUSDT', coin: 'ETH', kind: 'perp', label: 'ETHUSDT perpetual' },
      { exchange: 'binance', symbol: 'BTCUSDC', coin: 'BTC', kind: 'spot', label: 'BTCUSDC spot' },
      { exchange: 'binance', symbol: 'BTCUSDT', coin: 'BTC', kind: 'spot', label: 'BTCUSDT spot' },
    ]);
    expect(meta).toEqual({ fetchedAt: START_MS, source: 'binance+binance-spot' });
  });

  it('do not wait for a list that has not come while another is there', async () => {
    api.table('binance', 'instruments', [{ symbol: 'ETHUSDT', coin: 'ETH' }]);
    api.health('binance-spot', { source: 'binance-spot:tickers', gives: ['spotTickers'], status: 'down' });
    // The clock does not advance: a request that waits never answers.
    const { status, data, meta } = await get('?exchange=binance');
    expect([status, data.total]).toEqual([200, 1]);
    expect(meta).toMatchObject({ partial: true, sources: [{ source: 'binance-spot:tickers' }] });
    expect(demands).toContainEqual({ venue: 'binance-spot', table: 'spotTickers' });
  });

  it.each(['hyperliquid', 'HL', 'venue_a', 'Hyperliquid'])('are found by %s', async (name) => {
    publishSampleMarket(api);
    expect((await get(`?exchange=${name}`)).data).toMatchObject({ exchange: 'hyperliquid', total: 3 });
  });

  it('are options', async () => {
    publishSampleOptions(api);
    const { data } = await get('?exchange=deribit&pageSize=1');
    expect(data).toMatchObject({ total: 84, pageSize: 1 });
    expect(data.markets?.[0]).toMatchObject({
      coin: 'BTC',
      kind: 'option',
      label: 'BTC 06OCT26 100000 call',
    });
    expect(demands).toContainEqual({ venue: 'deribit', table: 'usdcOptions' });
  });

  it('are without an option from the moment it expires, though nothing was fetched since', async () => {
    api.clock.advance(FIRST_EXPIRY_MS - 1_000 - START_MS);
    publishSampleOptions(api);
    expect((await get('?exchange=deribit')).data.total).toBe(84);
    api.clock.advance(1_000);
    expect((await get('?exchange=deribit')).data.total).toBe(42);
  });

  it('are the outcomes of questions, on a coin or on none', async () => {
    publishSamplePrediction(api);
    api.table(
      'polymarket',
      'predictions',
      [sampleQuestion('001'), sampleQuestion('002', { coin: '' })],
      60_000,
    );
    const { data } = await get('?exchange=poly');
    expect(data.markets).toEqual([
      { exchange: 'polymarket', symbol: '1001', coin: 'BTC', kind: 'prediction', label: 'Above 001? Yes' },
      { exchange: 'polymarket', symbol: '1002', coin: null, kind: 'prediction', label: 'Above 002? Yes' },
      { exchange: 'polymarket', symbol: '2001', coin: 'BTC', kind: 'prediction', label: 'Above 001? No' },
      { exchange: 'polymarket', symbol: '2002', coin: null, kind: 'prediction', label: 'Above 002? No' },
    ]);
  });

  it.each([
    { exchange: 'polymarket', minutes: 5, publish: publishSamplePrediction },
    { exchange: 'polymarket', minutes: 11, publish: publishSamplePrediction },
    { exchange: 'deribit', minutes: 5, publish: publishSampleOptions },
    { exchange: 'deribit', minutes: 11, publish: publishSampleOptions },
  ])(
    'are waited for when $exchange was not polled for $minutes minutes',
    async ({ exchange, minutes, publish }) => {
      publish(api);
      api.clock.advance(minutes * 60_000);
      const asking = get(`?exchange=${exchange}`);
      await expect.poll(() => demands.length).toBeGreaterThan(0);
      publish(api);
      const { status, meta } = await asking;
      expect(status).toBe(200);
      expect(meta).toEqual({ fetchedAt: api.clock.now(), source: exchange });
    },
  );

  it('are served as they were, without waiting, while their source fails', async () => {
    publishSamplePrediction(api);
    api.clock.advance(5 * 60_000);
    const source = 'polymarket:events';
    api.health('polymarket', { source, gives: ['predictions'], status: 'down', error: 'No answer.' });
    expect((await get('?exchange=polymarket')).meta).toMatchObject({ stale: true, sources: [{ source }] });
  });

  it('are none of a venue that is planned', async () => {
    const { status, data, meta } = await get('?exchange=CME');
    expect(status).toBe(200);
    expect(data).toMatchObject({ exchange: 'cme', markets: [], page: 0, pageSize: 50, total: 0 });
    expect(meta.source).toBe('crosstape');
  });

  it.each(['page=1', 'pageSize=10'])('are those of a venue: %s alone is a 400', async (search) => {
    const { status, body } = await api.get(`/markets?${search}`);
    expect(status).toBe(400);
    expect(body.error).toContain('`exchange`');
  });

  it('are each on exactly one page, whatever its size', async () => {
    const listed = Array.from({ length: 137 }, (_, i) => ({ symbol: `S${(i * 7) % 137}`, coin: 'BTC' }));
    api.table('dydx', 'instruments', listed);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (pageSize) => {
        const seen: unknown[] = [];
        for (let page = 0; ; page += 1) {
          const { data } = await get(`?exchange=dydx&page=${page}&pageSize=${pageSize}`);
          expect(data).toMatchObject({ page, pageSize, total: 137 });
          if (data.markets?.length === 0) break;
          seen.push(...(data.markets ?? []).map(({ symbol }) => symbol));
        }
        expect(seen).toHaveLength(137);
        expect(new Set(seen)).toEqual(new Set(listed.map(({ symbol }) => symbol)));
      }),
      { numRuns: 10, examples: [[1], [137], [136]] },
    );
  });

  it('are those of the other lists when one fails, and the failure is named', async () => {
    api.table('kraken', 'instruments', [{ symbol: 'PF_XBTUSD', coin: 'BTC' }]);
    api.health('kraken-spot', { source: 'kraken-spot:tickers', gives: ['spotTickers'], status: 'blocked' });
    const { data, meta } = await get('?exchange=kraken');
    expect(data.total).toBe(1);
    expect(meta).toMatchObject({
      source: 'kraken',
      partial: true,
      sources: [{ source: 'kraken-spot:tickers', status: 'blocked' }],
    });
    api.clock.advance(1_000);
    api.table('kraken-spot', 'spotTickers', [spot('XBTUSD', 'BTC')]);
    expect((await get('?exchange=kraken')).data.total).toBe(2);
  });

  it('are a 503 when no list can be had', async () => {
    api.health('kraken', { source: 'kraken:instruments', gives: ['instruments'], status: 'blocked' });
    const { status, meta } = await get('?exchange=kraken');
    expect([status, meta.code]).toEqual([503, 'upstream_unavailable']);
  });

  it('of an unknown venue are a 400 that lists the known ones', async () => {
    const { status, error } = await get('?exchange=upbit');
    expect(status).toBe(400);
    expect(error).toBe(`Parameter \`exchange\` must be one of ${catalogVenueIds.join(', ')}, not \`upbit\`.`);
  });
});
