import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlowView } from '@crosstape/simulator';
import { fxPublishers, koreanVenue, onchainPublishers, spotVenues } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coinsOfVenues } from './world-coins.ts';
import { World } from './world.ts';

/**
 * The whole service on each family of sources beside perpetuals, in one world. What each of them does under every fault
 * is tested beside its code.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const HOUR_MS = DAY_MS / 24;
/** A market where a USDT is worth less than a dollar from five minutes after noon on. */
const SEED = 2734;
const AFTER_NOON_MS = 6 * MINUTE_MS;
const TETHER_USD = 0.9921;
/** Pages are read on threads, for which the world's time does not wait. */
const PATIENCE_MS = 30 * MINUTE_MS;
const sources = [
  ...[...spotVenues, koreanVenue, ...fxPublishers, ...onchainPublishers].map(({ id }) => id),
  'deribit',
  'polymarket',
  'polymarket-clob',
];

let world: World;
let view: FlowView;
beforeAll(async () => {
  const market = { seed: SEED, afterNoonMs: AFTER_NOON_MS, rate: 0.02, coins: coinsOfVenues, sources };
  world = await World.open({ ...market, stepMs: 500, askEveryMs: 2_000 });
  view = new FlowView(world.simulator.market, 'BTC');
});
afterAll(() => world.close());

interface Reply<Data> {
  readonly status: number;
  readonly data: Data;
  readonly meta: Readonly<Record<string, unknown>> & {
    readonly source?: string;
    readonly stale?: boolean;
    readonly partial?: boolean;
    readonly sources?: readonly { readonly source: string; readonly status: string }[];
  };
}

/** The first answer that is as wanted; default: a good one. */
async function ask<Data>(
  path: string,
  isWanted = ({ status, meta }: Reply<Data>): boolean => status === 200 && !meta.stale && !meta.partial,
): Promise<Reply<Data>> {
  let answer: Reply<Data> | undefined;
  await world.until(async () => {
    const { status, body } = await world.json(path);
    answer = { status, data: body.data as Data, meta: body.meta };
    return isWanted(answer);
  }, PATIENCE_MS);
  return answer as Reply<Data>;
}

const isLabelled =
  (source: string) =>
  ({ meta }: Reply<unknown>): boolean =>
    meta.sources?.some((one) => one.source.startsWith(source)) === true;

const spotPath = '/markets/spot';
const chainPath = '/options/chain?underlying=BTC';
const gexPath = '/options/gex?underlying=ETH';
let bookPath: string;

interface SpotRow {
  readonly coin: string;
  readonly venue: string;
  readonly price: number;
  readonly bid: number;
  readonly ask: number;
  readonly change24hPct: number;
  readonly quote: string;
  readonly rawPrice: number;
  readonly fetchedAt: number;
}

/** Every venue has reported the coins. */
const isWhole =
  (count: number) =>
  ({ data, meta }: Reply<readonly SpotRow[]>): boolean =>
    data.length === count && !meta.sources && !meta.stale;

async function markOfBitcoin(): Promise<number> {
  const { data } = await ask<readonly [{ oiUsd: number; oiContracts: number }]>('/perps/oi?coins=BTC');
  return data[0].oiUsd / data[0].oiContracts;
}

