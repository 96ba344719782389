import { ManualClock, type SpotTicker } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { type Known, spotVenues } from '@crosstape/venues';
import ccxt, { type Exchange, type Ticker } from 'ccxt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ourLookup, ourTables } from './our-tables.ts';
import { watchSocket } from './watch-socket.ts';

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 10, 16, 14, 30);

let clock: ManualClock;
let simulator: Simulator;

beforeAll(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 77, clock, sources: Object.keys(clients) });
});

afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  for (const id of Object.keys(clients)) expect([id, simulator.violations[id]]).toEqual([id, {}]);
  await simulator.close();
});

const quiet = { enableRateLimit: false };
const spotOnly = { ...quiet, options: { defaultType: 'spot', fetchMarkets: { types: ['spot'] } } };
const clients: Readonly<Record<string, Exchange>> = {
  coinbase: new ccxt.coinbaseexchange(quiet),
  'binance-spot': new ccxt.binance(spotOnly),
  'kraken-spot': new ccxt.kraken(quiet),
  'okx-spot': new ccxt.okx(spotOnly),
  'bybit-spot': new ccxt.bybit(spotOnly),
  upbit: new ccxt.upbit(quiet),
};

/** Where each client takes its address from. */
function pointAt(client: Exchange, url: string): void {
  const paths = { public: url, private: url, rest: url };
  client.urls['api'] = client.id === 'binance' ? { ...paths, public: `${url}/api/v3` } : paths;
  client.has['fetchCurrencies'] = false;
}

async function open(id: string): Promise<{ readonly client: Exchange; readonly ours: Known }> {
  const client = clients[id];
  if (!client) throw new Error(`no client for ${id}`);
  pointAt(client, `${simulator.url}/${id}`);
  await client.loadHttpProxyAgent();
  await client.loadMarkets();
  return { client, ours: await ourTables(simulator.url, id, clock.now()) };
}

/** The same pair by the client's own name. */
function pairOf(client: Exchange, { coin, quote }: SpotTicker): string {
  return `${client.safeCurrencyCode(coin)}/${quote}`;
}

function compare(ours: SpotTicker, theirs: Ticker | undefined): void {
  expect([ours.symbol, ours.last, ours.bid, ours.ask]).toEqual([
    ours.symbol,
    theirs?.last,
    theirs?.bid,
    theirs?.ask,
  ]);
  expect([ours.symbol, ours.volume24hCoins]).toEqual([ours.symbol, theirs?.baseVolume]);
}

describe.each(['binance-spot', 'okx-spot', 'bybit-spot'])('ccxt on %s', (id) => {
  it('agrees on every pair in dollars: price, bid, ask, volume, change and time', async () => {
    const { client, ours } = await open(id);
    const theirs = await client.fetchTickers();
    const rows = ours.spotTickers ?? [];
    expect(rows.length).toBeGreaterThan(60);
    for (const row of rows) {
      const ticker = theirs[pairOf(client, row)];
      compare(row, ticker);
      expect(row.change24hPct).toBeCloseTo(Number(ticker?.percentage), id === 'bybit-spot' ? 1 : 2);
      if (ticker?.timestamp !== undefined) expect(row.venueTs).toBe(ticker.timestamp);
    }
    const known = new Set(rows.map(({ symbol }) => symbol));
    const unread = Object.values(client.markets ?? {}).filter((market) => !known.has(String(market?.id)));
    expect(unread.filter((market) => market?.quote === 'USDT')).toEqual([]);
  });
});

