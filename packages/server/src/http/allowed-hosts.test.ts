import { afterEach, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../api/testing/test-api.ts';

let api: TestApi;
afterEach(() => api.close());

const build = '/api/v1/perps/rotations/build';

async function post(headers: Record<string, string>): Promise<number> {
  return (await api.fetch(build, { method: 'POST', headers })).status;
}

it('lets pages change something under loopback names, addresses and configured names alone', async () => {
  api = await startTestApi({
    settings: { quota: 'off', trustProxy: false, allowedHosts: ['tape.example.com'] },
  });
  const page = (Host: string) => ({ Host, Origin: `http://${Host}` });
  for (const host of [
    'localhost:8080',
    'a.localhost',
    '127.0.0.1:1',
    '[::1]:80',
    '10.1.2.3',
    'Tape.Example.com:443',
  ])
    expect(await post(page(host)), host).toBe(400);
  for (const host of ['evil.example', 'localhost.evil.example', 'tape.example.com.evil.example'])
    expect(await post(page(host)), host).toBe(403);
  expect(await post({ Host: 'evil.example', 'Sec-Fetch-Site': 'same-origin' })).toBe(403);
});

it('lets programs, which no page can steer, use any name, and pages read under any', async () => {
  api = await startTestApi();
  expect(await post({ Host: 'crosstape' })).toBe(400);
  const read = await api.fetch('/healthz', {
    headers: { Host: 'evil.example', Origin: 'http://evil.example' },
  });
  expect(read.status).toBe(200);
});

it('names the methods of a page, and those of the interface, as they are', async () => {
  api = await startTestApi();
  const page = await api.fetch('/healthz', { method: 'OPTIONS' });
  expect(page.status).toBe(405);
  expect(page.headers.allow).toBe('GET, HEAD');
  const endpoint = await api.fetch('/api/v1/perps/oi', { method: 'PUT' });
  expect(endpoint.headers.allow).toBe('GET, HEAD, OPTIONS');
});
