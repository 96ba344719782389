import { HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SseClient } from '../../../api/testing/sse-client.ts';
import {
  printOf,
  START_MS,
  silentLog,
  type StreamService,
  startStreamService,
} from '../../../api/testing/stream-service.ts';
import { TestTape } from '../../../api/testing/test-tape.ts';
import { type Gap, GapLedger } from '../../tape/gap-ledger.ts';
import {
  type RecordedMarket,
  recordedMarketsTopic,
  type VenuePrint,
  venuePrintTopic,
} from '../../../topics.ts';
import { MarketTable } from '../../market-tape/market-table.ts';
import { VENUE_WHALES, WhaleTable } from '../whale-table.ts';
import { createWhaleReader } from '../whales.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const fromTs = START_MS - 10 * MINUTE_MS;

function marketOf(symbol: string, coin: string): RecordedMarket {
  const unit = { quote: 'USDT', contractSize: 0.01, scale: 1, publisher: 'okx', isCounted: true };
  return { ...unit, id: `okx:${symbol}`, venue: 'okx', kind: 'perp', symbol, coin };
}
const btc = marketOf('BTC-USDT-SWAP', 'BTC');
const eth = marketOf('ETH-USDT-SWAP', 'ETH');

let service: StreamService;
let tape: TestTape;

/** A service that has just started, with the record of a previous one. */
beforeEach(async () => {
  service = await startStreamService({
    record: async ({ clock, bus }) => {
      tape = await TestTape.open({ clock, bus, log: silentLog });
      const { tape: reader, coverage, markets, store, jobs, folder } = tape;
      const whales = createWhaleReader({
        clock,
        bus,
        table: new WhaleTable(store),
        venueTable: new WhaleTable<VenuePrint>(store, VENUE_WHALES),
        jobs,
        folder,
        venue: 'hyperliquid',
        recordedSinceMs: async () => 0,
      });
      return { clock, bus, tape: reader, coverage, markets, whales, primaryVenue: 'hyperliquid' };
    },
  });
  await new MarketTable(tape.store).put([btc, eth], START_MS - HOUR_MS);
  service.bus.publish(recordedMarketsTopic, [btc, eth]);
  service.healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'ok');
  await tape.connected(START_MS - HOUR_MS, START_MS + MINUTE_MS);
  await connected();
});
afterEach(async () => {
  await service.close();
  await tape.close();
});

/** The feed of the other venue was up, but for these gaps. */
async function connected(...gaps: readonly Gap[]): Promise<void> {
  const ledger = new GapLedger(tape.store, 'okx');
  const span = { from: START_MS - HOUR_MS, to: START_MS + MINUTE_MS };
  await tape.store.commit([ledger.extending(span), ...ledger.entering(gaps)]);
}

function venuePrint(tid: number, agoMs: number, market = btc): VenuePrint {
  const ts = START_MS - agoMs;
  return { ...printOf(service.clock, tid, { ts, venue: 'okx', coin: market.coin }), market: market.id };
}

async function storePrints(prints: readonly VenuePrint[]): Promise<void> {
  await new WhaleTable<VenuePrint>(tape.store, VENUE_WHALES).append(prints);
}

async function resume(path: string, id = fromTs): Promise<SseClient> {
  const client = await service.connect(path, { lastEventId: String(id) });
  await vi.waitUntil(() => client.events.length > 0, WAIT);
  return client;
}

const tidsOf = (client: SseClient): unknown[] => client.named('whale').map(({ data }) => data['tid']);

