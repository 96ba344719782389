import { afterEach, describe, expect, test, vi } from 'vitest';
import { NO_ANSWER_YET } from '../topics.ts';
import { fakeFeed, fakeResource, oiBody } from './testing/fake-venue.ts';
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

const subscriptions = (): string[] => rig.venue.received.filter((frame) => frame !== 'ping');

test('is idle when nothing that the venue lists is its business', async () => {
  await start({ feeds: [fakeFeed({ topics: () => [] })] });
  await rig.pass(10_000, 1_000);
  expect(rig.health('trades')).toMatchObject({ status: 'down', error: NO_ANSWER_YET });
});

test('connects when there is something to subscribe to, subscribes, and delivers', async () => {
  rig = await startRig({ feeds: [fakeFeed()] });
  await rig.pass(10_000, 1_000);
  expect(rig.venue.connections).toBe(0);
  const error = 'It waits for other tables: instruments.';
  expect(rig.health('trades')).toMatchObject({ status: 'down', gives: ['trades'], error });
  rig.list(['BTC', 'ETH']);
  await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
  expect(subscriptions()).toEqual(['sub BTC', 'sub ETH']);
  say('T BTC 100');
  await vi.waitFor(() => expect(rig.frames).toHaveLength(1));
  expect(rig.frames[0]).toMatchObject({
    venue: 'fake',
    feed: 'trades',
    socket: 0,
    receivedAtMs: rig.clock.now(),
    frame: { kind: 'trades', trades: [{ coin: 'BTC', price: 100 }] },
  });
  expect(rig.socketChanges).toMatchObject([{ kind: 'up', socket: 0 }]);
  await rig.pass(5_000);
  expect(rig.health('trades')).toMatchObject({ messages: 1, refused: 0, reconnects: 0 });
});

test('subscribes again to everything after a cut, and says when data stopped and began', async () => {
  await startOk();
  await trade(2_000, 500);
  const lastDataMs = rig.frames.at(-1)?.receivedAtMs;
  rig.venue.received.length = 0;
  rig.venue.sockets[0]?.terminate();
  await rig.passUntil(() => rig.health('trades')?.status === 'down', 1_000, 10);
  expect(rig.health('trades')?.error).toMatch(/closed the connection \(1006\)/);
  await rig.passUntil(() => rig.health('trades')?.status === 'ok', 2_000);
  expect(subscriptions()).toEqual(['sub BTC', 'sub ETH']);
  await rig.pass(5_000);
  expect(rig.health('trades')?.reconnects).toBe(1);
  expect(rig.socketChanges.map(({ kind }) => kind)).toEqual(['up', 'down', 'up']);
  expect(rig.socketChanges[1]).toMatchObject({ lastDataMs });
});

test('follows what the venue lists, without a new connection', async () => {
  await startOk();
  rig.venue.received.length = 0;
  rig.list(['ETH', 'SOL']);
  await vi.waitFor(() => expect(subscriptions()).toEqual(['unsub BTC', 'sub SOL']));
  rig.list(['ETH', 'SOL']);
  await quiet();
  expect(subscriptions()).toHaveLength(2);
  expect(rig.venue.connections).toBe(1);
});

test('paces its messages under the limit of the venue', async () => {
  const coins = Array.from({ length: 100 }, (_, i) => `C${i}`);
  const feeds = [fakeFeed({ silentMaxMs: 600_000 })];
  await startOk({ coins, feeds, limits: { messagesPerMinute: 80 } });
  await quiet();
  expect(subscriptions()).toHaveLength(20);
  await rig.pass(30_000, 1_000);
  expect(subscriptions().length).toBeGreaterThan(40);
  expect(subscriptions().length).toBeLessThanOrEqual(50);
  await rig.pass(70_000, 1_000);
  expect(subscriptions()).toEqual(coins.map((coin) => `sub ${coin}`));
});

