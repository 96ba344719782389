import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlowView } from '@crosstape/simulator';
import { fxPublishers, koreanVenue, onchainPublishers, spotVenues } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coinsOfVenues } from './world-coins.ts';
import { World } from './world.ts';

/**
 * The whole service on each family of sources beside perpetuals, in one world. What each of them does under every fault
 * is tested beside its code, and with `LONG=1` in its own world.
 */

const MINUTE_MS = 60_000;
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
  world = await World.open({ rate: 0.02, stepMs: 500, askEveryMs: 2_000, coins: coinsOfVenues, sources });
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
let bookPath: string;

describe('the service', () => {
  it('serves spot prices of every venue in dollars', async () => {
    interface Row {
      readonly coin: string;
      readonly venue: string;
      readonly price: number;
      readonly fetchedAt: number;
    }
    const { data, meta } = await ask<readonly Row[]>(
      spotPath,
      ({ data: rows, meta: { sources: failing } }) => rows.length === 15 && !failing,
    );
    expect(meta.source).toBe(spotVenues.map(({ venue }) => `sim:${venue}`).join('+'));
    for (const { coin, venue, price, fetchedAt } of data) {
      const { index } = world.simulator.market.quote(coin, fetchedAt);
      expect(Math.abs(price / index - 1), `${coin} ${venue}`).toBeLessThan(0.01);
    }
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
      readonly rows: readonly { readonly dateLabel: string; readonly total: number }[];
    }
    const flows = await ask<Flows>('/onchain/etf-flows');
    expect(flows.meta.source).toBe('sim:farside');
    // Noon of the 12th: the day before has been reported by all.
    expect(flows.data.rows.at(-1)).toMatchObject({
      dateLabel: '11 Nov 2026',
      total: flows.data.latestTotalUsdm,
    });
    const ether = await ask<Flows>('/onchain/etf-flows?asset=ethereum');
    expect(ether.data.tickers).toContain('ETHB');
    const treasuries = await ask<{ companies: readonly object[] }>('/onchain/treasuries');
    expect([treasuries.meta.source, treasuries.data.companies.length]).toEqual(['sim:coingecko', 263]);
    const valuation = await ask<object>('/onchain/valuation');
    expect(valuation.data).toMatchObject({ asset: 'bitcoin', asOfDate: '2026-11-04' });
  });

  it('serves options that agree with the perpetuals', async () => {
    const { data: perps } =
      await ask<readonly [{ oiUsd: number; oiContracts: number }]>('/perps/oi?coins=BTC');
    const gex = await ask<{ spot: number }>('/options/gex?underlying=BTC');
    const chain = await ask<readonly { expiryMs: number }[]>(chainPath);
    const skew = await ask<{ termStructure: readonly object[] }>('/options/skew?underlying=BTC');
    for (const { meta } of [gex, chain, skew]) expect(meta.source).toBe('sim:deribit');
    const mark = perps[0].oiUsd / perps[0].oiContracts;
    expect(Math.abs(gex.data.spot / mark - 1)).toBeLessThan(0.01);
    expect(chain.data.length).toBeGreaterThan(1_200);
    expect(skew.data.termStructure).toHaveLength(new Set(chain.data.map(({ expiryMs }) => expiryMs)).size);
    await ask('/options/chain?underlying=SOL');
  });

  it('serves prediction markets, and a book as the venue has it', async () => {
    interface Question {
      readonly outcomes: readonly { readonly tokenId: string; readonly price: number }[];
    }
    const { data, meta } = await ask<readonly Question[]>('/prediction/events');
    expect([meta.source, data.length > 300]).toEqual(['sim:polymarket', true]);
    const tokens = data.map(({ outcomes }) => outcomes[0]?.tokenId ?? '');
    const book = async (tokenId: string) => {
      const address = `${world.simulator.url}/polymarket-clob/book?token_id=${tokenId}`;
      const sent = (await (await fetch(address)).json()) as Record<'bids' | 'asks', { price: string }[]>;
      const prices = (side: 'bids' | 'asks') => sent[side].map(({ price }) => Number(price)).toReversed();
      return { bids: prices('bids'), asks: prices('asks') };
    };
    let sent = await book(tokens[0] ?? '');
    let at = 0;
    // Some have no orders on a side.
    while (sent.bids.length < 2 || sent.asks.length < 2) sent = await book(tokens[(at += 1)] ?? '');
    bookPath = `/prediction/orderbook?tokenId=${tokens[at]}`;
    const served = await ask<Record<'bids' | 'asks', readonly (readonly [number, number])[]>>(bookPath);
    const prices = (side: 'bids' | 'asks') => served.data[side].map(([price]) => price);
    expect({ bids: prices('bids'), asks: prices('asks') }).toEqual(sent);
  });

  it('names a failing source of each family, serves what it has, and recovers', async () => {
    const { faults } = world.simulator;
    faults.add({ venue: 'okx-spot', fault: 'status', status: 451 });
    faults.add({ venue: 'dunamu', fault: 'status', status: 500 });
    faults.add({ venue: 'deribit', fault: 'retype', field: 'open_interest' });
    faults.add({ venue: 'polymarket-clob', fault: 'refuse' });
    const failing = [
      [spotPath, 'okx-spot'],
      ['/flows/kimchi', 'dunamu'],
      [chainPath, 'deribit:btc-book-summary'],
      [bookPath, 'polymarket-clob:book'],
    ] as const;
    for (const [path, source] of failing)
      expect((await ask(path, isLabelled(source))).status, path).toBe(200);
    expect((await ask<readonly object[]>(chainPath, () => true)).data.length).toBeGreaterThan(1_200);
    faults.clear();
    // The others recover in the same way, after longer waits.
    await ask(spotPath, (answer) => !isLabelled('okx-spot')(answer));
  });

  it('keeps rare answers over a restart, reads ETF flows from a file of the operator, and keeps all limits', async () => {
    const before = await ask('/onchain/valuation', () => true);
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
    expect(await ask('/onchain/valuation', () => true)).toEqual(before);
    const flows = await ask<object>('/onchain/etf-flows', ({ meta }) => meta.source === 'sim:operator:file');
    expect(flows.data).toMatchObject({ tickers: ['IBIT', 'FBTC', 'GBTC'], latestTotalUsdm: 2.5 });
    for (const id of sources) expect([id, world.simulator.violations[id]]).toEqual([id, {}]);
  });
});
