import type { Trade } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog, startStreamService } from '../../api/testing/stream-service.ts';
import { TestTape } from '../../api/testing/test-tape.ts';
import { GatewayService, START_MS } from '../../gateway/testing/gateway-service.ts';
import {
  gapTopic,
  marketSeedingTopic,
  type RecordedMarket,
  recordedMarketsTopic,
  tradeTopic,
  venuePrintTopic,
} from '../../topics.ts';
import { awaitedMarketsTopic } from './followed-tape.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';

const symbol = 'BTC-USDT-SWAP';
const market: RecordedMarket = {
  id: `okx:${symbol}`,
  venue: 'okx',
  kind: 'perp',
  symbol,
  coin: 'BTC',
  quote: 'USDT',
  contractSize: 0.01,
  scale: 1,
  publisher: 'okx',
  isCounted: true,
};
const named = { symbol: 'BTC', market: market.id };

/** In contracts, as the venue counts. */
function contracts(tid: number, ts: number): Trade {
  const one = { coin: symbol, venue: 'okx', side: 'buy', sameOrder: false } as const;
  return { ...one, price: 96_500.5, size: 3, notionalUsd: 289_501.5, ts, tid };
}

/** Records trades of the market as sealed chunk. */
async function record(tape: TestTape, trades: readonly Trade[]): Promise<void> {
  const buffer = new TickBuffer();
  for (const trade of trades) buffer.add(trade);
  await tape.store.commit(new TickTable(tape.store, 'okx').sealing(symbol, buffer, trades.length, []));
}