describe('reconnecting', () => {
  test('waits longer and longer, never beyond the connections that the venue allows', async () => {
    await start({
      limits: { connectionsPerMinute: 8 },
      feeds: [fakeFeed({ sockets: 2 })],
      prepare: (venue) => {
        venue.intercept = (_, stream) => void stream.destroy();
      },
    });
    const perMinute: number[] = [];
    for (let minute = 0; minute < 5; minute += 1) {
      const before = rig.venue.connections;
      await rig.pass(60_000, 500);
      perMinute.push(rig.venue.connections - before);
    }
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(8);
    expect(perMinute[4]).toBeGreaterThanOrEqual(2);
    expect(rig.health('trades')?.status).toBe('down');
    rig.venue.intercept = undefined;
    await rig.passUntil(() => rig.health('trades')?.status === 'ok', 60_000);
  });

  test('a connection that delivers and is cut at once does not reset the backoff', async () => {
    await start({
      prepare: (venue) => {
        venue.reply = (frame, socket) => {
          if (frame !== 'sub ETH') return;
          socket.send('T ETH 1', () => socket.close());
        };
      },
    });
    await rig.pass(300_000, 500);
    expect(rig.venue.connections).toBeLessThan(25);
    // One that lasts does.
    rig.venue.reply = (frame, socket) => void (frame === 'sub ETH' && socket.send('T ETH 1'));
    await rig.passUntil(() => rig.venue.sockets.length === 1, 40_000);
    await trade(15_000, 1_000);
    rig.venue.sockets[0]?.terminate();
    await quiet();
    await rig.passUntil(() => rig.venue.sockets.length === 1, 600, 50);
  });

  test('a handshake that hangs is given up after ten seconds', async () => {
    await start({
      prepare: (venue) => {
        venue.intercept = () => {};
      },
    });
    await rig.pass(9_000, 1_000);
    expect(rig.venue.connections).toBe(1);
    rig.venue.intercept = undefined;
    await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
    expect(rig.venue.connections).toBe(2);
  });

  test('a wall in front of the venue is called blocked', async () => {
    await start({
      prepare: (venue) => {
        venue.intercept = (_, stream) => void stream.end('HTTP/1.1 451 No\r\nContent-Length: 0\r\n\r\n');
      },
    });
    await rig.passUntil(() => rig.health('trades')?.status === 'blocked', 1_000);
    expect(rig.health('trades')?.error).toMatch(/HTTP 451/);
  });

  test('a rate limit at the handshake silences the whole venue for as long as it asks', async () => {
    await start({
      resources: [fakeResource()],
      prepare: (venue) => {
        venue.intercept = (_, stream) => void stream.end('HTTP/1.1 429 No\r\nRetry-After: 60\r\n\r\n');
      },
    });
    await rig.passUntil(() => rig.health('trades')?.status === 'limited', 1_000, 10);
    rig.venue.intercept = undefined;
    const asked = rig.venue.asked.length;
    await rig.pass(58_000, 1_000);
    expect(rig.venue.connections).toBe(1);
    expect(rig.venue.asked).toHaveLength(asked);
    await rig.passUntil(
      () => rig.health('trades')?.status === 'ok' && rig.health('oi')?.status === 'ok',
      4_000,
    );
  });
});

describe('pings', () => {
  test('go out by the rule of the feed, and one without any answer ends the connection', async () => {
    await startOk();
    await trade(46_000, 1_000);
    expect(rig.venue.received.filter((frame) => frame === 'ping')).toHaveLength(3);
    expect(rig.venue.connections).toBe(1);
    rig.venue.reply = () => {};
    await rig.passUntil(() => rig.health('trades')?.status !== 'ok', 26_000);
    await rig.passUntil(() => rig.venue.connections === 2, 3_000);
  });

  test('of every socket go out on time while subscriptions wait for the limit of the venue', async () => {
    const coins = Array.from({ length: 20 }, (_, i) => `C${i}`);
    await startOk({
      coins,
      feeds: [fakeFeed({ sockets: 3, silentMaxMs: 600_000 })],
      limits: { messagesPerMinute: 8 },
    });
    await rig.passUntil(() => rig.venue.sockets.length === 3, 10_000);
    await rig.pass(46_000, 1_000);
    expect(rig.venue.received.filter((frame) => frame === 'ping').length).toBeGreaterThanOrEqual(9);
    expect(subscriptions().length).toBeLessThan(20);
    expect(rig.venue.connections).toBe(3);
  });

  test('that go unanswered end a frozen connection 10 s after the first of them, and are the reason', async () => {
    await startOk({ feeds: [fakeFeed({ silentMaxMs: 600_000 })] });
    rig.venue.reply = () => {};
    await rig.pass(14_000, 500);
    expect(rig.health('trades')?.status).toBe('ok');
    await rig.passUntil(() => rig.health('trades')?.status === 'down', 12_000);
    expect(rig.health('trades')?.error).toBe('The venue does not answer pings.');
  });

  test('that go unanswered do not end a connection that delivers', async () => {
    await startOk();
    rig.venue.reply = () => {};
    await trade(60_000, 2_000);
    expect(rig.venue.connections).toBe(1);
    expect(rig.health('trades')?.status).toBe('ok');
  });
});

describe('two sockets', () => {
  test('carry the same topics, and one is enough to be ok', async () => {
    await startOk({ feeds: [fakeFeed({ sockets: 2 })] });
    await rig.passUntil(() => rig.venue.sockets.length === 2, 3_000);
    expect(subscriptions()).toEqual(['sub BTC', 'sub ETH', 'sub BTC', 'sub ETH']);
    say('T BTC 100');
    await vi.waitFor(() => expect(new Set(rig.frames.map(({ socket }) => socket))).toEqual(new Set([0, 1])));
    rig.venue.sockets[0]?.terminate();
    await quiet();
    expect(rig.socketChanges.at(-1)).toMatchObject({ kind: 'down', socket: 0 });
    expect(rig.health('trades')?.status).toBe('ok');
    await rig.passUntil(() => rig.venue.sockets.length === 2, 3_000);
    await rig.pass(5_000);
    expect(rig.health('trades')?.reconnects).toBe(1);
  });

  test('that are cut together do not come back at the same moment', async () => {
    await startOk({ feeds: [fakeFeed({ sockets: 2 })] });
    await rig.passUntil(() => rig.venue.sockets.length === 2, 3_000);
    await trade(15_000, 1_000);
    for (const socket of rig.venue.sockets) socket.terminate();
    await quiet();
    expect(rig.health('trades')?.status).toBe('down');
    await rig.passUntil(() => rig.venue.sockets.length === 1, 1_000, 50);
    expect(rig.health('trades')?.status).toBe('ok');
    await rig.pass(1_000);
    expect(rig.venue.sockets).toHaveLength(1);
    await rig.passUntil(() => rig.venue.sockets.length === 2, 3_000);
  });
});