describe('the service', () => {
  it('serves spot prices of every venue in dollars, whatever a USDT is worth', async () => {
    const { data, meta } = await ask<readonly SpotRow[]>(spotPath, isWhole(15));
    expect(meta.source).toBe(spotVenues.map(({ venue }) => `sim:${venue}`).join('+'));
    for (const { coin, venue, price, bid, ask: asked, change24hPct, quote, rawPrice, fetchedAt } of data) {
      const name = `${coin} ${venue}`;
      const [index, before] = [fetchedAt, fetchedAt - DAY_MS].map(
        (atMs) => world.simulator.market.quote(coin, atMs).index,
      ) as [number, number];
      expect(Math.abs(price / index - 1), name).toBeLessThan(0.005);
      expect(bid, name).toBeLessThan(asked);
      expect(Math.abs(change24hPct - (index / before - 1) * 100), name).toBeLessThan(1);
      const isDollar = venue === 'coinbase' || venue === 'kraken';
      expect(quote, name).toBe(isDollar ? 'USD' : 'USDT');
      expect(price / rawPrice, name).toBeCloseTo(isDollar ? 1 : TETHER_USD, 3);
    }
  });

  it('fetches spot prices and the Korean book of a coin on demand, in the unit of the primary venue', async () => {
    for (const coin of ['DOGE', 'PEPE']) {
      const { data } = await ask<readonly SpotRow[]>(`${spotPath}?coins=${coin}`, isWhole(5));
      for (const row of data) {
        const { index } = world.simulator.market.quote(row.coin, row.fetchedAt);
        expect(Math.abs(row.price / index - 1), `${coin} ${row.venue}`).toBeLessThan(0.01);
      }
    }
    await ask<{ bidAskPressure?: number | null }>(
      '/flows/kimchi?coin=DOGE',
      ({ data }) => typeof data.bidAskPressure === 'number',
    );
  });

  it('serves flows that are made of all of them', async () => {
    const { data } = await ask<readonly [{ freshVenues: number; rows: readonly object[] }]>(
      '/flows/venue-spreads?coins=BTC',
    );
    expect([data[0].freshVenues, data[0].rows.length]).toEqual([5, 5]);
    const kimchi = await ask<{ premiumBps: number; usdKrwSource: string }>('/flows/kimchi');
    const won = view.korea(world.clock.now()).tickers[0]?.last ?? 0;
    const dollars = view.spotTickers(world.clock.now()).get('coinbase')?.[0]?.last ?? 0;
    const premium = 1e4 * (won / view.usdKrw(world.clock.now()).rate / dollars - 1);
    expect(Math.abs(kimchi.data.premiumBps - premium)).toBeLessThan(60);
    expect(kimchi.data.usdKrwSource).toBe('dunamu');
    const summary = await ask<{ rows: readonly { coin: string; coverage: object }[] }>(
      '/flows/summary?coins=BTC',
    );
    expect(summary.data.rows).toMatchObject([
      { coin: 'BTC', coverage: { globalSpot: 'full', kimchi: 'live' } },
    ]);
  });

  it('serves ETF flows, treasuries and valuation', async () => {
    interface Flows {
      readonly tickers: readonly string[];
      readonly latestTotalUsdm: number;
      readonly rows: readonly {
        readonly dateLabel: string;
        readonly total: number;
        readonly values: object;
        readonly partial?: boolean;
      }[];
    }
    const { data: flows, meta } = await ask<Flows>('/onchain/etf-flows');
    expect(meta.source).toBe('sim:farside');
    expect(flows.tickers).toContain('MSBT');
    // Noon of the 12th: the day before has been reported by all.
    const last = flows.rows.at(-1);
    expect(last).toMatchObject({ dateLabel: '11 Nov 2026', total: flows.latestTotalUsdm });
    expect(Object.keys(last?.values ?? {})).toEqual(flows.tickers);
    expect(flows.rows.some(({ partial }) => partial)).toBe(false);
    expect(flows.rows.length).toBeGreaterThan(18);
    expect(flows).not.toHaveProperty('cumulativeFromMs');
    const ether = await ask<Flows>('/onchain/etf-flows?asset=ethereum');
    expect(ether.data.tickers).toContain('ETHB');
    const treasuries = await ask<{ companies: readonly object[] }>('/onchain/treasuries');
    expect([treasuries.meta.source, treasuries.data.companies.length]).toEqual(['sim:coingecko', 263]);
    const valuation = await ask<object>('/onchain/valuation');
    expect(valuation.data).toMatchObject({
      asset: 'bitcoin',
      asOfDate: '2026-11-04',
      asOfByMetric: { mvrvZScore: '2026-11-05', reserveRisk: '2026-11-04', realizedCap: '2026-11-11' },
    });
  });

  it('serves options of four coins that agree with one another and with the perpetuals', async () => {
    interface Gex {
      readonly spot: number;
      readonly oiCoveredPct?: number;
      readonly strikes: readonly { readonly strike: number }[];
    }
    interface Skew {
      readonly smileByExpiry: object;
      readonly termStructure: readonly { readonly atmIv: number }[];
    }
    type Chain = readonly { readonly expiryMs: number; readonly strike: number; readonly oi: number }[];
    for (const coin of ['ETH', 'SOL', 'XRP'])
      for (const name of ['gex', 'chain', 'skew']) await ask(`/options/${name}?underlying=${coin}`);
    // The covered share is known once the other book has come.
    const gex = await ask<Gex>('/options/gex?underlying=BTC', ({ data }) => data.oiCoveredPct !== undefined);
    const chain = await ask<Chain>(chainPath);
    const skew = await ask<Skew>('/options/skew?underlying=BTC');
    for (const { meta } of [gex, chain, skew]) expect(meta.source).toBe('sim:deribit');
    expect(Math.abs(gex.data.spot / (await markOfBitcoin()) - 1)).toBeLessThan(0.01);
    expect(chain.data.length).toBeGreaterThan(1_200);
    const strikes = new Set(gex.data.strikes.map(({ strike }) => strike));
    expect(chain.data.filter(({ strike, oi }) => oi > 0 && !strikes.has(strike))).toEqual([]);
    expect(gex.data.oiCoveredPct).toBeGreaterThan(80);
    expect(gex.data.oiCoveredPct).toBeLessThan(100);
    const expiries = new Set(chain.data.map(({ expiryMs }) => expiryMs)).size;
    expect(Object.keys(skew.data.smileByExpiry)).toHaveLength(expiries);
    expect(skew.data.termStructure).toHaveLength(expiries);
    for (const { atmIv } of skew.data.termStructure) expect(atmIv > 0.1 && atmIv < 2).toBe(true);
  });

  it('serves every trade of options that the venue lists, and their sums', async () => {
    interface Trade {
      readonly id: string;
      readonly ts: number;
      readonly type: string;
      readonly side: string;
      readonly premiumUsd: number;
    }
    const { meta } = await ask<readonly Trade[]>('/options/trades?underlying=ETH&limit=1');
    const to = Number(meta['fetchedAt']);
    const range = `start=${to - 3 * HOUR_MS}&end=${to}`;
    const { data } = await ask<readonly Trade[]>(`/options/trades?underlying=ETH&limit=5000&${range}`);
    const listed = await Promise.all(
      ['ETH', 'USDC'].map(async (currency) => {
        const search = `currency=${currency}&kind=option&count=1000&start_timestamp=${to - 3 * HOUR_MS}&end_timestamp=${to - 1}`;
        const path = `/deribit/api/v2/public/get_last_trades_by_currency_and_time?${search}`;
        const { result } = (await (await fetch(world.simulator.url + path)).json()) as {
          result: { trades: readonly { trade_id: string }[] };
        };
        return result.trades.map(({ trade_id }) => trade_id).filter((id) => id.startsWith('ETH'));
      }),
    );
    expect(data.length).toBeGreaterThan(100);
    expect(data.map(({ id }) => id).toSorted()).toEqual(listed.flat().toSorted());
    const flow = await ask<{ readonly calls: { readonly boughtUsd: number }; readonly toMs: number }>(
      '/options/flow?underlying=ETH&window=4h',
    );
    const end = flow.data.toMs;
    const window = `limit=5000&type=C&side=buy&start=${end - 4 * HOUR_MS}&end=${end}`;
    const bought = (await ask<readonly Trade[]>(`/options/trades?underlying=ETH&${window}`)).data;
    const sum = bought.reduce((total, { premiumUsd }) => total + premiumUsd, 0);
    expect(Math.abs(sum - flow.data.calls.boughtUsd)).toBeLessThan(1);
  });

  interface Book {
    readonly bids: readonly (readonly [number, number])[];
    readonly asks: readonly (readonly [number, number])[];
    readonly mid: number | null;
    readonly eventPrice: number | null;
  }
  let tokens: readonly string[];
  const bookOf = (tokenId: string): string => `/prediction/orderbook?tokenId=${tokenId}`;

  it('serves prediction markets that agree with the perpetuals, the most liquid and longest first', async () => {
    interface Question {
      readonly id: string;
      readonly question: string;
      readonly outcomes: readonly { readonly tokenId: string; readonly price: number }[];
      readonly liquidityUsd: number;
      readonly endMs: number;
      readonly hoursToClose: number;
      readonly score: number;
      readonly coin: string | null;
    }
    const { data, meta } = await ask<readonly Question[]>('/prediction/events');
    expect([meta.source, data.length > 300]).toEqual(['sim:polymarket', true]);
    expect(JSON.stringify(data)).not.toContain('Person ');
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
    const scores = data.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    const coins = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', null];
    expect(new Set(data.map(({ coin }) => coin))).toEqual(new Set(coins));
    const mark = await markOfBitcoin();
    let compared = 0;
    for (const { question, outcomes, endMs, score, liquidityUsd, hoursToClose } of data) {
      const [yes, no] = outcomes.map(({ price }) => price) as [number, number];
      expect([outcomes.length, yes + no]).toEqual([2, expect.closeTo(1, 9)]);
      expect(endMs).toBeGreaterThan(world.clock.now());
      expect(score).toBeCloseTo(liquidityUsd * hoursToClose, 1);
      const strike = Number(/Bitcoin be above \$([\d,.]+) on/.exec(question)?.[1]?.replaceAll(',', ''));
      // At 0.5 are those without orders.
      if (!(Math.abs(strike / mark - 1) > 0.08) || yes === 0.5) continue;
      compared += 1;
      expect(yes > 0.5, question).toBe(mark > strike);
    }
    expect(compared).toBeGreaterThan(10);
    tokens = data.map(({ outcomes }) => outcomes[0]?.tokenId ?? '');
  });

  it('serves books as the venue has them, many at once, and labels one that is stuck', async () => {
    type Sent = Readonly<Record<'bids' | 'asks', readonly { readonly price: string }[]>>;
    const pricesOf = (sent: Sent) => ({
      bids: sent.bids.map(({ price }) => Number(price)).toReversed(),
      asks: sent.asks.map(({ price }) => Number(price)).toReversed(),
    });
    /** The first book of the venue that is such. */
    const find = async (isSuch: (book: ReturnType<typeof pricesOf>) => boolean) => {
      for (const tokenId of tokens) {
        const address = `${world.simulator.url}/polymarket-clob/book?token_id=${tokenId}`;
        const response = await fetch(address);
        const sent = response.status === 200 ? pricesOf((await response.json()) as Sent) : undefined;
        if (sent && isSuch(sent)) return { tokenId, sent };
      }
      throw new Error('no book of the simulated venue is such');
    };
    const isGhost = ({ bids, asks }: ReturnType<typeof pricesOf>) => bids[0] === 0.01 && asks[0] === 0.99;

    const { tokenId, sent } = await find(
      (book) => Math.min(book.bids.length, book.asks.length) > 1 && !isGhost(book),
    );
    bookPath = bookOf(tokenId);
    const { data } = await ask<Book>(bookPath);
    const [bids, asks] = [data.bids, data.asks].map((side) => side.map(([price]) => price));
    expect({ bids, asks }).toEqual(sent);
    expect(data).toMatchObject({ stuck: false });
    expect(Math.abs(Number(data.mid) - Number(data.eventPrice))).toBeLessThan(0.1);

    const ghost = await find(isGhost);
    expect((await ask<Book>(bookOf(ghost.tokenId))).data).toMatchObject({
      bestBid: 0.01,
      bestAsk: 0.99,
      stuck: true,
    });
    await world.until(async () => {
      const answers = await Promise.all(tokens.slice(0, 120).map((id) => world.json(bookOf(id))));
      return answers.every(({ status }) => status === 200 || status === 404);
    }, PATIENCE_MS);
  });

  it('names a failing source of each family, serves what it has, and recovers', async () => {
    const metrics = await (await world.get('/metrics')).text();
    for (const source of [
      'coinbase:trades',
      'binance-spot:quotes',
      'upbit:orderbook',
      'dunamu:forex',
      'frankfurter:rate',
    ])
      expect(metrics).toContain(`crosstape_source_status{source="${source}",status="ok"} 1`);
    const { faults } = world.simulator;
    faults.add({ venue: 'okx-spot', fault: 'status', status: 451 });
    faults.add({ venue: 'dunamu', fault: 'status', status: 500 });
    faults.add({ venue: 'deribit', fault: 'retype', field: 'open_interest', path: 'currency=BTC' });
    faults.add({ venue: 'deribit', fault: 'rename', field: 'index_price', path: 'index_name=' });
    faults.add({ venue: 'polymarket-clob', fault: 'refuse' });
    const failing = [
      [spotPath, 'okx-spot'],
      ['/flows/kimchi', 'dunamu'],
      [chainPath, 'deribit:btc-book-summary'],
      [gexPath, 'deribit:index-price'],
      [bookPath, 'polymarket-clob:book'],
    ] as const;
    for (const [path, source] of failing)
      expect((await ask(path, isLabelled(source))).status, path).toBe(200);
    expect((await ask<readonly object[]>(chainPath, () => true)).data.length).toBeGreaterThan(1_200);
    // Neither another book of a venue nor another host of it is called stale for one that fails.
    for (const path of [
      '/options/chain?underlying=ETH',
      '/options/skew?underlying=SOL',
      '/prediction/events',
    ])
      expect((await ask(path, () => true)).meta, path).not.toHaveProperty('stale');
    faults.clear();
    // The others recover in the same way, after longer waits.
    await ask(spotPath, (answer) => !isLabelled('okx-spot')(answer));
  });

  it('keeps rare answers over a restart, reads ETF flows from a file of the operator, and keeps all limits', async () => {
    const rare = ['/onchain/valuation', '/onchain/treasuries'];
    const askAll = () => Promise.all(rare.map((path) => world.json(path)));
    const before = await askAll();
    const file = join(world.folder, 'etf-bitcoin.html');
    writeFileSync(
      file,
      `<table><tr><th>Date</th><th>IBIT</th><th>FBTC</th><th>GBTC</th><th>Total</th></tr>
       <tr><td>10 Nov 2026</td><td>1.5</td><td>-</td><td>(0.5)</td><td>1.0</td></tr>
       <tr><td>11 Nov 2026</td><td>2.5</td><td>-</td><td>0.0</td><td>2.5</td></tr></table>`,
    );
    await world.stopService();
    world.clock.advance(10 * MINUTE_MS);
    await world.startService(['--etf-source', join(world.folder, 'etf-{asset}.html')]);
    expect(await askAll()).toEqual(before);
    const flows = await ask<object>('/onchain/etf-flows', ({ meta }) => meta.source === 'sim:operator:file');
    expect(flows.data).toMatchObject({ tickers: ['IBIT', 'FBTC', 'GBTC'], latestTotalUsdm: 2.5 });
    for (const id of sources) expect([id, world.simulator.violations[id]]).toEqual([id, {}]);
  });
});
