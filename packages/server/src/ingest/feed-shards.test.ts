import type { Feed } from '@crosstape/venues';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeFeed, fakeResource } from './testing/fake-venue.ts';
import { quiet, type Rig, type RigOptions, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

/** A feed that may be silent for hours, like liquidations. */
function sparseFeed(changes: Partial<Feed> = {}): Feed {
  const { silentMaxMs: _, ...feed } = fakeFeed({ name: 'liquidations', ...changes });
  return feed;
}

async function start(feed: Feed, options: RigOptions = {}): Promise<void> {
  rig = await startRig({ feeds: [feed], coins: ['A', 'B', 'C', 'D', 'E'], ...options });
  await rig.passUntil(() => rig.health(feed.name)?.status === 'ok', 3_000);
}

const subscriptions = (): string[] => rig.venue.received.filter((frame) => frame.startsWith('sub '));

function say(frame: string): void {
  for (const socket of rig.venue.sockets) socket.send(frame);
}

describe('a feed that allows few topics on a connection', () => {
  const feed = sparseFeed({ topicsPerSocket: 2 });

  test('takes as many sockets as it needs, each topic on one of them', async () => {
    await start(feed);
    expect(rig.venue.sockets).toHaveLength(3);
    expect(subscriptions().toSorted()).toEqual(['sub A', 'sub B', 'sub C', 'sub D', 'sub E']);
    expect(new Set(rig.socketChanges.map(({ socket }) => socket))).toEqual(new Set([0, 1, 2]));
  });

  test('spreads its topics, so that no socket is left with a few quiet ones', async () => {
    const counts = new Map<unknown, number>();
    const prepare: RigOptions['prepare'] = (venue) => {
      const { reply } = venue;
      venue.reply = (frame, socket) => {
        if (frame.startsWith('sub ')) counts.set(socket, (counts.get(socket) ?? 0) + 1);
        reply(frame, socket);
      };
    };
    const coins = Array.from({ length: 11 }, (_, i) => `C${i}`);
    await start(sparseFeed({ topicsPerSocket: 10 }), { prepare, coins });
    expect([...counts.values()].toSorted((a, b) => a - b)).toEqual([5, 6]);
    const [first] = rig.venue.sockets;
    rig.list([...coins, 'D', 'E', 'F']);
    await vi.waitFor(() => expect([...counts.values()]).toEqual([7, 7]));
    expect(rig.venue.sockets).toHaveLength(2);
    expect(rig.venue.sockets[0]).toBe(first);
  });

  test('is up when all of it is, and down as soon as a part is not', async () => {
    await start(feed);
    expect(rig.feedChanges).toMatchObject([{ venue: 'fake', feed: 'liquidations', kind: 'up' }]);
    rig.venue.intercept = (_, stream) => void stream.destroy();
    rig.venue.sockets[1]?.terminate();
    await vi.waitFor(() => expect(rig.feedChanges).toHaveLength(2));
    expect(rig.feedChanges[1]).toMatchObject({ kind: 'down', atMs: rig.clock.now() });
    expect(rig.health('liquidations')?.status).toBe('down');
    rig.venue.sockets[0]?.terminate();
    await quiet();
    rig.venue.intercept = undefined;
    await rig.passUntil(() => rig.venue.sockets.length === 3, 5_000);
    await rig.passUntil(() => rig.health('liquidations')?.status === 'ok', 1_000);
    expect(rig.feedChanges.map(({ kind }) => kind)).toEqual(['up', 'down', 'up']);
  });

  test('leaves a topic where it is, fills gaps with new ones, and takes another socket only for the rest', async () => {
    await start(feed);
    rig.venue.received.length = 0;
    rig.list(['A', 'C', 'D', 'E', 'F']);
    await vi.waitFor(() => expect(rig.venue.received).toEqual(['unsub B', 'sub F']));
    rig.list(['A', 'C', 'D', 'E', 'F', 'G', 'H']);
    await rig.passUntil(() => rig.venue.sockets.length === 4, 1_000);
    await vi.waitFor(() =>
      expect(rig.venue.received.toSorted()).toEqual(['sub F', 'sub G', 'sub H', 'unsub B']),
    );
    await rig.passUntil(() => rig.health('liquidations')?.status === 'ok', 1_000);
    // Additions to a connected feed do not interrupt it.
    expect(rig.feedChanges.map(({ kind }) => kind)).toEqual(['up']);
  });

  test('is up without what was added until that delivers', async () => {
    await start(feed);
    // F goes to the new socket, G to where C is alone.
    rig.venue.reply = (frame, socket) =>
      void (/sub [A-EG]/.test(frame) && socket.send(`ack ${frame.slice(4)}`));
    rig.list(['A', 'B', 'C', 'D', 'E', 'F', 'G']);
    await rig.passUntil(() => rig.venue.sockets.length === 4, 1_000);
    rig.venue.sockets[0]?.terminate();
    await vi.waitFor(() => expect(rig.feedChanges.at(-1)?.kind).toBe('down'));
    await rig.passUntil(() => rig.feedChanges.at(-1)?.kind === 'up', 2_000);
    expect(rig.health('liquidations')?.status).toBe('down');
  });

  test('gives up a socket that carries nothing any more, and is still up', async () => {
    await start(feed);
    // A and D are on one, B and E on another.
    rig.list(['A', 'B', 'D', 'E']);
    await vi.waitFor(() => expect(rig.venue.sockets).toHaveLength(2));
    await rig.pass(60_000, 5_000);
    expect(rig.venue.connections).toBe(3);
    expect(rig.health('liquidations')?.status).toBe('ok');
    expect(rig.feedChanges.map(({ kind }) => kind)).toEqual(['up']);
  });

  test('takes no notice of a list that is empty', async () => {
    await start(feed);
    rig.list([]);
    await rig.pass(10_000, 1_000);
    expect(rig.venue.sockets).toHaveLength(3);
    expect(rig.venue.received.filter((frame) => frame.startsWith('unsub'))).toEqual([]);
  });
});

describe('a feed that may be silent', () => {
  test('is up and ok once subscribed, and no silence ends it', async () => {
    await start(sparseFeed());
    await rig.pass(3_600_000, 15_000);
    expect(rig.venue.connections).toBe(1);
    expect(rig.health('liquidations')?.status).toBe('ok');
    say('L A 100');
    await vi.waitFor(() => expect(rig.frames).toHaveLength(1));
    expect(rig.frames[0]?.frame).toMatchObject({
      kind: 'liquidations',
      liquidations: [{ coin: 'A', price: 100 }],
    });
  });

  test('that lasted reconnects at once, and reports when it last received data', async () => {
    await start(sparseFeed());
    await rig.pass(50_000, 5_000);
    const lastReceivedMs = rig.clock.now() - 5_000;
    for (let i = 0; i < 3; i += 1) {
      rig.venue.sockets[0]?.terminate();
      await vi.waitFor(() => expect(rig.venue.sockets).toEqual([]));
      await rig.passUntil(() => rig.venue.sockets.length === 1, 600, 50);
      await rig.pass(15_000, 1_000);
    }
    const [first] = rig.feedChanges.filter(({ kind }) => kind === 'down');
    expect(first?.lastReceivedMs).toBe(lastReceivedMs);
  });

  test('is ok again after a broken frame without waiting for data', async () => {
    await start(sparseFeed());
    say('T A '.padEnd(2_000_001, '1'));
    await rig.passUntil(() => rig.health('liquidations')?.status === 'changed', 2_000, 1);
    await rig.passUntil(() => rig.health('liquidations')?.status === 'ok', 2_000);
  });

  test('refuses a liquidation with a non-finite number', async () => {
    await start(sparseFeed());
    say('L A oops');
    await vi.waitFor(() => expect(rig.refused).toHaveLength(1));
    expect(rig.frames).toEqual([]);
  });
});

describe('a feed whose pings are those of the protocol', () => {
  const { frame: _, ...ping } = fakeFeed().ping;

  test('continues for as long as they are answered', async () => {
    await start(sparseFeed({ ping }));
    let pings = 0;
    rig.venue.sockets[0]?.on('ping', () => (pings += 1));
    await rig.pass(300_000, 15_000);
    expect(pings).toBeGreaterThanOrEqual(19);
    expect(rig.venue.received).not.toContain('ping');
    expect(rig.venue.connections).toBe(1);
  });

  test('ends a connection on which they are not', async () => {
    await start(sparseFeed({ ping }));
    rig.venue.sockets[0]?.pause();
    await rig.passUntil(() => rig.health('liquidations')?.status === 'down', 26_000, 1_000);
    expect(rig.health('liquidations')?.error).toBe('The venue does not answer pings.');
  });
});

test('the handshake carries the headers of the feed', async () => {
  await start(fakeFeed({ headers: { 'x-format': 'json' } }));
  expect(rig.venue.handshakes[0]).toMatchObject({ 'x-format': 'json' });
});

describe('a feed that needs no list', () => {
  const feed = fakeFeed({ topics: () => ['all'] });

  test('begins when the instruments by which its frames are read are there', async () => {
    rig = await startRig({ feeds: [feed] });
    await rig.pass(1_000);
    expect(rig.venue.connections).toBe(0);
    rig.list(['A']);
    await rig.passUntil(() => rig.health('trades')?.status === 'ok', 1_000);
  });

  test('does without them when they do not come', async () => {
    rig = await startRig({ feeds: [feed] });
    await rig.passUntil(() => rig.health('trades')?.status === 'ok', 6_000);
    expect(subscriptions()).toEqual(['sub all']);
  });
});

test('a parser is given the tables of its venue as they are when a frame comes', async () => {
  const seen: unknown[] = [];
  const feed = fakeFeed({
    open: (known) => (frame) => {
      seen.push(known().openInterest?.map(({ contracts }) => contracts));
      return { kind: 'subscribed', topics: [frame] };
    },
  });
  await start(feed, { resources: [fakeResource({ everyMs: 60_000 })] });
  await rig.passUntil(() => rig.health('oi')?.status === 'ok', 1_000);
  seen.length = 0;
  say('anything');
  await vi.waitFor(() => expect(seen).toEqual([[1]]));
});
