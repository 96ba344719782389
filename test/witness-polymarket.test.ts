import { ManualClock, type PredictionMarket } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { allPublishers, type Lookup } from '@crosstape/venues';
import ccxt from 'ccxt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ourTables } from './our-tables.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const sources = ['polymarket', 'polymarket-clob'];

/** As far as it is compared. */
interface TheirMarket {
  readonly info: {
    readonly id: string;
    readonly question: string;
    readonly closed: boolean;
    readonly active: boolean;
  };
  readonly expiry: number;
  readonly marketType: string;
  readonly outcomes: readonly {
    readonly outcomeId: string;
    readonly label: string;
    readonly price: number;
  }[];
}

describe('ccxt on Polymarket', () => {
  let simulator: Simulator;
  let ours: readonly PredictionMarket[];
  let theirs: ReadonlyMap<string, TheirMarket>;
  const client = new ccxt.prediction.polymarket({ enableRateLimit: false });

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0, seed: 77, clock: new ManualClock(T0), sources });
    const { url } = simulator;
    client.urls['api'] = { gamma: `${url}/polymarket`, clob: `${url}/polymarket-clob` };
    await client.loadHttpProxyAgent();
    const markets = (await client.fetchMarkets({
      sort: 'liquidity',
      limit: 300,
    })) as unknown as TheirMarket[];
    theirs = new Map(markets.map((market) => [market.info.id, market]));
    ours = (await ourTables(url, 'polymarket', T0)).predictions ?? [];
  });

  afterAll(async () => {
    await client.close();
    await simulator.close();
  });

  it('reads the same questions, and those that cannot be traded besides', () => {
    expect(ours.length).toBeGreaterThan(400);
    // Placeholders, which are not active, are in both answers of the venue and served by neither of us.
    const traded = [...theirs.values()].filter(
      ({ marketType, info }) => marketType === 'binary' && info.active,
    );
    expect(traded.map(({ info }) => info.id).toSorted()).toEqual(ours.map(({ symbol }) => symbol).toSorted());
    expect(theirs.size).toBeGreaterThan(ours.length);
  });

  it('agrees on outcomes, tokens, prices and ends', () => {
    for (const { symbol, question, outcomes, endMs } of ours) {
      const market = theirs.get(symbol);
      expect([question, endMs]).toEqual([market?.info.question, market?.expiry]);
      expect(outcomes).toEqual(
        market?.outcomes.map(({ outcomeId, label, price }) => ({ name: label, tokenId: outcomeId, price })),
      );
    }
  });

  it('agrees on every level of the books', async () => {
    const lookup = allPublishers.find(({ id }) => id === 'polymarket-clob')?.connector
      ?.lookups?.[0] as Lookup;
    const isEmpty = new Set<boolean>();
    for (const { outcomes } of ours.slice(0, 60)) {
      for (const { tokenId } of outcomes) {
        const response = await fetch(`${simulator.url}/polymarket-clob${lookup.request(tokenId).path}`);
        const [book] = lookup.parse(await response.json(), T0, {}, tokenId).predictionBooks ?? [];
        const their = await client.fetchOrderBook(tokenId);
        expect(book?.bids).toEqual(their.bids.map(([price, size]) => [price, size]));
        expect(book?.asks).toEqual(their.asks.map(([price, size]) => [price, size]));
        expect(book?.venueTs).toBe(their.timestamp);
        isEmpty.add(book?.bids.length === 0 || book?.asks.length === 0);
      }
    }
    expect(isEmpty).toEqual(new Set([true, false]));
  });

  it('broke no limit of the venue', () => {
    expect(simulator.violations['polymarket']).toEqual({});
    expect(simulator.violations['polymarket-clob']).toEqual({});
  });
});
