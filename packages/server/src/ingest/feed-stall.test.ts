import type { Frame } from '@crosstape/venues';
import { afterEach, expect, test, vi } from 'vitest';
import { renewTopic } from '../topics.ts';
import { fakeFeed } from './testing/fake-venue.ts';
import { quiet, type Rig, type RigOptions, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

async function start(options: RigOptions = {}): Promise<void> {
  rig = await startRig({ feeds: [fakeFeed()], coins: ['BTC', 'ETH'], ...options });
}

async function startOk(options: RigOptions = {}): Promise<void> {
  await start(options);
  await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
}

function say(frame: string | Buffer): void {
  for (const socket of rig.venue.sockets) socket.send(frame);
}

/** The venue trades once every so often, for a while. */
async function trade(forMs: number, everyMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += everyMs) {
    say('T BTC 100');
    await quiet();
    await rig.pass(everyMs);
  }
}

test('a stall of a busy feed is called within seconds, though pings are answered, and ends with data alone', async () => {
  await startOk();
  await trade(60_000, 500);
  expect(rig.venue.connections).toBe(1);
  await rig.pass(4_000, 500);
  expect(rig.health('trades')?.status).toBe('ok');
  await rig.passUntil(() => rig.health('trades')?.status === 'stale', 8_000);
  expect(rig.health('trades')?.error).toMatch(/No data for (8|9) s/);
  // Connected and subscribed again, but as silent as before: not ok.
  await rig.passUntil(() => rig.venue.connections === 2 && rig.venue.sockets.length === 1, 3_000);
  await rig.pass(3_000, 500);
  expect(rig.health('trades')?.status).toBe('stale');
  say('T BTC 100');
  await vi.waitFor(() => expect(rig.health('trades')?.status).toBe('ok'));
});

test('a stall in the first seconds of a busy feed is called as soon as its rate is known', async () => {
  await startOk();
  await trade(10_000, 100);
  await rig.pass(4_000, 500);
  expect(rig.health('trades')?.status).toBe('ok');
  await rig.passUntil(() => rig.health('trades')?.status === 'stale', 2_000);
});

test('a stall is called for every freeze in a row, however many were called before', async () => {
  await startOk();
  await trade(60_000, 200);
  for (const frozenMs of [8_000, 15_000, 30_000, 50_000]) {
    const before = rig.venue.connections;
    await rig.pass(frozenMs, 1_000);
    expect(rig.venue.connections, `after ${frozenMs} ms`).toBeGreaterThan(before);
    await trade(30_000, 200);
  }
});

test('a stall is not called on a feed that is slow but regular', async () => {
  await startOk();
  await trade(600_000, 8_000);
  expect(rig.venue.connections).toBe(1);
  expect(rig.health('trades')?.status).toBe('ok');
});

test('a stall is not called after a burst on a feed that is slow otherwise', async () => {
  await startOk();
  await trade(120_000, 8_000);
  for (let i = 0; i < 500; i += 1) say('T BTC 100');
  await quiet(100);
  await trade(300_000, 8_000);
  expect(rig.frames.length).toBeGreaterThan(500);
  expect(rig.venue.connections).toBe(1);
});

test('a stall is called at the latest after what the feed allows, also when it never said anything', async () => {
  await startOk();
  await rig.pass(58_000, 1_000);
  expect(rig.health('trades')?.status).toBe('ok');
  await rig.passUntil(() => rig.health('trades')?.status === 'stale', 3_000);
});

test('a stall that the back-fill disproves counts towards the rate: a market that turned quiet is not called stalled forever', async () => {
  const parse = (text: string): Frame => {
    const [kind = '', ...times] = text.split(' ');
    const trades = times.map((time) => ({
      coin: 'BTC',
      side: 'buy' as const,
      price: 1,
      size: 1,
      venueTs: Number(time),
      tid: Number(time),
    }));
    return kind === 'pong' ? { kind: 'heartbeat' } : { kind: 'trades', trades, isBackfill: kind === 'B' };
  };
  const traded: number[] = [];
  await start({
    feeds: [fakeFeed({ open: () => parse })],
    prepare: (venue) => {
      venue.reply = (frame, socket) => {
        if (frame === 'ping') socket.send('pong');
        if (frame === 'sub ETH') socket.send(`B ${traded.slice(-10).join(' ')}`);
      };
    },
  });
  const tradeEvery = async (everyMs: number, forMs: number): Promise<void> => {
    for (let passedMs = 0; passedMs < forMs; passedMs += everyMs) {
      traded.push(rig.clock.now());
      say(`T ${rig.clock.now()}`);
      await rig.pass(everyMs, Math.min(everyMs, 1_000));
    }
  };
  await rig.passUntil(() => rig.venue.sockets.length === 1, 3_000);
  await tradeEvery(500, 60_000);
  const before = rig.venue.connections;
  await tradeEvery(25_000, 20 * 60_000);
  expect(rig.venue.connections).toBeGreaterThan(before);
  const settled = rig.venue.connections;
  await tradeEvery(25_000, 20 * 60_000);
  expect(rig.venue.connections).toBe(settled);
});

test('subscribing again to a topic happens on one socket only, one topic after the other', async () => {
  await startOk({ feeds: [fakeFeed({ sockets: 2 })] });
  await rig.passUntil(() => rig.venue.sockets.length === 2, 3_000);
  say('T BTC 100');
  await rig.pass(100);
  rig.venue.received.length = 0;
  rig.bus.publish(renewTopic, { venue: 'fake', feed: 'trades', topics: ['BTC', 'ETH', 'XRP'] });
  await vi.waitFor(() => expect(rig.venue.received).toHaveLength(4));
  expect(rig.venue.received).toEqual(['unsub BTC', 'sub BTC', 'unsub ETH', 'sub ETH']);
  expect(rig.venue.connections).toBe(2);
});
