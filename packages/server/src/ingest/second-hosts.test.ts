import { ManualClock } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { allPublishers, type Publisher } from '@crosstape/venues';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalBus } from '../platform/local-bus.ts';
import { snapshotTopic } from '../topics.ts';
import { quiet } from './testing/rig.ts';
import { startSimulatedEngine } from './testing/simulated-engine.ts';

/** Nothing listens here. */
const DEAD = 'http://127.0.0.1:1';
const WAIT_MAX_MS = 60_000;
const sources = ['bybit', 'bybit-spot', 'okx', 'okx-spot', 'binance-spot', 'mexc'];

let clock: ManualClock;
let simulator: Simulator;
beforeEach(async () => {
  clock = new ManualClock(Date.UTC(2026, 10, 16, 14, 30));
  simulator = await startSimulator({ port: 0, seed: 3, clock, sources });
});
afterEach(() => simulator.close());

/** The venue with its documented addresses: the first is dead, the others are the simulator's. */
function moved(publisher: Publisher): Publisher {
  const { id, connector } = publisher;
  if (!connector) throw new Error(`${id} has no connector`);
  const other = `${simulator.url}/${id}`;
  const moving = {
    ...connector,
    origins: { rest: `${DEAD}/${id}`, ws: `${DEAD.replace('http', 'ws')}/${id}` },
    ...(connector.otherRest && { otherRest: connector.otherRest.map(() => other) }),
    feeds: [],
  };
  return { ...publisher, connector: moving };
}

test.each([
  ['bybit', 'instruments', ['https://api.bytick.com']],
  ['bybit-spot', 'spotTickers', ['https://api.bytick.com']],
  ['okx', 'instruments', ['https://openapi.okx.com']],
  ['okx-spot', 'spotTickers', ['https://openapi.okx.com']],
  ['binance-spot', 'spotTickers', ['https://api.binance.com', 'https://api-gcp.binance.com']],
  ['mexc', 'instruments', ['https://contract.mexc.com']],
] as const)('%s is asked at its second host when the first cannot be reached', async (id, table, hosts) => {
  const publisher = allPublishers.find((one) => one.id === id);
  expect(publisher?.connector?.otherRest).toEqual(hosts);
  if (!publisher) return;
  const venue = moved(publisher);
  const bus = new LocalBus(clock);
  const engine = startSimulatedEngine({ url: DEAD, venues: [venue], primaryVenue: id, bus, clock });
  const rows = (): number => bus.latest(snapshotTopic(id, table))?.message.rows.length ?? 0;
  for (let passedMs = 0; passedMs < WAIT_MAX_MS && rows() === 0; passedMs += 500) {
    clock.advance(500);
    await quiet(50);
  }
  expect(rows()).toBeGreaterThan(10);
  await engine.stop();
});
