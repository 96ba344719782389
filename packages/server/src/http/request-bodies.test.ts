import { afterEach, describe, expect, it, vi } from 'vitest';
import { publishSampleMarket } from '../api/testing/sample-market.ts';
import { startTestApi, type TestApi } from '../api/testing/test-api.ts';
import { LONG_MS, lines, RawLine } from './testing/raw-line.ts';

const patient = { headersMs: 60_000, requestMs: 60_000, stalledMs: 60_000, checkMs: 100 };

const opened: TestApi[] = [];
async function start(): Promise<TestApi> {
  const api = await startTestApi({ times: patient });
  opened.push(api);
  publishSampleMarket(api);
  return api;
}
afterEach(async () => {
  for (const line of lines.splice(0)) line.socket.destroy();
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (more: string): string =>
  `POST /api/v1/perps/rotations/build HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n`;

describe('bodies that are sent slowly', () => {
  it('may be 128 of one address at a time, whatever others send', async () => {
    const api = await start();
    const begun = async (address?: string): Promise<RawLine> => {
      const line = await RawLine.open(api, address);
      line.socket.write(`${post('Content-Length: 65536\r\n')}{`);
      return line;
    };
    const slow = await Promise.all(Array.from({ length: 128 }, () => begun()));
    const refused = await begun();
    await vi.waitUntil(() => refused.statuses.length > 0, { timeout: LONG_MS });
    expect(refused.statuses).toEqual(['503']);
    const other = await begun('127.0.0.2');
    other.socket.write(' '.repeat(65_535));
    await vi.waitUntil(() => other.statuses.length > 0, { timeout: LONG_MS });
    expect(other.statuses).toEqual(['400']);
    slow[0]?.socket.destroy();
    await vi.waitUntil(async () => (await api.connections()) === 129, { timeout: LONG_MS });
    const next = await begun();
    next.socket.write(' '.repeat(65_535));
    await vi.waitUntil(() => next.statuses.length > 0, { timeout: LONG_MS });
    expect(next.statuses).toEqual(['400']);
  });
});

describe('a body that no route reads', () => {
  const parts = '1\r\na\r\n'.repeat(10_000);
  it.each(['/api/v1/perps/oi', '/healthz', '/docs/nowhere'])(
    'ends the connection of %s with the answer, cached or not',
    async (path) => {
      const api = await start();
      for (const _ of [1, 2]) {
        const line = await RawLine.open(api);
        line.socket.write(`${get(path, 'Transfer-Encoding: chunked\r\n')}${parts}`);
        await line.closed();
        expect(line.statuses).toHaveLength(1);
      }
    },
  );

  it('is not read while an event stream is open', async () => {
    const api = await start();
    const line = await RawLine.open(api);
    let isDrained = false;
    line.socket.on('drain', () => {
      isDrained = true;
    });
    line.socket.write(get('/api/v1/streams/trades?coin=BTC', 'Content-Length: 100000000\r\n'));
    await vi.waitUntil(() => line.text.includes('heartbeat'), { timeout: LONG_MS });
    line.socket.write(Buffer.alloc(64 * 2 ** 20, 'a'));
    // A body that is read is gone by the time of this many answers.
    for (let i = 0; i < 100; i += 1) expect((await api.get('/perps/oi')).status).toBe(200);
    expect(isDrained).toBe(false);
  });
});
