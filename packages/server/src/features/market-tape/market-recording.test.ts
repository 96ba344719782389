import { ManualClock, type Market } from '@crosstape/core';
import { marketVenues, venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { type MarketChoice, readMarketChoice } from '../../platform/market-choice.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { type RecordedMarket, recordedMarketsTopic, snapshotTopic } from '../../topics.ts';
import { awaitedMarketsTopic } from './followed-tape.ts';
import type { FeedChange } from '../../ingest/feed-sink.ts';
import { startMarketRecording } from './market-recording.ts';
import { MarketTable, type StoredMarket } from './market-table.ts';

const T = 1_790_000_000_000;
const place = storePerTest();
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const contract = (symbol: string, quote: string): Market => ({
  id: `bybit:${symbol}`,
  venue: 'bybit',
  kind: 'perp',
  symbol,
  coin: 'BTC',
  quote,
  contractSize: 1,
  scale: 1,
});

it('waits for the open interest of a venue before it chooses among its contracts', async () => {
  const clock = new ManualClock(T);
  const bus = new LocalBus(clock);
  const bybit = venues.find(({ id }) => id === 'bybit');
  const feed = bybit?.connector?.marketTrades;
  if (!bybit || !feed) throw new Error('bybit has no trade feed');
  const followed: (readonly string[])[] = [];
  const recording = startMarketRecording({
    choice: { top: 1 },
    clock,
    bus,
    log: silent,
    store: place.store,
    retentionDays: 7,
    keptFromMs: (keepMs) => clock.now() - keepMs,
    primaryVenue: 'hyperliquid',
    onTrade: () => undefined,
    onGap: () => undefined,
  });
  const receiver = recording.open({
    publisher: bybit,
    feed,
    follow: (markets) => followed.push(markets.map(({ symbol }) => symbol)),
    past: () => Promise.resolve({ trades: [], isWhole: true }),
  });
  const publish = (venue: string, rows: readonly { symbol: string; coin: string; usd: number }[]): void =>
    bus.publish(snapshotTopic(venue, 'openInterest'), {
      venue,
      rows: rows.map((row) => ({ ...row, value: row.usd, contracts: 1, coins: 1 })),
      fetchedAtMs: clock.now(),
      everyMs: 10_000,
    });
  receiver.listed([contract('BTCPERP', 'USDC'), contract('BTCUSDT', 'USDT')]);
  publish('hyperliquid', [{ symbol: 'BTC', coin: 'BTC', usd: 9 }]);
  // The store is opened in the background.
  await place.store.table('none', 'json').get(['x']);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(followed).toEqual([]);
  publish('bybit', [
    { symbol: 'BTCPERP', coin: 'BTC', usd: 1 },
    { symbol: 'BTCUSDT', coin: 'BTC', usd: 5 },
  ]);
  await expect.poll(() => followed).toEqual([['BTCUSDT']]);
  await recording.stop();
});

it('announces the markets of the last run until their venue is recorded', async () => {
  const clock = new ManualClock(T);
  const bus = new LocalBus(clock);
  const before = (publisher: string): RecordedMarket => ({
    ...contract('BTCUSDT', 'USDT'),
    id: `${publisher}:BTCUSDT`,
    venue: publisher,
    publisher,
    isCounted: false,
  });
  await new MarketTable(place.store).put([before('bybit'), before('binance'), before('gone')], T);
  const recording = startMarketRecording({
    choice: { patterns: [/./] },
    clock,
    bus,
    log: silent,
    store: place.store,
    retentionDays: 7,
    keptFromMs: (keepMs) => clock.now() - keepMs,
    primaryVenue: 'hyperliquid',
    onTrade: () => undefined,
    onGap: () => undefined,
  });
  const [bybit] = ['bybit', 'binance'].map((venue) => {
    const publisher = venues.find(({ id }) => id === venue)!;
    const past = () => Promise.resolve({ trades: [], isWhole: true });
    return recording.open({
      publisher,
      feed: publisher.connector!.marketTrades!,
      follow: () => undefined,
      past,
    });
  });
  const awaited = () =>
    bus
      .latest(awaitedMarketsTopic)
      ?.message.map(({ id }) => id)
      .toSorted();
  await expect.poll(awaited).toEqual(['binance:BTCUSDT', 'bybit:BTCUSDT']);
  bybit!.listed([contract('BTCUSDT', 'USDT')]);
  await expect.poll(awaited).toEqual(['binance:BTCUSDT']);
  expect(bus.latest(recordedMarketsTopic)?.message).toMatchObject([{ id: 'bybit:BTCUSDT' }]);
  await recording.stop();
});

it('keeps the list of the ingester before until a venue has its own', async () => {
  const clock = new ManualClock(T);
  const bus = new LocalBus(clock);
  const of = (publisher: string, symbol: string): RecordedMarket => ({
    ...contract(symbol, 'USDT'),
    id: `${publisher}:${symbol}`,
    venue: publisher,
    publisher,
    isCounted: false,
  });
  bus.publish(recordedMarketsTopic, [
    of('bybit', 'OLDUSDT'),
    of('binance', 'BTCUSDT'),
    of('binance', 'NOTCHOSEN'),
    of('gone', 'BTCUSDT'),
  ]);
  const recording = startMarketRecording({
    choice: { patterns: [/:.*USDT$/] },
    clock,
    bus,
    log: silent,
    store: place.store,
    retentionDays: 7,
    keptFromMs: (keepMs) => clock.now() - keepMs,
    primaryVenue: 'hyperliquid',
    onTrade: () => undefined,
    onGap: () => undefined,
    turn: { led: Promise.resolve(), published: () => [] },
  });
  const [bybit] = ['bybit', 'binance'].map((venue) => {
    const publisher = venues.find(({ id }) => id === venue)!;
    return recording.open({ publisher, feed: publisher.connector!.marketTrades!, follow: () => undefined });
  });
  bybit!.listed([contract('BTCUSDT', 'USDT')]);
  await expect
    .poll(() => bus.latest(recordedMarketsTopic)?.message.map(({ id }) => id), { timeout: 120_000 })
    .toEqual(['bybit:BTCUSDT', 'binance:BTCUSDT']);
  await recording.stop();
});

it('stores markets with their units before their history is created', async () => {
  const clock = new ManualClock(T);
  const okx = venues.find(({ id }) => id === 'okx')!;
  const market = { ...contract('BTC-USDT-SWAP', 'USDT'), id: 'okx:BTC-USDT-SWAP', venue: 'okx' };
  let found: readonly StoredMarket[] = [];
  const recording = startMarketRecording({
    choice: { patterns: [/./] },
    clock,
    bus: new LocalBus(clock),
    log: silent,
    store: place.store,
    retentionDays: 7,
    keptFromMs: (keepMs) => clock.now() - keepMs,
    primaryVenue: 'hyperliquid',
    onTrade: () => undefined,
    onGap: () => undefined,
    prepare: async () => {
      found = await new MarketTable(place.store).all();
    },
  });
  const receiver = recording.open({
    publisher: okx,
    feed: okx.connector!.marketTrades!,
    follow: () => undefined,
  });
  receiver.listed([{ ...market, contractSize: 0.01 }]);
  receiver.receive({ type: 'feed', venue: 'okx', feed: 'market-trades', kind: 'up', atMs: T } as FeedChange);
  await expect.poll(() => found, { timeout: 120_000 }).toMatchObject([{ id: market.id, contractSize: 0.01 }]);
  await recording.stop();
});

it('applies a changed list immediately, and warns about entries that match no listed market', async () => {
  const clock = new ManualClock(T);
  const bus = new LocalBus(clock);
  const bybit = venues.find(({ id }) => id === 'bybit')!;
  const globs: unknown[] = [];
  const choiceOf = (text: string): MarketChoice => readMarketChoice(text, marketVenues)!;
  const recording = startMarketRecording({
    choice: choiceOf('venue_b:BTC*,bybit:NONE,*:NOTHING,okx:*'),
    clock,
    bus,
    log: { ...silent, warn: (fields) => globs.push(fields) },
    store: place.store,
    retentionDays: 7,
    keptFromMs: (keepMs) => clock.now() - keepMs,
    primaryVenue: 'hyperliquid',
    onTrade: () => undefined,
    onGap: () => undefined,
  });
  const follow = (): undefined => undefined;
  const receiver = recording.open({ publisher: bybit, feed: bybit.connector!.marketTrades!, follow });
  const recorded = () => bus.latest(recordedMarketsTopic)?.message.map(({ id }) => id);
  receiver.listed([contract('BTCUSDT', 'USDT'), contract('ETHUSDT', 'USDT')]);
  await expect.poll(recorded).toEqual(['bybit:BTCUSDT']);
  // OKX is not read here.
  expect(globs).toEqual([{ glob: 'bybit:NONE' }, { glob: '*:NOTHING' }]);
  recording.choose(choiceOf('bybit:ETH*'));
  expect(recorded()).toEqual(['bybit:ETHUSDT']);
  recording.choose(choiceOf('primary'));
  expect(recorded()).toEqual([]);
  await recording.stop();
});
