import { MINUTE_MS } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FlowsRig, startFlowsRig } from '../../../api/testing/flows-rig.ts';
import { publishSamplePrices, WON } from '../../../api/testing/sample-flows.ts';
import { START_MS } from '../../../api/testing/test-api.ts';

let rig: FlowsRig;
let { api, engine, pass, begin, ask } = {} as FlowsRig;
beforeEach(async () => {
  rig = await startFlowsRig();
  ({ api, engine, pass, begin, ask } = rig);
});
afterEach(() => rig.stop());

/** An answer that waits for data that never arrive. */
async function requestMissing(path: string): ReturnType<typeof ask> {
  const answer = ask(path);
  for (let i = 0; i < 200; i += 1) {
    api.clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return answer;
}

describe('/flows/venue-spreads', () => {
  it('compares each venue with the median of all, with the quoted prices', async () => {
    begin({ bps: { coinbase: 12, binance: -6 } });
    const { status, headers, body } = await api.get('/flows/venue-spreads?coins=btc');
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=10');
    const [snap] = body.data as [{ rows: unknown[] }];
    expect(snap).toMatchObject({
      coin: 'BTC',
      globalMedianUsd: 100_000,
      strongestPremiumVenue: 'coinbase',
      strongestDiscountVenue: 'binance',
      dispersionBps: 18,
      freshVenues: 5,
      usdtUsd: 1,
      usdtUsdAgeMs: 0,
      fetchedAt: START_MS,
    });
    expect(snap.rows[1]).toEqual({
      venue: 'binance',
      priceUsd: 99_940,
      basisBps: -6,
      bid: 99_930.006,
      ask: 99_949.994,
      volume24h: 1_000,
      change24hPct: 1.5,
      stale: false,
      fetchedAt: START_MS,
      quote: 'USDT',
      rawPrice: 99_940,
      asOf: START_MS,
      skewMs: 0,
    });
    expect(body.meta).toEqual({
      fetchedAt: START_MS,
      source: 'coinbase+binance+kraken+okx+bybit',
      partial: false,
      sources: [],
    });
  });

  it('marks a venue whose price was not received within two seconds of the others, and leaves it out', async () => {
    const others = ['coinbase', 'binance-spot', 'kraken-spot', 'bybit-spot', 'upbit'];
    publishSamplePrices(api, { bps: { okx: 50 }, silent: others });
    api.table('kraken-spot', 'spotTickers', [
      { coin: 'USDT', symbol: 'USDT-USD', quote: 'USD', last: 1, volume24hCoins: 1 },
    ]);
    api.clock.advance(15_000);
    publishSamplePrices(api, { silent: ['okx-spot'] });
    api.clock.advance(1_000);
    const { body } = await ask('venue-spreads?coins=BTC&explain=1');
    const [btc] = body.data as {
      rows: { venue: string; skewed?: boolean; skewMs: number; stale: boolean }[];
    }[];
    expect(btc).toMatchObject({ globalMedianUsd: 100_000, freshVenues: 4, dispersionBps: 0, skewMs: 0 });
    const skewed = btc?.rows.filter((row) => row.skewed);
    expect(skewed).toMatchObject([{ venue: 'okx', skewMs: 15_000, stale: false }]);
    expect(body.meta).toMatchObject({
      explain: {
        leftOut: expect.arrayContaining([
          {
            coin: 'BTC',
            what: 'okx',
            why: 'The price of BTC on okx was not received within 2 s of the others.',
          },
        ]),
      },
    });
    expect((await ask('signals?coins=BTC')).body.data).toEqual([]);
  });

  it('returns BTC, ETH and SOL by default', async () => {
    begin();
    const { body } = await ask('venue-spreads');
    expect((body.data as { coin: string }[]).map(({ coin }) => coin)).toEqual(['BTC', 'ETH', 'SOL']);
  });

  it('leaves a venue whose prices have stopped out of the median, and names it', async () => {
    begin();
    pass(2 * MINUTE_MS, { frozen: { 'okx-spot': START_MS }, bps: { okx: 50 } });
    const { body } = await ask('venue-spreads?coins=BTC,ETH');
    const [btc] = body.data as { rows: { venue: string; stale: boolean }[]; freshVenues: number }[];
    expect(btc?.freshVenues).toBe(4);
    expect(btc?.rows.filter(({ stale }) => stale).map(({ venue }) => venue)).toEqual(['okx']);
    const okx = { source: 'okx-spot', status: 'stale', coins: ['BTC', 'ETH'] };
    expect(body.meta).toMatchObject({ partial: true, sources: [okx] });
    expect(body.meta).not.toHaveProperty('stale');
  });

  it('names a venue that is down by its health, once', async () => {
    begin();
    const health = { source: 'okx-spot:tickers', gives: ['spotTickers'], status: 'down' as const };
    api.health('okx-spot', { ...health, error: 'No answer.' });
    pass(2 * MINUTE_MS, { silent: ['okx-spot'] });
    const { body } = await ask('venue-spreads');
    expect(body.meta.sources).toEqual([
      { source: 'okx-spot:tickers', status: 'down', ageMs: 2 * MINUTE_MS + 1_000, error: 'No answer.' },
    ]);
  });

  it('computes a coin that is not followed by the same rules, and names the venues without it', async () => {
    begin({ bps: { kraken: 20 } });
    const { body } = await ask('venue-spreads?coins=xrp,NOPE');
    expect(body.data).toMatchObject([{ coin: 'XRP', globalMedianUsd: 2, freshVenues: 4, dispersionBps: 20 }]);
    expect(body.meta).toMatchObject({
      partial: false,
      unknown: ['NOPE'],
      notListed: [{ venue: 'okx', coins: ['XRP'] }],
    });
  });

  it('returns no row for a known coin that no spot venue lists, and rejects an unknown coin', async () => {
    begin();
    const { status, body } = await ask('venue-spreads?coins=kPEPE');
    expect([status, body.data]).toEqual([200, []]);
    expect(body.meta.notListed).toHaveLength(5);
    expect((await ask('venue-spreads?coins=NOPE')).status).toBe(404);
  });

  it('serves the last median for ten minutes when every venue is silent, then the reason why there is none', async () => {
    begin();
    api.clock.advance(5 * MINUTE_MS);
    const { body } = await ask('venue-spreads?coins=BTC');
    expect(body.data).toMatchObject([{ globalMedianUsd: 100_000 }]);
    const [{ rows }] = body.data as [{ rows: { stale: boolean }[] }];
    expect(rows.every(({ stale }) => stale)).toBe(true);
    expect(body.meta).toMatchObject({ stale: true, partial: true });
    // That of the prices, not of the median.
    expect(body.meta.ageMs).toBe(5 * MINUTE_MS + 1_000);
    api.clock.advance(7 * MINUTE_MS);
    const gone = await requestMissing('venue-spreads?coins=BTC');
    expect(gone.status).toBe(503);
    expect(gone.body.error).toContain('No spot venue has a fresh price of BTC.');
    expect(gone.body.meta.sources).toHaveLength(5);
  });

  it('keeps its bytes while nothing changes', async () => {
    begin();
    const { headers } = await api.get('/flows/venue-spreads');
    api.clock.advance(3_000);
    const again = await api.get('/flows/venue-spreads', {
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect(again.status).toBe(304);
  });
});

describe('/flows/kimchi', () => {
  it('returns the premium at both rates of the won', async () => {
    begin({ koreanBps: 60 });
    const { body } = await ask('kimchi');
    expect(body.data).toEqual({
      coin: 'BTC',
      region: 'KR',
      localVenue: 'upbit',
      localPair: 'KRW-BTC',
      localPriceKrw: 140_840_000,
      usdKrw: WON,
      localPriceUsd: 100_600,
      globalMedianUsd: 100_000,
      premiumPct: 0.6,
      premiumBps: 60,
      bidAskPressure: 0.2,
      interpretation: 'premium',
      fetchedAt: START_MS,
      // A tether costs 1 421 won there, so that by it the premium is a discount.
      premiumBpsUsdt: -88.67,
      usdtKrw: 1_421,
      usdKrwSource: 'dunamu',
      usdKrwAsOf: START_MS,
      usdKrwStale: false,
      skewMs: 0,
    });
    expect(body.meta).toMatchObject({ partial: false, sources: [] });
    expect(body.meta.source).toBe('upbit+dunamu+coinbase+binance+kraken+okx+bybit');
  });

  it('takes the next provider of a rate when the first is down, and names that', async () => {
    api.health('dunamu', {
      source: 'dunamu:forex',
      gives: ['exchangeRates'],
      status: 'down',
      error: 'No answer.',
    });
    begin({ silent: ['dunamu'] });
    const { body } = await ask('kimchi?coin=ETH');
    expect(body.data).toMatchObject({
      usdKrwSource: 'frankfurter',
      premiumBps: 0,
      interpretation: 'neutral',
    });
    expect(body.meta).toMatchObject({ partial: true, sources: [{ source: 'dunamu:forex', status: 'down' }] });
  });

  it('computes a coin that is not followed', async () => {
    begin({ koreanBps: -80 });
    const { data } = await ask('kimchi?coin=XRP');
    expect(data).toMatchObject({ coin: 'XRP', premiumBps: -80, interpretation: 'discount' });
  });

  it('does not know what Korea does not list', async () => {
    begin();
    const { status, body } = await ask('kimchi?coin=SOL');
    expect([status, body.error]).toEqual([404, 'upbit does not list SOL against the won.']);
    expect((await ask('kimchi?coin=NOPE')).status).toBe(404);
  });

  it('serves the last premium for ten minutes while the venue is silent, then nothing', async () => {
    begin({ koreanBps: 70 });
    pass(5 * MINUTE_MS, { silent: ['upbit'] });
    const { body } = await ask('kimchi');
    expect(body.data).toMatchObject({ premiumBps: 70 });
    expect(body.meta).toMatchObject({ stale: true, partial: true });
    pass(7 * MINUTE_MS, { silent: ['upbit'] });
    const gone = await ask('kimchi');
    expect(gone.status).toBe(503);
    expect(gone.body.error).toContain('The newest price of BTC on the Korean venue is old.');
  });
});

describe('/flows/etf', () => {
  it('returns the last complete day beside the pressure on the proxy venue', async () => {
    begin({ bps: { coinbase: 10 } });
    const { headers, body } = await api.get('/flows/etf');
    expect(headers['cache-control']).toBe('public, max-age=60');
    expect(body.data).toMatchObject({
      asset: 'bitcoin',
      daily: { latestTotalUsdm: -3.3, cumulativeUsdm: 13.8, source: 'farside', deviations: -0.496 },
      spotProxy: {
        proxyPremiumBps: 10,
        proxyVolumeShare: 0.2,
        proxyTapeDeltaUsd5m: 20_000,
        proxyNetTradeUsd5m: 20_000,
        confidence: 'medium',
        label: 'Proxy only: venue pressure, not ETF attribution.',
        tapeComplete: false,
        sinceTs: START_MS,
      },
    });
    expect(body.meta).toMatchObject({ partial: false, sources: [] });
  });

  it('knows it well after five minutes of trades', async () => {
    begin();
    pass(5 * MINUTE_MS);
    const { data } = await ask('etf');
    expect(data.spotProxy).toMatchObject({ confidence: 'high', tapeComplete: true, proxyTapeDeltaUsd5m: 0 });
    expect(data.spotProxy).not.toHaveProperty('sinceTs');
  });

  it('says what is missing', async () => {
    pass(1_000);
    const { status, body } = await ask('etf?asset=ethereum');
    expect(status).toBe(503);
    expect(body.error).toContain('Still missing: the trades of ETH on Coinbase.');
    expect(body.meta.sources).toMatchObject([{ source: 'coinbase' }, { source: 'farside' }]);
  });

  it('names the ETF page when it fails, and serves its last day', async () => {
    begin();
    const gives = ['bitcoinEtfFlows'];
    api.health('farside', { source: 'farside:bitcoin', gives, status: 'blocked', error: 'A wall.' });
    pass(1_000);
    const { body } = await ask('etf');
    expect(body.data).toMatchObject({ daily: { latestTotalUsdm: -3.3 } });
    expect(body.meta).toMatchObject({
      partial: true,
      sources: [{ source: 'farside:bitcoin', status: 'blocked' }],
    });
  });
});

describe('/flows/signals and /flows/summary', () => {
  it('report the signals, and the score with its components', async () => {
    begin({ bps: { coinbase: 16 }, koreanBps: 450 });
    const { body } = await ask('summary?coins=BTC');
    expect(body.data).toMatchObject({
      coins: ['BTC'],
      rows: [
        {
          coin: 'BTC',
          coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'stale', primaryMicro: 'stale' },
          headline: 'Strong Korean premium',
        },
      ],
    });
    const [row] = (body.data as { rows: { flowPressureScore: number; components: { part: string }[] }[] })
      .rows;
    expect(row?.components.map(({ part }) => part)).toEqual(['proxyPremium', 'kimchiPremium', 'etfFlow']);
    expect(row?.flowPressureScore).toBeGreaterThan(50);
    const signals = await ask('signals?coins=BTC');
    expect(signals.body.data).toEqual((body.data as { signals: unknown }).signals);
    const minute = Math.floor(START_MS / MINUTE_MS) * MINUTE_MS;
    expect(
      (signals.body.data as { id: string; severity: string }[]).map(({ id, severity }) => [id, severity]),
    ).toEqual(
      expect.arrayContaining([
        [`BTC:regional-premium:${minute}`, 'hot'],
        [`BTC:proxy-premium:${minute}`, 'hot'],
        [`BTC:venue-dispersion:${minute}`, 'warm'],
      ]),
    );
    expect(body.meta).toMatchObject({ partial: false, sources: [] });
  });

  it('are of all followed coins by default', async () => {
    begin({ bps: { coinbase: 9 } });
    const { data } = await ask('summary');
    expect(data.coins).toEqual(['BTC', 'ETH', 'SOL']);
    const ids = ((await ask('signals')).body.data as { id: string }[]).map(({ id }) => id.split(':')[0]);
    expect([...new Set(ids)]).toEqual(['BTC', 'ETH', 'SOL']);
  });

  it.each(['signals', 'summary'])('of %s name what is not followed or not known', async (name) => {
    begin();
    const { body } = await ask(`${name}?coins=eth,XRP,NOPE`);
    expect(body.meta).toMatchObject({ unknown: ['NOPE'], notFollowed: ['XRP'] });
    const none = await ask(`${name}?coins=XRP`);
    expect([none.status, none.body.error]).toEqual([
      404,
      'The flows of XRP are not followed, only those of BTC, ETH, SOL.',
    ]);
  });

  it('say 0 and that nothing is covered where nothing is known', async () => {
    api.clock.advance(1_000);
    const { body } = await ask('summary?coins=SOL');
    expect(body.data).toMatchObject({
      rows: [
        {
          flowPressureScore: 0,
          headline: 'Balanced flows',
          coverage: { globalSpot: 'none', kimchi: 'none', etfProxy: 'none', primaryMicro: 'none' },
        },
      ],
    });
    expect(body.meta.partial).toBe(true);
  });

  it('are a 503 before the first report', async () => {
    engine.stop();
    expect((await requestMissing('summary')).status).toBe(503);
  });
});
