import { afterEach, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../api/testing/test-api.ts';
import { fixedPage } from './fixed-page.ts';

let api: TestApi | undefined;
afterEach(async () => api?.close());

const body = '<p>the same for all</p>'.repeat(100);

async function start(): Promise<TestApi> {
  api = await startTestApi({
    pages: [
      fixedPage({
        path: '/about',
        contentType: 'text/html; charset=utf-8',
        body,
        policy: "default-src 'self'",
      }),
    ],
  });
  return api;
}

it('is sent compressed to clients that accept it, with security headers', async () => {
  const { fetch } = await start();
  const { status, headers, text } = await fetch('/about', { headers: { 'accept-encoding': 'gzip, br' } });
  expect([status, text]).toEqual([200, body]);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'br',
    'content-security-policy': "default-src 'self'",
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    age: '0',
  });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  expect(headers).not.toHaveProperty('ratelimit');
});

it('is not sent again to a browser that has it', async () => {
  const { fetch } = await start();
  const { headers } = await fetch('/about');
  const again = await fetch('/about', { headers: { 'if-none-match': String(headers.etag) } });
  expect([again.status, again.text]).toEqual([304, '']);
  expect(again.headers['content-security-policy']).toBe("default-src 'self'");
});

it('is made at the first visit, once for all, and again where that failed', async () => {
  let made = 0;
  const make = async (): Promise<string> => {
    made += 1;
    if (made === 1) throw new Error('not readable');
    return body;
  };
  api = await startTestApi({ pages: [fixedPage({ path: '/about', contentType: 'text/plain', body: make })] });
  const { fetch } = api;
  expect(made).toBe(0);
  expect((await fetch('/about')).status).toBe(500);
  const both = await Promise.all([fetch('/about'), fetch('/about')]);
  expect(both.map(({ status, text }) => [status, text])).toEqual([
    [200, body],
    [200, body],
  ]);
  expect(made).toBe(2);
});
