import { describe, expect, it } from 'vitest';
import { CapturedAnswers } from './captured-answers.ts';
import { requestKey } from './request-key.ts';

const key = (path: string, body?: string) =>
  requestKey('fake', body === undefined ? 'GET' : 'POST', path, body);

describe('a request is the same', () => {
  it.each([
    ['/a?x=1&y=2', '/a?y=2&x=1'],
    ['/a?x=a%2Fb', '/a?x=a/b'],
    ['/a?api_key=secret&x=1', '/a?x=1&api_key=[removed]'],
  ])('%s and %s', (one, other) => expect(key(one).exact).toBe(key(other).exact));

  it('whatever the order of the fields of its body', () => {
    expect(key('/info', '{"type":"a","coin":"BTC"}').exact).toBe(
      key('/info', '{"coin":"BTC", "type":"a"}').exact,
    );
  });
});

it.each([
  ['/a?x=1', '/a?x=2'],
  ['/a', '/b'],
  ['/a?cursor=abc', '/a?cursor=def'],
])('%s is not %s, whatever the time', (one, other) => {
  expect(key(one).exact).not.toBe(key(other).exact);
  expect(key(one).timeless).not.toBe(key(other).timeless);
});

it('finds the times that a request names, in every spelling', () => {
  const ms = Date.UTC(2026, 10, 16, 9);
  const { timesMs, timeless } = key(
    `/a?from=${ms / 1_000}&to=${ms + 1}&day=2026-11-16&id=123&ns=${ms}000000`,
  );
  expect(timesMs).toEqual([Date.UTC(2026, 10, 16), ms, ms, ms + 1]);
  expect(timeless).toBe('fake GET /a?day=<time>&from=<time>&id=123&ns=<time>&to=<time> ');
  expect(key('/a', `{"startTime":${ms},"id":"1000000000000000"}`).timesMs).toEqual([ms]);
});

it('is the same for another number of rows, when the time may differ', () => {
  expect(key('/a?limit=60&x=1').timeless).toBe(key('/a?limit=1000&x=1').timeless);
  expect(key('/a?limit=60&x=1').exact).not.toBe(key('/a?limit=1000&x=1').exact);
});

describe('the answer to a request', () => {
  const answers = new CapturedAnswers();
  const ids = new Map<object, string>();
  const put = (path: string, receivedAtMs: number, name: string) => {
    const request = key(path);
    const answer = { receivedAtMs, timesMs: request.timesMs };
    ids.set(answer, name);
    answers.add(request, answer);
  };
  const find = (path: string, atMs: number) => ids.get(answers.find(key(path), atMs) ?? {});
  const T = Date.UTC(2026, 10, 16);
  put('/tickers', 100, 'first');
  put('/tickers', 200, 'second');
  put(`/trades?after=${T}`, 100, 'early');
  put(`/trades?after=${T + 60_000}`, 200, 'late');
  put(`/trades?after=${T + 60_000}&coin=ETH`, 200, 'another coin');

  it.each([
    ['/tickers', 150, 'first'],
    ['/tickers', 200, 'second'],
    ['/tickers', 9_999, 'second'],
    // Before the first request, the first answer is the nearest.
    ['/tickers', 50, 'first'],
    [`/trades?after=${T + 10_000}`, 9_999, 'early'],
    [`/trades?after=${T + 50_000}`, 0, 'late'],
    [`/trades?after=${T}&coin=SOL`, 200, undefined],
    ['/other', 200, undefined],
  ])('%s at %i is %s', (path, atMs, name) => expect(find(path, atMs)).toBe(name));
});
