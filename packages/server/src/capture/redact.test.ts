import { describe, expect, it } from 'vitest';
import { Redactor } from './redact.ts';

const none = new Redactor([]);

describe('by the name of the field', () => {
  it.each([
    ['/a?api_key=x&coin=BTC', '/a?api_key=[removed]&coin=BTC'],
    ['/a?x_cg_demo_api_key=x', '/a?x_cg_demo_api_key=[removed]'],
    ['/a?token=x&startday=2026-01-01', '/a?token=[removed]&startday=2026-01-01'],
    ['/a?access%5Ftoken=x', '/a?access%5Ftoken=[removed]'],
    ['/a?signature=ab%3D&apiKey=x', '/a?signature=[removed]&apiKey=[removed]'],
    // Outcome ids are public.
    ['/book?token_id=123', '/book?token_id=123'],
    ['/a?symbols=BTC,KEY&design=1', '/a?symbols=BTC,KEY&design=1'],
    ['/a?%zz=1', '/a?%zz=1'],
    ['/plain', '/plain'],
  ])('%s', (path, redacted) => expect(none.path(path)).toBe(redacted));

  it('removes them from the JSON of requests, and leaves other bodies as they are', () => {
    const body = '{"op":"auth", "args":{"apiKey":"k","coin":"BTC"}}';
    expect(JSON.parse(none.requestBody(body))).toEqual({
      op: 'auth',
      args: { apiKey: '[removed]', coin: 'BTC' },
    });
    const untouched = '{ "type": "metaAndAssetCtxs" }';
    expect(none.requestBody(untouched)).toBe(untouched);
    expect(none.requestBody('ping')).toBe('ping');
  });

  it('removes headers that hold credentials', () => {
    const headers = { accept: 'text/html', Authorization: 'Basic x', 'X-API-KEY': 'y', cookie: 'z' };
    expect(none.headers(headers)).toEqual({
      accept: 'text/html',
      Authorization: '[removed]',
      'X-API-KEY': '[removed]',
      cookie: '[removed]',
    });
  });

  it('keeps only the headers that describe an answer', () => {
    const headers = [
      ['Content-Type', 'text/html'],
      ['Age', '219'],
      ['Set-Cookie', 'id=1'],
      ['x-ratelimit-remaining', 7],
      ['x-account', 'me'],
    ] as const;
    expect(none.answerHeaders(headers)).toEqual({
      'content-type': 'text/html',
      age: '219',
      'x-ratelimit-remaining': '7',
    });
  });
});

describe('by the value of a configured secret', () => {
  const redactor = new Redactor([
    'k3y/with+signs',
    'https://me:p%40ssword@mirror.example/{asset}.html?k=querysecret',
    'abc',
  ]);

  it('removes it wherever it occurs, however it is spelt', () => {
    for (const spelt of ['k3y/with+signs', 'k3y%2Fwith%2Bsigns'])
      expect(redactor.text(`{"url":"/x?q=${spelt}"}`)).toBe('{"url":"/x?q=[removed]"}');
    expect(redactor.path('/x?harmless=k3y%2Fwith%2Bsigns')).toBe('/x?harmless=[removed]');
    expect(redactor.headers({ 'x-note': 'k3y/with+signs' })).toEqual({ 'x-note': '[removed]' });
  });

  it('removes the login of an address, also as a header has it', () => {
    const basic = Buffer.from('me:p@ssword').toString('base64');
    expect(redactor.text(`p@ssword ${basic} querysecret`)).toBe('[removed] [removed] [removed]');
  });

  it('leaves text that is too short to distinguish from data', () => {
    expect(redactor.text('{"abc":1}')).toBe('{"abc":1}');
  });
});
