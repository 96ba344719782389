import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { CaptureLine } from './format.ts';
import { CaptureRecorder } from './recorder.ts';
import { Redactor } from './redact.ts';

const SECRET = 'my-secret-key';

function start() {
  const clock = new ManualClock(1_000);
  const lines: CaptureLine[] = [];
  const file = {
    isFull: false,
    write: async (line: CaptureLine) => {
      lines.push(line);
    },
  };
  const recorder = new CaptureRecorder({ file, clock, redactor: new Redactor([SECRET]) });
  return { clock, lines, file, recorder, tap: recorder.venue('fake') };
}

function dial(tap: ReturnType<typeof start>['tap']) {
  return tap.socket({ feed: 'trades', origin: 'wss://a', path: '/ws?token=t', headers: {} });
}

const request = {
  source: 'oi',
  key: '/oi?api_key=k',
  method: 'POST',
  origin: 'https://a',
  path: '/oi?api_key=k',
  headers: { authorization: 'x', accept: '*/*' },
  body: `{"note":"${SECRET}"}`,
};

it('writes a request and its answer without secrets, with the time of each', async () => {
  const { clock, lines, recorder, tap } = start();
  const tapped = tap.request(request);
  clock.advance(40);
  const body = Buffer.from(`{"echo":"${SECRET}"}`);
  await tapped.answered({ status: 200, headers: [['age', '3']], body });
  expect(lines).toEqual([
    {
      t: 1_000,
      type: 'request',
      id: 1,
      venue: 'fake',
      source: 'oi',
      key: '/oi?api_key=[removed]',
      method: 'POST',
      origin: 'https://a',
      path: '/oi?api_key=[removed]',
      headers: { authorization: '[removed]', accept: '*/*' },
      body: { text: '{"note":"[removed]"}' },
    },
    {
      t: 1_040,
      type: 'answer',
      id: 1,
      status: 200,
      headers: { age: '3' },
      body: { text: '{"echo":"[removed]"}' },
    },
  ]);
  expect(recorder.counts.get('fake:oi')).toMatchObject({ requests: 1, failures: 0 });
});

it('writes failures, but not those of its own end', () => {
  const { lines, recorder, tap } = start();
  tap.request(request).failed('The venue cannot be reached (ENOTFOUND).');
  const pending = tap.request(request);
  recorder.end();
  pending.failed('The service is stopping.');
  expect(lines.map(({ type }) => type)).toEqual(['request', 'failure', 'request']);
});

it('writes the address of a socket without secrets', () => {
  const { lines, tap } = start();
  tap.socket({ feed: 'trades', origin: `wss://a/${SECRET}`, path: '/ws', headers: {} });
  expect(lines).toMatchObject([{ type: 'connect', origin: 'wss://a/[removed]', path: '/ws' }]);
});

it('drops frames while the file is full, and says how many', () => {
  const { lines, file, recorder, tap } = start();
  const socket = dial(tap);
  const receive = (text: string) => socket.received(Buffer.from(text), false, { kind: 'heartbeat' });
  receive('a');
  file.isFull = true;
  receive('b');
  receive('c');
  file.isFull = false;
  receive('d');
  expect(lines.slice(1)).toEqual([
    { t: 1_000, type: 'in', socket: 1, as: 'heartbeat', body: { text: 'a' } },
    { t: 1_000, type: 'dropped', socket: 1, frames: 2 },
    { t: 1_000, type: 'in', socket: 1, as: 'heartbeat', body: { text: 'd' } },
  ]);
  expect(recorder.counts.get('fake:trades')).toMatchObject({ connections: 1, frames: 4, dropped: 2 });
});

it('writes what a socket says in both directions, with the topics of subscriptions', () => {
  const { lines, tap } = start();
  const socket = dial(tap);
  socket.opened();
  socket.sent('sub BTC', { topics: ['BTC'] });
  socket.sent('ping', { isPing: true });
  socket.received(Buffer.from('ack'), false, { kind: 'subscribed', topics: ['BTC'] });
  socket.received([Buffer.from([0xff]), Buffer.from([0])], true, { kind: 'refused', why: 'no text' });
  socket.refused(429, { 'retry-after': '7', 'set-cookie': ['a'] });
  socket.closed('venue', 1012, 'restart');
  const t = 1_000;
  expect(lines).toEqual([
    {
      t,
      type: 'connect',
      socket: 1,
      venue: 'fake',
      feed: 'trades',
      origin: 'wss://a',
      path: '/ws?token=[removed]',
      headers: {},
    },
    { t, type: 'open', socket: 1 },
    { t, type: 'out', socket: 1, topics: ['BTC'], body: { text: 'sub BTC' } },
    { t, type: 'out', socket: 1, ping: true, body: { text: 'ping' } },
    { t, type: 'in', socket: 1, as: 'subscribed', topics: ['BTC'], body: { text: 'ack' } },
    { t, type: 'in', socket: 1, as: 'refused', binary: true, body: { base64: '/wA=' } },
    { t, type: 'refused', socket: 1, status: 429, headers: { 'retry-after': '7' } },
    { t, type: 'close', socket: 1, by: 'venue', code: 1012, reason: 'restart' },
  ]);
});
