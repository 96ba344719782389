import type { SpotTicker } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Demand, demandTopic, usdRatesTopic } from '../../../topics.ts';
import { publishSamplePrices } from '../../../api/testing/sample-flows.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';
import { spotVenueNames } from '../spot-venues.ts';

const VENUES = spotVenueNames.map(({ venue }) => venue);
let api: TestApi;
let demands: Demand[];
beforeEach(async () => {
  api = await startTestApi();
  demands = [];
  api.bus.subscribe(demandTopic, (demand) => demands.push(demand));
});
afterEach(() => api.close());

interface Row {
  readonly coin: string;
  readonly venue: string;
  readonly stale?: boolean;
}

const namesOf = (data: unknown): string[] => (data as Row[]).map(({ coin, venue }) => `${coin} ${venue}`);

function pair(coin: string, quote: string, last: number, more: Partial<SpotTicker> = {}): SpotTicker {
  const row = { coin, symbol: `${coin}-${quote}`, quote, last, bid: last * 0.99, ask: last * 1.01 };
  return { ...row, volume24hCoins: 7, change24hPct: 2.5, ...more };
}

describe('/markets/spot', () => {
  it('returns BTC, ETH and SOL of all venues, coin by coin', async () => {
    publishSamplePrices(api);
    const { status, body, headers } = await api.get('/markets/spot');
    expect(status).toBe(200);
    expect(namesOf(body.data)).toEqual(
      ['BTC', 'ETH', 'SOL'].flatMap((coin) => VENUES.map((venue) => `${coin} ${venue}`)),
    );
    expect(body.meta).toEqual({ fetchedAt: START_MS, source: VENUES.join('+') });
    expect(headers['cache-control']).toBe('public, max-age=10');
  });

  it('converts what is quoted in USDT, and says what was quoted', async () => {
    api.table('kraken-spot', 'spotTickers', [pair('USDT', 'USD', 0.99, { bid: 0.99, ask: 0.99 })]);
    api.table('binance-spot', 'spotTickers', [pair('BTC', 'USDT', 100_000)]);
    const { body } = await api.get('/markets/spot?coins=btc');
    expect(body.data).toEqual([
      {
        coin: 'BTC',
        venue: 'binance',
        price: 99_000,
        bid: 98_010,
        ask: 99_990,
        volume24h: 7,
        change24hPct: 2.5,
        fetchedAt: START_MS,
        quote: 'USDT',
        rawPrice: 100_000,
      },
    ]);
    expect(body.meta).toMatchObject({
      partial: true,
      notListed: [{ venue: 'kraken', coins: ['BTC'] }],
      sources: [{ source: 'coinbase' }, { source: 'okx-spot' }, { source: 'bybit-spot' }],
    });
  });

  it('names venues that do not list a coin, and unknown coins', async () => {
    publishSamplePrices(api);
    const { status, body } = await api.get('/markets/spot?coins=XRP,nope');
    expect(status).toBe(200);
    expect(namesOf(body.data)).toEqual(
      VENUES.filter((venue) => venue !== 'okx').map((venue) => `XRP ${venue}`),
    );
    expect(body.meta).toMatchObject({ unknown: ['nope'], notListed: [{ venue: 'okx', coins: ['XRP'] }] });
    expect(body.meta).not.toHaveProperty('partial');
    const none = await api.get('/markets/spot?coins=nope');
    expect([none.status, none.body.meta['code'], none.body.meta['unknown']]).toEqual([
      404,
      'not_found',
      ['nope'],
    ]);
  });

  it('knows a coin of the primary venue that no spot venue lists', async () => {
    publishSampleMarket(api);
    publishSamplePrices(api);
    const { status, body } = await api.get('/markets/spot?coins=pepe');
    expect([status, body.data]).toEqual([200, []]);
    expect(body.meta['notListed']).toEqual(VENUES.map((venue) => ({ venue, coins: ['kPEPE'] })));
  });

  it('names the venue that is down, and serves its last good prices as stale for a while', async () => {
    publishSamplePrices(api);
    api.clock.advance(40_000);
    publishSamplePrices(api, { silent: ['okx-spot'] });
    api.health('okx-spot', {
      source: 'okx-spot:tickers',
      gives: ['spotTickers'],
      status: 'down',
      error: 'No answer.',
    });
    const soon = await api.get('/markets/spot?coins=BTC');
    expect(soon.body.meta).toMatchObject({
      partial: false,
      sources: [{ source: 'okx-spot:tickers', status: 'down', ageMs: 40_000, error: 'No answer.' }],
    });
    expect(soon.body.meta).not.toHaveProperty('stale');
    expect((soon.body.data as Row[]).filter(({ stale }) => stale)).toEqual([]);
    api.clock.advance(21_000);
    publishSamplePrices(api, { silent: ['okx-spot'] });
    const later = await api.get('/markets/spot?coins=BTC');
    expect((later.body.data as Row[]).filter(({ stale }) => stale).map(({ venue }) => venue)).toEqual([
      'okx',
    ]);
    api.clock.advance(600_000);
    publishSamplePrices(api, { silent: ['okx-spot'] });
    const gone = await api.get('/markets/spot?coins=BTC');
    expect(namesOf(gone.body.data)).not.toContain('BTC okx');
    expect(gone.body.meta).toMatchObject({ partial: true, sources: [{ source: 'okx-spot:tickers' }] });
  });

  it('calls a price stale that comes, but is of an earlier time', async () => {
    publishSamplePrices(api, { frozen: { 'bybit-spot': START_MS - 61_000 } });
    const { body } = await api.get('/markets/spot?coins=BTC');
    expect((body.data as Row[]).filter(({ stale }) => stale).map(({ venue }) => venue)).toEqual(['bybit']);
    // One stale row does not make the answer stale.
    expect(body.meta).not.toHaveProperty('stale');
  });

  it('becomes stale without any news', async () => {
    publishSamplePrices(api);
    await api.get('/markets/spot?coins=BTC');
    api.clock.advance(60_001);
    const { body } = await api.get('/markets/spot?coins=BTC');
    expect((body.data as Row[]).filter(({ stale }) => stale)).toHaveLength(5);
  });

  it('becomes stale by the time of the venue while its table is fresh', async () => {
    publishSamplePrices(api, { frozen: { 'bybit-spot': START_MS - 55_000 } });
    const before = await api.get('/markets/spot?coins=BTC');
    expect((before.body.data as Row[]).filter(({ stale }) => stale)).toEqual([]);
    api.clock.advance(6_000);
    const { body } = await api.get('/markets/spot?coins=BTC');
    expect((body.data as Row[]).filter(({ stale }) => stale).map(({ venue }) => venue)).toEqual(['bybit']);
  });

  it('answers 503 while no venue has answered', async () => {
    const asked = api.get('/markets/spot');
    const { status, headers, body } = await asked;
    expect([status, headers['retry-after'], body.meta['code']]).toEqual([503, '5', 'upstream_unavailable']);
  });

  it('asks a venue with one request per pair for the requested pairs, and waits for them', async () => {
    publishSamplePrices(api);
    const instruments = [
      { coin: 'DOGE', symbol: 'DOGE-USDT', quote: 'USDT' },
      { coin: 'DOGE', symbol: 'DOGE-USD', quote: 'USD' },
    ];
    api.table('coinbase', 'instruments', instruments);
    const leave = api.bus.subscribe(demandTopic, ({ table, keys = [] }) => {
      if (table !== 'dayOpens' || keys.length === 0) return;
      api.table('coinbase', 'spotTickers', [pair('DOGE', 'USD', 0.2, { change24hPct: undefined } as never)]);
      api.table('coinbase', 'dayOpens', [{ coin: 'DOGE', symbol: 'DOGE-USD', open: 0.16 }]);
    });
    const { body } = await api.get('/markets/spot?coins=doge');
    leave();
    expect(body.data).toMatchObject([{ coin: 'DOGE', venue: 'coinbase', price: 0.2, change24hPct: 25 }]);
    expect(demands.filter(({ keys }) => keys)).toEqual([
      { venue: 'coinbase', table: 'spotTickers', keys: ['DOGE-USD'] },
      { venue: 'coinbase', table: 'dayOpens', keys: ['DOGE-USD'] },
    ]);
  });

  it('does not wait for pairs that a venue lists but does not serve one by one', async () => {
    publishSamplePrices(api);
    for (const { source, byPair } of spotVenueNames)
      if (byPair.length === 0)
        api.table(source, 'instruments', [{ coin: 'BTC', symbol: 'BTC-USDT', quote: 'USDT' }]);
    const { body } = await api.get('/markets/spot?coins=BTC');
    expect(namesOf(body.data)).toEqual(VENUES.map((venue) => `BTC ${venue}`));
    expect(demands.filter(({ keys }) => keys)).toEqual([]);
  });

  it('does not wait for a source that has said why it does not answer', async () => {
    publishSamplePrices(api);
    api.table('kraken-spot', 'instruments', [{ coin: 'BTC', symbol: 'BTC-USD', quote: 'USD' }]);
    api.health('kraken-spot', { source: 'kraken-spot:ohlc', gives: ['dayOpens'], status: 'limited' });
    const { body } = await api.get('/markets/spot?coins=BTC');
    expect(namesOf(body.data)).toContain('BTC kraken');
  });

  it('leaves out a row without a daily change, and names it', async () => {
    publishSamplePrices(api);
    const { change24hPct: _, ...unreported } = pair('BTC', 'USD', 100_000);
    api.table('kraken-spot', 'spotTickers', [unreported, pair('USDT', 'USD', 1)]);
    const { body } = await api.get('/markets/spot?coins=BTC');
    expect(namesOf(body.data)).not.toContain('BTC kraken');
    expect(body.meta).toMatchObject({ partial: true, sources: [{ source: 'kraken-spot', coins: ['BTC'] }] });
  });

  it('names a failing source of the rate that rows were converted with, though its venue was not requested', async () => {
    publishSamplePrices(api);
    const error = 'The newest USDT/USD rate of kraken-spot is old.';
    const kraken = { source: 'kraken-spot:tickers', status: 'stale', ageMs: 61_000, error } as const;
    api.bus.publish(usdRatesTopic, { atMs: START_MS, rates: {}, failing: { USDT: [kraken] } });
    const asked = async (venue: string): Promise<unknown> =>
      (await api.get(`/points?type=SPOT&exchange=${venue}&coin=BTC`)).body.meta['sources'];
    expect(await asked('binance')).toEqual([kraken]);
    // It quotes in dollars.
    expect(await asked('coinbase')).toBeUndefined();
  });

  it('returns no price where the value of USDT is unknown', async () => {
    api.table('okx-spot', 'spotTickers', [pair('BTC', 'USDT', 100_000)]);
    const { status, body } = await api.get('/markets/spot?coins=BTC');
    expect([status, body.data]).toEqual([200, []]);
    expect((body.meta['sources'] as { error: string }[]).at(-1)?.error).toMatch(/worth in USD is not known/);
  });
});
