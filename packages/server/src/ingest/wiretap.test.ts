import { afterEach, expect, test } from 'vitest';
import { fakeFeed, fakeLookup, fakeResource, oiBody } from './testing/fake-venue.ts';
import { quiet, type Rig, startRig } from './testing/rig.ts';
import type { Wiretap } from './wiretap.ts';

let rig: Rig;
afterEach(() => rig.stop());

type Seen = readonly [what: string, ...details: unknown[]];

/** A tap that records every call, and blocks answers while `held` is set. */
function recordingTap(): {
  readonly wiretap: Wiretap;
  readonly seen: Seen[];
  held: Promise<void> | undefined;
} {
  const seen: Seen[] = [];
  const tap = {
    seen,
    held: undefined as Promise<void> | undefined,
    wiretap: {
      venue: (venue: string) => ({
        request: ({ source, key, method, path, body, headers }) => {
          seen.push(['request', venue, source, key, method, path, body, headers['user-agent'] !== undefined]);
          return {
            async answered({ status, headers: answerHeaders, body: bytes }) {
              seen.push(['answer', source, status, new Map(answerHeaders).get('x-of'), text(bytes)]);
              await tap.held;
            },
            failed: (reason) => void seen.push(['failure', source, reason]),
          };
        },
        socket: ({ feed, origin, path }) => {
          seen.push(['connect', venue, feed, origin === rig.venue.origins.ws, path]);
          return {
            opened: () => void seen.push(['open']),
            refused: (status, { 'retry-after': wait }) => void seen.push(['refused', status, wait]),
            sent: (frame, about) => void seen.push(['out', frame, about]),
            received: (data, isBinary, { kind }) =>
              void seen.push(['in', (data as Buffer).toString(), isBinary, kind]),
            closed: (by, code) => void seen.push(['close', by, code]),
          };
        },
      }),
    } satisfies Wiretap,
  };
  return tap;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

test('receives every request with its source and key, and every answer whatever its status', async () => {
  const { wiretap, seen } = recordingTap();
  const statuses: Record<string, number> = { '/oi': 200, '/limited': 429 };
  rig = await startRig({
    wiretap,
    resources: [
      fakeResource({ request: { method: 'POST', path: '/oi', body: { type: 'all' } } }),
      fakeResource({ name: 'limited', request: { method: 'GET', path: '/limited' } }),
    ],
    lookups: [fakeLookup({ name: 'one', keys: () => ['BTC'] })],
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) =>
        void response.writeHead(statuses[url] ?? 200, { 'x-of': url }).end(oiBody(7));
    },
  });
  await rig.passUntil(() => seen.filter(([what]) => what === 'answer').length >= 3, 5_000);
  expect(seen).toContainEqual(['request', 'fake', 'oi', '/oi', 'POST', '/oi', '{"type":"all"}', true]);
  expect(seen).toContainEqual(['request', 'fake', 'one', 'BTC', 'GET', '/oi/BTC', undefined, true]);
  expect(seen).toContainEqual(['answer', 'oi', 200, '/oi', oiBody(7)]);
  expect(seen).toContainEqual(['answer', 'limited', 429, '/limited', oiBody(7)]);
  expect(seen.some(([what]) => what === 'failure')).toBe(false);
  expect(rig.health('limited')?.status).toBe('limited');
  expect(rig.snapshot()?.rows[0]).toMatchObject({ contracts: 7 });
});

test('receives the reason when there is no answer', async () => {
  const { wiretap, seen } = recordingTap();
  rig = await startRig({
    wiretap,
    resources: [fakeResource()],
    prepare: (venue) => {
      venue.answer = (_, response) => void response.destroy();
    },
  });
  await rig.passUntil(() => seen.some(([what]) => what === 'failure'), 5_000);
  expect(seen.find(([what]) => what === 'failure')).toEqual([
    'failure',
    'oi',
    expect.stringContaining('cannot be reached'),
  ]);
});

test('holds polling back while it is behind', async () => {
  const tap = recordingTap();
  let release = (): void => undefined;
  tap.held = new Promise((resolve) => {
    release = resolve;
  });
  rig = await startRig({ wiretap: tap.wiretap, resources: [fakeResource()] });
  await rig.pass(8_000, 500);
  expect(rig.venue.asked).toHaveLength(1);
  expect(rig.snapshot()).toBeUndefined();
  release();
  await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
});

test('receives a socket from its handshake to its close, with what each frame is', async () => {
  const { wiretap, seen } = recordingTap();
  rig = await startRig({ wiretap, feeds: [fakeFeed()], coins: ['BTC'] });
  await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
  const [socket] = rig.venue.sockets;
  socket?.send('T BTC 100');
  socket?.send(Buffer.from([0xff, 0x00]));
  await rig.passUntil(() => seen.some(([, frame]) => frame === 'pong'), 20_000, 1_000);
  socket?.close(1012, 'restart');
  await rig.passUntil(() => seen.some(([what]) => what === 'close'), 3_000);
  expect(seen).toEqual([
    ['connect', 'fake', 'trades', true, '/ws'],
    ['open'],
    ['out', 'sub BTC', { topics: ['BTC'] }],
    ['in', 'ack BTC', false, 'subscribed'],
    ['in', 'T BTC 100', false, 'trades'],
    ['in', Buffer.from([0xff, 0x00]).toString(), true, 'refused'],
    ['out', 'ping', { isPing: true }],
    ['in', 'pong', false, 'heartbeat'],
    ['close', 'venue', 1012],
  ]);
});

test('receives a refused handshake, and a socket that we end', async () => {
  const { wiretap, seen } = recordingTap();
  rig = await startRig({
    wiretap,
    feeds: [fakeFeed()],
    coins: ['BTC'],
    prepare: (venue) => {
      venue.intercept = (_, stream) =>
        void stream.end('HTTP/1.1 429 Too Many\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n');
    },
  });
  await rig.passUntil(() => seen.some(([what]) => what === 'close'), 3_000);
  expect(seen).toEqual([
    ['connect', 'fake', 'trades', true, '/ws'],
    ['refused', 429, '7'],
    ['close', 'us', 1006],
  ]);
  rig.venue.intercept = undefined;
  await rig.passUntil(() => seen.some(([what]) => what === 'open'), 20_000, 500);
  await rig.engine.stop();
  await quiet();
  expect(seen.at(-1)).toEqual(['close', 'us', 1006]);
});