describe('unparseable frames', () => {
  test('are counted and logged once per kind; a few change nothing', async () => {
    await startOk();
    for (let i = 0; i < 20; i += 1) {
      for (let good = 0; good < 4; good += 1) say('T BTC 100');
      say(`mystery ${i}`);
    }
    await vi.waitFor(() => expect(rig.frames).toHaveLength(80));
    await rig.pass(5_000);
    expect(rig.health('trades')).toMatchObject({ status: 'ok', refused: 20, messages: 80 });
    expect(rig.refused).toHaveLength(20);
    expect(rig.refused[0]).toMatchObject({ venue: 'fake', feed: 'trades', socket: 0 });
    expect(rig.warnings.filter(({ message }) => message === 'frame refused')).toHaveLength(1);
  });

  test.each([
    ['text', 'mystery', /unknown frame/],
    ['one that makes the parser throw', 'boom', /parser failed: TypeError/],
    ['a number that is none', 'T BTC oops', /not finite/],
    ['bytes that are no text', Buffer.from([0xc3, 0x28, 0xff]), /not text/],
  ])(
    'turn the health to changed when they persist, and good ones turn it back: %s',
    async (_, frame, why) => {
      await startOk();
      say('T BTC 100');
      for (let i = 0; i < 40; i += 1) say(frame);
      await vi.waitFor(() => expect(rig.health('trades')?.status).toBe('changed'));
      expect(rig.health('trades')?.error).toMatch(why);
      say('T BTC 100');
      await vi.waitFor(() => expect(rig.frames).toHaveLength(2));
      expect(rig.health('trades')?.status).toBe('changed');
      for (let i = 0; i < 40; i += 1) say('T BTC 100');
      await vi.waitFor(() => expect(rig.health('trades')?.status).toBe('ok'));
      await vi.waitFor(() => expect(rig.frames).toHaveLength(42));
      expect(rig.venue.connections).toBe(1);
    },
  );

  test('turn the health of a slow feed too, when nothing else comes', async () => {
    await startOk();
    await trade(60_000, 200);
    for (let i = 0; i < 7; i += 1) {
      say('mystery');
      await rig.pass(1_000);
    }
    expect(rig.health('trades')).toMatchObject({
      status: 'changed',
      error: expect.stringMatching(/^No data for \d s, only \d unparseable frames/),
    });
  });

  test('may be sent as binary if they are text', async () => {
    await startOk();
    say(Buffer.from('T BTC 100'));
    await vi.waitFor(() => expect(rig.frames).toHaveLength(1));
  });

  test('of more than a megabyte end the connection', async () => {
    await startOk();
    say('T BTC '.padEnd(2_000_001, '1'));
    await rig.passUntil(() => rig.health('trades')?.status === 'changed', 2_000, 1);
    expect(rig.health('trades')?.error).toMatch(/WS_ERR_UNSUPPORTED_MESSAGE_LENGTH/);
    await rig.passUntil(() => rig.venue.connections === 2, 2_000);
  });
});

/** Sockets and timers that keep the process alive. */
const openHandles = (): number =>
  process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS|Timeout)/.test(kind)).length;

test('when it stops, nothing is left open and nothing more is published', async () => {
  const openBefore = openHandles();
  await startOk({ feeds: [fakeFeed({ sockets: 2 })], resources: [fakeResource()] });
  await rig.passUntil(() => rig.venue.sockets.length === 2 && rig.health('oi')?.status === 'ok', 3_000);
  rig.venue.answer = () => {};
  await rig.passUntil(() => rig.venue.asked.length === 2, 6_000);
  const snapshot = rig.snapshot();
  const health = rig.health('trades');
  await rig.engine.stop();
  await vi.waitFor(() => expect(rig.venue.sockets).toEqual([]));
  rig.venue.answer = (_, response) => void response.end(oiBody(7));
  rig.list(['BTC', 'NEW']);
  rig.want();
  await rig.pass(120_000, 5_000);
  expect(rig.venue.connections).toBe(2);
  expect(rig.venue.asked).toHaveLength(2);
  expect(rig.snapshot()).toBe(snapshot);
  expect(rig.health('trades')?.status).toBe(health?.status);
  await rig.venue.close();
  await vi.waitFor(() => expect(openHandles()).toBeLessThanOrEqual(openBefore));
});
