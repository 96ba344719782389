import { type Connector, Declined } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { fakeFeed, fakeLookup, fakeResource } from '../ingest/testing/fake-venue.ts';
import { CaptureCheck } from './check-capture.ts';
import type { CaptureLine } from './format.ts';
import type { SourceReport } from './source-report.ts';

const connector = {
  resources: [
    fakeResource(),
    fakeResource({
      name: 'paged',
      gives: ['instruments'],
      request: { method: 'GET', path: '/list' },
      parse: (body) => {
        const { coins, next } = body as { coins: string[]; next?: string };
        const instruments = coins.map((coin) => ({ coin, symbol: coin }));
        return { instruments, ...(next !== undefined && { more: { method: 'GET', path: next } }) };
      },
    }),
    fakeResource({
      name: 'declining',
      parse: () => {
        throw new Declined('limited', 'too many requests');
      },
    }),
  ],
  lookups: [
    fakeLookup({
      name: 'one',
      request: (key) => ({ method: 'GET', path: `/one/${key}`, acceptedStatuses: [404] }),
      parse: (body, _receivedAtMs, known, key) => ({
        openInterest: [],
        refused: known.instruments?.some(({ coin }) => coin === key) ? [] : [`${key} is not listed`],
      }),
    }),
  ],
  feeds: [fakeFeed()],
} as unknown as Connector;

let id = 0;

function exchange(source: string, body: unknown, parts: { key?: string; status?: number } = {}) {
  const { key = '', status = 200 } = parts;
  id += 1;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = { t: 1, type: 'request', id, venue: 'fake', source, key, method: 'GET' } as const;
  return [
    { ...request, origin: '', path: key, headers: {} },
    { t: 2, type: 'answer', id, status, headers: {}, body: { text } },
  ] satisfies CaptureLine[];
}

function frames(...texts: readonly string[]): readonly CaptureLine[] {
  return [
    { t: 1, type: 'connect', socket: 1, venue: 'fake', feed: 'trades', origin: '', path: '', headers: {} },
    ...texts.map((text) => ({ t: 2, type: 'in', socket: 1, as: 'trades', body: { text } }) as const),
    { t: 3, type: 'close', socket: 1, by: 'us', code: 1006, reason: '' },
  ];
}

function check(lines: readonly CaptureLine[], samples = {}): ReadonlyMap<string, SourceReport> {
  const checking = new CaptureCheck([{ id: 'fake', connector }]);
  for (const line of lines) checking.add(line);
  return new Map(checking.report(samples).map((report) => [report.source, report]));
}

it('counts what is accepted, what is refused as a whole, and rows that are refused', () => {
  const reports = check([
    ...exchange('oi', [['BTC', 5]]),
    ...exchange('oi', [
      ['BTC', 5],
      ['ETH', 'five'],
    ]),
    ...exchange('oi', { not: 'an array' }),
    ...exchange('oi', '<html>'),
    ...exchange('oi', [['BTC', null]]),
  ]);
  expect(reports.get('fake:oi')).toMatchObject({
    payloads: 5,
    accepted: 2,
    refused: 3,
    refusedRows: 1,
    errors: 0,
    reasons: [
      { reason: 'ETH count is a text: five', count: 1 },
      { reason: 'the answer is not an array', count: 1 },
      { reason: 'the answer is not JSON: "<html>"', count: 1 },
      { reason: 'openInterest of BTC: contracts is not a finite number', count: 1 },
    ],
  });
});

it('counts reasons that differ only in symbols and values as one', () => {
  const rows = ['BTC', 'ETH', 'SOL'].flatMap((coin) => exchange('oi', [[coin, 'x']]));
  expect(check(rows).get('fake:oi')?.reasons).toEqual([{ reason: 'BTC count is a text: x', count: 3 }]);
});

it('does not take errors and refusals of the venue for payloads', () => {
  const reports = check([
    ...exchange('oi', 'slow down', { status: 429 }),
    ...exchange('declining', {}),
    ...exchange('one', [], { key: 'BTC', status: 404 }),
    {
      t: 1,
      type: 'request',
      id: -1,
      venue: 'fake',
      source: 'oi',
      key: '',
      method: 'GET',
      origin: '',
      path: '',
      headers: {},
    },
    { t: 2, type: 'failure', id: -1, reason: 'The venue cannot be reached (ENOTFOUND).' },
    ...exchange('gone', []),
  ]);
  expect(reports.get('fake:oi')).toMatchObject({
    payloads: 0,
    errors: 2,
    errorReasons: [
      { reason: 'HTTP 429', count: 1 },
      { reason: 'The venue cannot be reached (ENOTFOUND).', count: 1 },
    ],
  });
  expect(reports.get('fake:declining')?.errorReasons).toEqual([
    { reason: 'declined: too many requests', count: 1 },
  ]);
  // A status that comes with an answer counts as one.
  expect(reports.get('fake:one')).toMatchObject({ payloads: 1, errors: 0 });
  expect(reports.get('fake:gone')?.errorReasons).toEqual([
    { reason: 'this version has no such source', count: 1 },
  ]);
});

it('gives parsers the time at which the source made an answer that a cache held', () => {
  const times: number[] = [];
  const parse = (_: unknown, receivedAtMs: number) => {
    times.push(receivedAtMs);
    return { openInterest: [] };
  };
  const dated = { ...connector, resources: [fakeResource({ parse })] };
  const checking = new CaptureCheck([{ id: 'fake', connector: dated }]);
  const answers: readonly Record<string, string>[] = [{}, { age: '90' }];
  for (const headers of answers)
    for (const line of exchange('oi', []))
      checking.add(line.type === 'answer' ? { ...line, t: 100_000, headers } : line);
  expect(times).toEqual([100_000, 10_000]);
});

it('gives parsers the tables of the answers before, all pages of them', () => {
  const first = exchange('paged', { coins: ['BTC'], next: '/list?page=2' }, { key: '/list' });
  const second = exchange('paged', { coins: ['ETH'] }, { key: '/list?page=2' });
  const ask = (coin: string) => exchange('one', [], { key: coin });
  const refused = (lines: readonly CaptureLine[]) => check(lines).get('fake:one')?.refusedRows;
  expect(refused([...first, ...ask('BTC')])).toBe(1);
  expect(refused([...first, ...second, ...ask('BTC'), ...ask('ETH')])).toBe(0);
  // A new list replaces the previous one.
  const shorter = exchange('paged', { coins: ['ETH'] }, { key: '/list' });
  expect(refused([...first, ...second, ...shorter, ...ask('BTC'), ...ask('ETH')])).toBe(1);
});

it('reads the frames of a socket with one parser', () => {
  const report = check(frames('ack BTC', 'T BTC 100', 'boom', 'pong')).get('fake:trades');
  expect(report).toMatchObject({ payloads: 4, accepted: 3, refused: 1 });
  expect(report?.reasons[0]?.reason).toContain('the parser failed');
});

it('compares fields with those of the samples', () => {
  const samples = { 'fake:one': { a: 's!', b: 'n!', 'c.d': 's!' } };
  const reports = check(exchange('one', { a: 1, e: [] }, { key: 'BTC' }), samples);
  expect(reports.get('fake:one')).toMatchObject({
    newFields: ['a is number, known as string', 'e (array)'],
    missingFields: ['b (in 1 of 1)'],
  });
  // Nothing to compare with.
  expect(check(exchange('one', { a: 1 })).get('fake:one')).toMatchObject({
    newFields: [],
    missingFields: [],
  });
});
