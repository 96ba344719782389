import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { publishSampleMarket } from '../api/testing/sample-market.ts';
import { startTestApi, type TestApi } from '../api/testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi({ settings: { quota: 'off', trustProxy: false } });
  publishSampleMarket(api);
});
afterEach(() => api.close());

/** Everything received over one connection until the service closes it. */
function exchange(...questions: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(api.port, '127.0.0.1', () => socket.write(questions.join('')));
    socket.setEncoding('utf8').on('data', (part) => (text += part));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

const ask = (version: string, ...fields: readonly string[]): string =>
  `${[`GET /api/v1/perps/oi HTTP/${version}`, 'Host: x', ...fields].join('\r\n')}\r\n\r\n`;

const keep = ask('1.1');
const last = ask('1.1', 'Connection: close');

it('serves one connection again and again, and closes it when asked to', async () => {
  const text = await exchange(keep, keep, keep, last);
  const heads = text.split('HTTP/1.1 200 OK\r\n').slice(1);
  expect(heads).toHaveLength(4);
  for (const head of heads.slice(0, 3))
    expect(head).toContain('\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n');
  expect(heads[3]).toContain('\r\nConnection: close\r\n');
  const bodies = heads.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? '')).toHaveProperty('data');
});

it('closes the connection after an answer to HTTP/1.0', async () => {
  expect(await exchange(ask('1.0'))).toContain('\r\nConnection: close\r\n');
});