test('after a restart a resume brings the stored prints of all venues, once and in order', async () => {
  await new WhaleTable(tape.store).append([
    printOf(service.clock, 2, { ts: START_MS - 40_000 }),
    printOf(service.clock, 9, { ts: fromTs - HOUR_MS }),
  ]);
  const logged = venuePrint(5, 1_000);
  await storePrints([venuePrint(1, 50_000), venuePrint(3, 30_000, eth), venuePrint(4, 20_000), logged]);
  service.bus.publish(venuePrintTopic, logged);
  const client = await resume('whales?venues=all');
  await vi.waitUntil(() => tidsOf(client).length >= 5, WAIT);
  service.bus.publish(venuePrintTopic, venuePrint(6, 0));
  await vi.waitUntil(() => tidsOf(client).length >= 6, WAIT);
  expect(tidsOf(client)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(client.events[0]?.data).toEqual({ ts: fromTs, now: START_MS, resumed: true });
  const markets = client.named('whale').map(({ data }) => data['market']);
  expect(markets.slice(0, 3)).toEqual([btc.id, 'hyperliquid:BTC', eth.id]);
});

test('a resume of one market, or of one coin, brings only theirs', async () => {
  await new WhaleTable(tape.store).append([printOf(service.clock, 2, { ts: START_MS - 40_000 })]);
  await storePrints([venuePrint(1, 50_000), venuePrint(3, 30_000, eth)]);
  const [market, coin] = [
    await resume(`whales?market=${btc.id}`),
    await resume('whales?venues=all&coin=eth'),
  ];
  for (const tid of [4, 5]) service.bus.publish(venuePrintTopic, venuePrint(tid, 0, tid === 4 ? btc : eth));
  await vi.waitUntil(() => tidsOf(market).length >= 2 && tidsOf(coin).length >= 2, WAIT);
  expect([tidsOf(market), tidsOf(coin)]).toEqual([
    [1, 4],
    [3, 5],
  ]);
  for (const client of [market, coin]) expect(client.events[0]?.data).toMatchObject({ resumed: true });
});

test('only what the ledgers of its markets report as gaps is called lost', async () => {
  const gap = { from: START_MS - 50_000, to: START_MS - 40_000, state: 'missing', reason: 'test' } as const;
  await connected({ coin: eth.symbol, ...gap });
  const lost = { resumed: true, lostFrom: gap.from, lostTo: gap.to - 1 };
  expect((await resume('whales?venues=all')).events[0]?.data).toMatchObject(lost);
  expect((await resume(`whales?market=${eth.id}`)).events[0]?.data).toMatchObject(lost);
  expect((await resume(`whales?market=${btc.id}`)).events[0]?.data).not.toHaveProperty('lostFrom');
});

test.each([
  ['of more than an hour ago', 'whales?venues=all', START_MS - HOUR_MS - 1],
  ['below what is stored', 'whales?venues=all&minUsd=50000', fromTs],
])('what is %s is called lost', async (_, path, id) => {
  const client = await resume(path, id);
  expect(client.events[0]?.data).toMatchObject({ resumed: false, lostFrom: id });
});

test('its state is that of every recorded feed, that of its own market', async () => {
  service.healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'down', 'No route.');
  const all = await resume('whales?venues=all', START_MS);
  const market = await resume(`whales?market=${btc.id}`, START_MS);
  const primary = await resume('whales', START_MS);
  const reason = 'okx market-trades: No route.';
  expect(all.events[0]?.data).toMatchObject({ state: 'stale', partial: true, reason });
  expect(market.events[0]?.data).toMatchObject({ state: 'down', reason });
  expect(primary.events[0]?.data).not.toHaveProperty('state');
  service.healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'ok');
  await vi.waitUntil(() => all.named('heartbeat').length >= 2, WAIT);
  expect(all.named('heartbeat')[1]?.data).not.toHaveProperty('state');
  service.healths.turn({ publisher: 'hyperliquid', gives: 'trades' }, 'down', 'Gone.');
  await vi.waitUntil(() => all.named('heartbeat').length >= 3, WAIT);
  expect(all.named('heartbeat')[2]?.data).toMatchObject({ state: 'stale', partial: true });
  expect((await resume(`whales?market=${btc.id}`, START_MS)).events[0]?.data).not.toHaveProperty('state');
});
