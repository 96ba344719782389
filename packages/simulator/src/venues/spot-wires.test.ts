import { ManualClock, type SpotTicker } from '@crosstape/core';
import {
  type Feed,
  type Frame,
  fxPublishers,
  koreanVenue,
  type Known,
  type Publisher,
  spotVenues,
} from '@crosstape/venues';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VenueMarket } from '../market/venue-market.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { RecordedSocket } from '../testing/recorded-socket.ts';
import { viewOfVenue } from '../venue-view.ts';
import { spotMarketOf } from './spot-pairs.ts';
import { coinsOfVenues } from '../../../../test/world-coins.ts';

const T0 = Date.UTC(2026, 10, 12, 14, 30);
const BTC_USD = { base: 'BTC', quote: 'USD', priceDecimals: 2 };
const sources = [...spotVenues, koreanVenue, ...fxPublishers].map(({ id }) => id);
let clock: ManualClock;
let simulator: Simulator;

beforeEach(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 5, clock, coins: coinsOfVenues, sources });
});

afterEach(() => simulator.close());

async function ask(
  id: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${simulator.url}/${id}${path}`, { headers });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  };
}

/** What our connector parses from all of a venue's answers; lookups are requested for their fixed keys. */
async function learn({ id, connector }: Publisher): Promise<Known> {
  const known: Record<string, unknown[]> = {};
  for (const resource of connector?.resources ?? []) {
    const { body } = await ask(id, resource.request.path);
    const page = resource.parse(body, T0, known as Known);
    expect(page.refused ?? []).toEqual([]);
    for (const table of resource.gives) known[table] = [...(page[table] ?? [])];
  }
  for (const lookup of connector?.lookups ?? []) {
    for (const key of lookup.keys(known as Known, [])) {
      const page = lookup.parse((await ask(id, lookup.request(key).path)).body, T0, known as Known, key);
      for (const table of lookup.gives) known[table] = [...(known[table] ?? []), ...(page[table] ?? [])];
    }
  }
  return known as Known;
}

const viewOf = (id: string): VenueMarket => viewOfVenue(simulator.market, id) as VenueMarket;

function pairOf({ spotTickers = [] }: Known, coin: string): SpotTicker {
  const found = spotTickers.find((row) => row.coin === coin);
  if (!found) throw new Error(`no ${coin}`);
  return found;
}

describe.each(spotVenues)('$id', (venue) => {
  it('serves the prices of the market in a form that our connector reads', async () => {
    const known = await learn(venue);
    for (const coin of ['BTC', 'ETH', 'SOL', 'XRP']) {
      const row = pairOf(known, coin);
      const pair = { base: coin, quote: row.quote, priceDecimals: 5 };
      const { bid, ask: asked } = spotMarketOf(viewOf(venue.id)).quote(pair, T0);
      // But for the venue's tick.
      expect((row.bid ?? 0) / bid).toBeCloseTo(1, 4);
      expect((row.ask ?? 0) / asked).toBeCloseTo(1, 4);
      expect(row.last / bid).toBeCloseTo(1, 3);
      expect(row.volume24hCoins).toBeGreaterThan(0);
      const change = row.change24hPct ?? known.dayOpens?.find(({ symbol }) => symbol === row.symbol)?.open;
      expect(change).toBeDefined();
      expect(row.venueTs ?? T0).toBeGreaterThan(T0 - 60_000);
    }
    expect(simulator.violations[venue.id]).toEqual({});
  });

  it('counts coins one by one that the primary venue counts by thousands', async () => {
    const known = await learn(venue);
    const cheap = [...(known.instruments ?? []), ...(known.spotTickers ?? [])];
    expect(cheap.some(({ coin }) => coin === 'PEPE')).toBe(true);
    expect(cheap.some(({ coin }) => coin === 'kPEPE')).toBe(false);
  });
});

it('serves the tether in dollars on Coinbase and Kraken', async () => {
  for (const venue of spotVenues.filter(({ id }) => id === 'coinbase' || id === 'kraken-spot')) {
    const { spotTickers = [] } = await learn(venue);
    const row = spotTickers.find(({ coin, quote }) => coin === 'USDT' && quote === 'USD');
    expect(row?.last).toBeCloseTo(spotMarketOf(viewOf(venue.id)).money.usdt(T0), 3);
  }
});

it('serves prices, the tether and books in won on Upbit', async () => {
  const known = await learn(koreanVenue);
  const { money } = spotMarketOf(viewOf('upbit'));
  const premium = 1 + money.koreanPremium(T0);
  expect(pairOf(known, 'USDT').last / (money.usdKrw(T0) * premium * money.usdt(T0))).toBeCloseTo(1, 3);
  const index = simulator.market.quote('BTC', T0).index;
  expect(pairOf(known, 'BTC').last / (index * money.usdKrw(T0) * premium)).toBeCloseTo(1, 2);
  const book = known.spotBooks?.find(({ coin }) => coin === 'BTC');
  expect(book?.bid).toBeLessThan(book?.ask as number);
  expect(known.spotBooks).toHaveLength(5);
  expect(await ask('upbit', '/v1/orderbook?markets=KRW-BTC,KRW-FOO')).toMatchObject({ status: 404 });
});

it('serves the won of the minute and that of the day before', async () => {
  const [minute, day] = await Promise.all(fxPublishers.map(learn));
  const { money } = spotMarketOf(viewOf('upbit'));
  expect(minute?.exchangeRates?.[0]).toMatchObject({ coin: 'USD', quote: 'KRW', asOfMs: T0 });
  expect(minute?.exchangeRates?.[0]?.rate).toBeCloseTo(money.usdKrw(T0), 0);
  // Half past two: today's rate is published at three.
  expect(day?.exchangeRates?.[0]?.asOfMs).toBe(Date.UTC(2026, 10, 11));
});

it.each([
  ['coinbase', '/products/FOO-USD/ticker', 404, { message: 'NotFound' }],
  ['coinbase', '/products/MKR-USD/ticker', 404, { message: 'NotFound' }],
  ['binance-spot', '/api/v3/ticker/24hr?symbol=FOO', 400, { code: -1121 }],
  ['kraken-spot', '/0/public/Ticker?pair=XBTUSD,FOO', 200, { error: ['EQuery:Unknown asset pair'] }],
  ['kraken-spot', '/0/public/OHLC?pair=XBTUSD&interval=7', 200, { error: ['EGeneral:Invalid arguments'] }],
  ['okx-spot', '/api/v5/market/tickers', 400, { code: '50014' }],
  ['bybit-spot', '/v5/market/tickers?category=foo', 200, { retCode: 10_001 }],
  ['frankfurter', '/v2/rate/USD/EUR', 404, { status: 404 }],
])('%s complains of %s in its own words', async (id, path, status, body) => {
  expect(await ask(id, path)).toMatchObject({ status, body });
});

it('refuses requests without a User-Agent on Coinbase', async () => {
  expect(await ask('coinbase', '/products', { 'user-agent': '' })).toMatchObject({ status: 400 });
});

describe.each(spotVenues)('the quotes of $id', ({ id, connector }) => {
  const feed = connector?.feeds.find(({ name }) => name === 'quotes') as Feed;

  it('are pushed in a form that our connector reads, and are those of the market', async () => {
    const known = await learn({ id, name: id, ...(connector && { connector }) });
    const listed = feed.listedBy === 'spotTickers' ? known.spotTickers : known.instruments;
    const [topic = ''] = feed.topics(listed ?? [], ['BTC']);
    const socket = await RecordedSocket.open(simulator.url, `/${id}${feed.path}`);
    const parse = feed.open(() => known);
    let read = 0;
    const frames: Frame[] = [];
    const readAll = (): readonly Frame[] => {
      while (read < socket.frames.length) frames.push(parse(socket.frames[read++] as string));
      return frames;
    };
    socket.send(feed.subscribe([topic]));
    await vi.waitFor(() => expect(readAll()).toContainEqual({ kind: 'subscribed', topics: [topic] }));
    for (let i = 0; i < 40; i += 1) clock.advance(250);
    await vi.waitFor(() =>
      expect(readAll().filter(({ kind }) => kind === 'quotes').length).toBeGreaterThan(9),
    );
    expect(frames.filter(({ kind }) => kind === 'refused')).toEqual([]);
    const last = frames.findLast((frame) => frame.kind === 'quotes')?.quotes[0];
    const now = spotMarketOf(viewOf(id)).quote({ ...BTC_USD, quote: last?.quote ?? '' }, T0 + 10_000);
    expect(last).toMatchObject({
      coin: 'BTC',
      bid: expect.closeTo(now.bid, -2),
      ask: expect.closeTo(now.ask, -2),
    });
    expect(last?.bid).toBeLessThan(last?.ask as number);
    socket.send(feed.unsubscribe([topic]));
    await vi.waitFor(() => expect(simulator.violations[id]).toEqual({}));
    socket.close();
  });

  it('are pushed of every pair that one frame names', async () => {
    const known = await learn({ id, name: id, ...(connector && { connector }) });
    const listed = feed.listedBy === 'spotTickers' ? known.spotTickers : known.instruments;
    const topics = feed.topics(listed ?? [], ['BTC', 'ETH', 'SOL']).slice(0, feed.topicsPerFrame);
    expect(topics).toHaveLength(3);
    const socket = await RecordedSocket.open(simulator.url, `/${id}${feed.path}`);
    const parse = feed.open(() => known);
    socket.send(feed.subscribe(topics));
    await vi.waitFor(() => expect(socket.frames.length).toBeGreaterThan(0));
    for (let i = 0; i < 40; i += 1) clock.advance(250);
    const coins = new Set<string>();
    let read = 0;
    await vi.waitFor(() => {
      for (; read < socket.frames.length; read += 1) {
        const frame = parse(socket.frames[read] as string);
        if (frame.kind === 'quotes') for (const { coin } of frame.quotes) coins.add(coin);
      }
      expect([...coins].toSorted()).toEqual(['BTC', 'ETH', 'SOL']);
    });
    socket.close();
  });

  it('are refused, or silent, of a pair that is not listed', async () => {
    const socket = await RecordedSocket.open(simulator.url, `/${id}${feed.path}`);
    const parse = feed.open(() => ({}));
    socket.send(feed.subscribe(['FOOBAR']));
    await vi.waitFor(() => {
      const kinds = socket.frames.map((frame) => parse(frame).kind);
      expect(kinds.some((kind) => kind === 'refused' || kind === 'subscribed')).toBe(true);
    });
    clock.advance(5_000);
    expect(socket.frames.map((frame) => parse(frame).kind)).not.toContain('quotes');
    socket.close();
  });
});

describe('the feed of Coinbase', () => {
  const subscription = { type: 'subscribe', product_ids: ['BTC-USD'], channels: ['matches', 'heartbeat'] };
  const reported = (socket: RecordedSocket): { type: string }[] =>
    socket.frames.map((frame) => JSON.parse(frame) as { type: string });

  it('beats once a second', async () => {
    const socket = await RecordedSocket.open(simulator.url, '/coinbase/');
    socket.send(subscription);
    await vi.waitFor(() => expect(socket.frames).toHaveLength(2));
    for (let i = 0; i < 40; i += 1) clock.advance(250);
    await vi.waitFor(() =>
      expect(reported(socket).filter(({ type }) => type === 'heartbeat')).toHaveLength(10),
    );
    socket.close();
  });

  it('refuses what it does not have', async () => {
    const socket = await RecordedSocket.open(simulator.url, '/coinbase/');
    socket.send({ ...subscription, product_ids: ['FOO-USD'] });
    socket.send({ ...subscription, channels: ['full'] });
    socket.send('noise');
    await vi.waitFor(() =>
      expect(reported(socket).map(({ type }) => type)).toEqual(['error', 'error', 'error']),
    );
    socket.close();
  });
});