describe('ccxt on Coinbase', () => {
  it('agrees on what is listed, and on bid, ask and price of each pair that is requested', async () => {
    const { client, ours } = await open('coinbase');
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active);
    const dollars = active.filter((market) => /^(USD|USDT|USDC)$/.test(String(market?.quote)));
    expect(ours.instruments?.map(({ symbol }) => symbol).toSorted()).toEqual(
      dollars.map((market) => String(market?.id)).toSorted(),
    );
    const { spotTickers = [] } = await ourLookup(simulator.url, 'coinbase', 'ticker', ours, clock.now());
    expect(spotTickers.map(({ coin }) => coin)).toEqual(['BTC', 'ETH', 'SOL', 'XRP', 'USDT']);
    for (const row of spotTickers) {
      const ticker = await client.fetchTicker(pairOf(client, row));
      compare(row, ticker);
      // Its time is that of the last trade, and says nothing of bid and ask.
      expect(row.venueTs).toBeUndefined();
    }
  });

  it('agrees on the taker of every trade, which the venue reports the other way round', async () => {
    clock.advance(10_000);
    const { client, ours } = await open('coinbase');
    const feed = spotVenues.find(({ id }) => id === 'coinbase')?.connector?.feeds[0];
    if (!feed) throw new Error('no feed');
    const socket = await watchSocket(simulator.url, `/coinbase${feed.path}`);
    socket.send(feed.subscribe(['BTC-USD']));
    await vi.waitUntil(() => socket.frames.length === 2);
    for (let i = 0; i < 40; i += 1) clock.advance(250);
    await socket.settle();
    const theirs = new Map((await client.fetchTrades('BTC/USD')).map((trade) => [trade.id, trade]));
    socket.close();
    const parse = feed.open(() => ours);
    const received = socket.frames.flatMap((text) => {
      const frame = parse(text);
      return frame.kind === 'trades' ? frame.trades : [];
    });
    expect(received.length).toBeGreaterThan(15);
    for (const { tid, side, price, size, venueTs } of received) {
      const trade = theirs.get(String(tid));
      expect([side, price, size, venueTs]).toEqual([
        trade?.side,
        trade?.price,
        trade?.amount,
        trade?.timestamp,
      ]);
    }
  });
});

describe('ccxt on Kraken', () => {
  it('agrees on every pair in dollars by its plain name, and on the price of a day ago', async () => {
    const { client, ours } = await open('kraken-spot');
    const theirs = await client.fetchTickers();
    const rows = ours.spotTickers ?? [];
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) compare(row, theirs[pairOf(client, row)]);
    expect(rows.find(({ coin, quote }) => coin === 'DOGE' && quote === 'USD')?.symbol).toBe('XDGUSD');
    const { dayOpens = [] } = await ourLookup(simulator.url, 'kraken-spot', 'ohlc', ours, clock.now());
    expect(dayOpens).toHaveLength(5);
    const bars = await client.fetchOHLCV('BTC/USD', '5m', clock.now() - DAY_MS - 300_000, 3);
    const [, first] = bars.findLast(([at]) => Number(at) <= clock.now() - DAY_MS) ?? [];
    expect(dayOpens.find(({ coin }) => coin === 'BTC')?.open).toBe(first);
  });
});

describe('ccxt on Upbit', () => {
  it('agrees on every pair in won, and on the book', async () => {
    const { client, ours } = await open('upbit');
    const theirs = await client.fetchTickers();
    for (const row of ours.spotTickers ?? []) {
      const ticker = theirs[pairOf(client, row)];
      expect([row.last, row.volume24hCoins]).toEqual([ticker?.last, ticker?.baseVolume]);
    }
    expect(ours.spotTickers?.length).toBeGreaterThan(20);
    const { spotBooks = [] } = await ourLookup(simulator.url, 'upbit', 'orderbook', ours, clock.now());
    const book = spotBooks.find(({ coin }) => coin === 'BTC');
    const { bids, asks } = await client.fetchOrderBook('BTC/KRW');
    expect([book?.bid, book?.ask]).toEqual([bids[0]?.[0], asks[0]?.[0]]);
    expect(book?.bidSize).toBeCloseTo(sum(bids), 6);
    expect(book?.askSize).toBeCloseTo(sum(asks), 6);
  });
});

function sum(levels: readonly (readonly (number | undefined)[])[]): number {
  return levels.reduce((total, [, size]) => total + Number(size), 0);
}