describe('the gateway', () => {
  let service: GatewayService;
  beforeEach(async () => {
    service = await GatewayService.start({ hasTape: true });
    service.bus.publish(recordedMarketsTopic, [market]);
    service.healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'ok');
  });
  afterEach(() => service.close());
  const release = (tid: number): void =>
    service.bus.publish(tradeTopic(market.id), contracts(tid, service.clock.now()));

  it('takes subscriptions to a listed market whose venue is not recorded yet, and says that it is down', async () => {
    service.bus.publish(recordedMarketsTopic, []);
    const client = await service.connect();
    const subscribe = { op: 'subscribe', id: 1, channel: 'trades', market: market.id };
    expect(await client.ask(subscribe)).toMatchObject({ type: 'error', code: 'unknown_symbol' });
    service.bus.publish(awaitedMarketsTopic, [market]);
    service.healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'down');
    expect(await client.ask({ ...subscribe, id: 2 })).toMatchObject({ type: 'ack', ...named });
    await client.until(() => client.of('status').length === 1);
    expect(client.of('status')).toMatchObject([{ ...named, state: 'down' }]);
    service.bus.publish(recordedMarketsTopic, [market]);
    service.bus.publish(awaitedMarketsTopic, []);
    service.healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'ok');
    release(1);
    await client.until(() => client.data('trades').length === 1);
    expect(client.of('status')).toMatchObject([{ state: 'down' }, { state: 'live' }]);
  });

  it.each([
    [[market.id], { state: 'refilled', reason: 'recorded with the first-run history' }],
    [[], { state: 'missing', reason: 'the market was not recorded yet' }],
  ])(
    'reports what was traded before the live trades of an awaited market, and reads its bars again (created: %j)',
    async (markets, state) => {
      service.bus.publish(recordedMarketsTopic, []);
      service.bus.publish(awaitedMarketsTopic, [market]);
      service.bus.publish(marketSeedingTopic, { isDone: false, markets });
      const client = await service.connect();
      await client.ask({ op: 'subscribe', id: 1, channel: 'trades', market: market.id });
      await client.ask({ op: 'subscribe', id: 2, channel: 'candles', interval: '1d', market: market.id });
      await record(service.tape, [contracts(1, START_MS + 100)]);
      service.clock.advance(1_000);
      const createdTo = { okx: START_MS + 900 };
      service.bus.publish(marketSeedingTopic, { isDone: false, markets, createdTo });
      service.bus.publish(recordedMarketsTopic, [market]);
      service.bus.publish(awaitedMarketsTopic, []);
      release(2);
      await client.until(() => {
        service.clock.advance(100);
        return client.data('candles').at(-1)?.payload.trades === 2;
      });
      service.bus.publish(marketSeedingTopic, { isDone: true, markets: [], createdTo });
      await client.ask({ op: 'auth', id: 3 });
      expect(client.data('trades')).toMatchObject([{ payload: { tid: 2 } }]);
      const gap = { from: START_MS, to: START_MS + 900, ...state };
      expect(client.of('gap')).toEqual([{ type: 'gap', channel: 'trades', ...named, ...gap }]);
    },
  );

  it('continues the recorded trades of a market with live ones, in coins', async () => {
    await record(
      service.tape,
      [1, 2, 3].map((tid) => contracts(tid, START_MS - 10_000 + tid)),
    );
    const client = await service.connect();
    const since = { ts: START_MS - 9_999, count: 1 };
    const subscribe = { op: 'subscribe', id: 1, channel: 'trades', market: 'OKEX:btc-usdt-swap', since };
    expect(await client.ask(subscribe)).toMatchObject({ type: 'ack', ...named });
    release(4);
    const gap = { from: START_MS - 5, to: START_MS, state: 'missing', reason: 'no socket' } as const;
    service.bus.publish(gapTopic(market.id), { ts: START_MS, ...gap });
    // Those of the primary venue, and of its gaps, are not among them.
    service.release(service.trade());
    release(5);
    await client.until(() => client.data('trades').length === 4);
    expect(client.data('trades').map(({ payload }) => payload.tid)).toEqual([2, 3, 4, 5]);
    for (const frame of client.data('trades'))
      expect(frame).toMatchObject({ ...named, payload: { price: 96_500.5, size: 0.03 } });
    expect(client.of('caughtUp')).toMatchObject([named]);
    expect(client.of('gap')).toMatchObject([{ ...named, ...gap }]);
    const unsubscribe = { op: 'unsubscribe', id: 2, channel: 'trades', market: market.id };
    expect(await client.ask(unsubscribe)).toMatchObject({ type: 'ack', ...named });
    expect(service.gateway.counts()).toMatchObject({ subscriptions: 0 });
  });

  it('sums candles of a market in coins, weeks from Monday on', async () => {
    await record(service.tape, [contracts(1, START_MS - 2)]);
    const client = await service.connect();
    const subscribe = { op: 'subscribe', id: 1, channel: 'candles', interval: '1w', market: market.id };
    expect(await client.ask(subscribe)).toMatchObject({ type: 'ack', ...named });
    release(2);
    await client.until(() => {
      service.clock.advance(100);
      return client.data('candles').at(-1)?.payload.trades === 2;
    });
    const { payload } = client.data('candles').at(-1) ?? {};
    expect(payload).toMatchObject({ volume: 0.06, buyVolume: 0.06, close: 96_500.5, closed: false });
    expect(new Date(payload?.openTs as number).getUTCDay()).toBe(1);
  });

  it.each([
    ['footprint', { levels: [[96_500.5, 0.06, 0]], delta: 0.06 }],
    ['candles', { open: 96_500.5, close: 96_500.5, buyVolume: 0.06, trades: 2 }],
  ])('sums %s in coins, apart from those of the coin', async (channel, payload) => {
    await record(service.tape, [contracts(1, START_MS - 2)]);
    const client = await service.connect();
    const subscribe = { op: 'subscribe', channel, interval: '1d' };
    await client.ask({ ...subscribe, id: 1, symbol: 'BTC' });
    expect(await client.ask({ ...subscribe, id: 2, market: market.id })).toMatchObject(named);
    release(2);
    await client.until(() => {
      service.clock.advance(1_000);
      return client.data(channel).at(-1)?.payload.volume === 0.06;
    });
    expect(client.data(channel).at(-1)).toMatchObject({
      ...named,
      payload,
    });
  });

  it('reports the health of the market, not that of the primary venue', async () => {
    const client = await service.connect();
    await client.ask({ op: 'subscribe', id: 1, channel: 'trades', market: market.id });
    service.healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'down');
    await client.until(() => client.of('status').length === 1);
    expect(client.of('status')).toMatchObject([{ ...named, state: 'down' }]);
  });

  it.each([
    [{ market: market.id, symbol: 'BTC' }, 'bad_request', 'Fields `symbol` and `market` exclude each other.'],
    [{}, 'bad_request', 'Field `symbol` is missing; it must be a ticker of 1 to 32 characters.'],
    [{ market: 'perp:BTC' }, 'bad_request', /has no tape of its own/],
    [{ market: 'nowhere:BTC' }, 'bad_request', /^Field `market`: nowhere is not a venue/],
    [{ market: 'okx:DOGE-USDT-SWAP' }, 'unknown_symbol', /is not recorded/],
    [{ market: 'hl:nothing' }, 'unknown_symbol', /no coin `nothing`/],
  ])('refuses %j', async (fields, code, message) => {
    const client = await service.connect();
    const answer = await client.ask({ op: 'subscribe', id: 1, channel: 'trades', ...fields });
    expect(answer).toMatchObject({ type: 'error', code });
    expect(answer.message).toMatch(message);
  });

  it('takes a market of the primary venue for its coin', async () => {
    const client = await service.connect();
    const answer = await client.ask({ op: 'subscribe', id: 1, channel: 'trades', market: 'HL:btc' });
    expect(answer).toMatchObject({ type: 'ack', symbol: 'BTC' });
    expect(answer).not.toHaveProperty('market');
  });
});

it('streams a market over SSE: resumed from its record, in coins, filtered by their value', async () => {
  let tape: TestTape | undefined;
  const service = await startStreamService({
    record: async ({ clock, bus }) => {
      tape = await TestTape.open({ clock, bus, log: silentLog });
      const { tape: reader, coverage, markets } = tape;
      const whales = { newest: () => expect.fail('not asked'), ofMarkets: () => expect.fail('not asked') };
      return { clock, bus, tape: reader, coverage, markets, whales, primaryVenue: 'hyperliquid' };
    },
  });
  try {
    service.bus.publish(recordedMarketsTopic, [market]);
    await record(tape as TestTape, [contracts(1, START_MS - 10_000), contracts(2, START_MS - 9_000)]);
    const lastEventId = String(START_MS - 9_500);
    const path = `trades?market=okx:btc-usdt-swap&minUsd=2000`;
    const client = await service.connect(path, { lastEventId });
    service.bus.publish(tradeTopic(market.id), { ...contracts(3, START_MS), size: 2 });
    service.bus.publish(tradeTopic(market.id), contracts(4, START_MS));
    await vi.waitFor(() => expect(client.events.length).toBeGreaterThan(2));
    expect(client.events.slice(1).map(({ data }) => data)).toMatchObject(
      [2, 4].map((tid) => ({ tid, coin: 'BTC', market: market.id, size: 0.03, notionalUsd: 2895.015 })),
    );
    for (const query of ['', `coin=BTC&market=${market.id}`])
      expect((await service.connect(`trades?${query}`)).status).toBe(400);
  } finally {
    await service.close();
    await tape?.close();
  }
});

it('streams prints of one market and of all venues over SSE', async () => {
  let tape: TestTape | undefined;
  const service = await startStreamService({
    record: async ({ clock, bus }) => {
      tape = await TestTape.open({ clock, bus, log: silentLog });
      const { tape: reader, coverage, markets } = tape;
      const whales = { newest: () => expect.fail('not asked'), ofMarkets: () => expect.fail('not asked') };
      return { clock, bus, tape: reader, coverage, markets, whales, primaryVenue: 'hyperliquid' };
    },
  });
  try {
    service.bus.publish(recordedMarketsTopic, [market]);
    const one = await service.connect('whales?market=okx:btc-usdt-swap');
    const all = await service.connect('whales?venues=all&coin=btc&minUsd=50000');
    const print = { coin: 'BTC', venue: 'okx', side: 'buy', price: 1, size: 1, fills: 1 } as const;
    const publish = (tid: number, id: string, notionalUsd: number): void =>
      service.bus.publish(venuePrintTopic, {
        ...print,
        notionalUsd,
        ts: START_MS,
        tid,
        market: id,
        grouping: 'order',
      });
    publish(1, 'hyperliquid:BTC', 150_000);
    publish(2, market.id, 60_000);
    publish(3, market.id, 200_000);
    publish(4, market.id, 40_000);
    const tids = (client: typeof one): unknown[] =>
      client.events.flatMap(({ name, data }) => (name === 'whale' ? [data.tid] : []));
    await vi.waitFor(() => expect(tids(all)).toEqual([1, 2, 3]));
    expect(tids(one)).toEqual([3]);
    const last = one.events.at(-1)?.data;
    expect(last).toMatchObject({ market: market.id, grouping: 'order', venue: 'okx', notionalUsd: 200_000 });
    for (const path of ['whales?venues=all&minUsd=9999', 'whales?venues=all&market=okx:BTC-USDT-SWAP'])
      expect((await service.connect(path)).status).toBe(400);
  } finally {
    await service.close();
    await tape?.close();
  }
});
