import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startPrimaryMarket } from './primary-market.ts';
import { Program } from './program.ts';
import { SseTail } from './sse-tail.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const program = new Program(['keys', ...args], { DATA_DIR: folder });
  expect(await program.exitCode(), program.error).toBe(0);
  return program.out;
}

it('counts keys that another process makes, changes and revokes, and never reveals one', async () => {
  const market = await startPrimaryMarket();
  onTestFinished(() => market.close());
  const flags = ['--port', '0', '--data', folder, '--upstream', 'sim', '--sim-url', market.url];
  const service = new Program([...flags, '--sim-history-days', '0', '--quota', 'enforce', '--log', 'debug']);
  const url = await service.listening();
  const { key, id } = JSON.parse(await run('create', '--json')) as { key: string; id: string };
  const output: string[] = [];
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
    const response = await fetch(url + path, { headers });
    output.push(JSON.stringify([...response.headers]), await response.clone().text());
    return response;
  };

  // In all three ways, well and badly, on every kind of address.
  const ways = (one: string): [string, Record<string, string>][] => [
    ['', { 'X-API-Key': one }],
    ['', { Authorization: `Bearer ${one}` }],
    [`api_key=${one}`, {}],
  ];
  for (const one of [key, `${key}x`, key.toLowerCase()]) {
    for (const [search, headers] of ways(one)) {
      for (const path of [
        '/api/v1/openapi',
        '/api/v1/perps/oi?coins=',
        '/api/v1/nowhere',
        '/profile/key',
        '/metrics',
      ])
        await ask(`${path}${path.includes('?') ? '&' : '?'}${search}`, headers);
    }
  }
  const stream = await SseTail.open(`${url}/api/v1/streams/whales?minUsd=0&api_key=${key}`);
  await vi.waitUntil(() => stream.events.length > 0, { timeout: 60_000 });
  stream.close();

  const xKey = { 'X-API-Key': key };
  expect((await ask('/api/v1/openapi', xKey)).headers.get('ratelimit-policy')).toBe('"default";q=300;w=60');
  await run('tier', id, 'pro');
  const policy = async (): Promise<unknown> =>
    (await ask('/api/v1/openapi', xKey)).headers.get('ratelimit-policy');
  await vi.waitUntil(async () => (await policy()) === '"default";q=3000;w=60', { timeout: 60_000 });
  expect(await (await ask('/profile/key', xKey)).json()).toMatchObject({ data: { id, tier: 'pro' } });
  await run('revoke', id);
  await vi.waitUntil(async () => (await ask('/api/v1/openapi', xKey)).status === 401, { timeout: 60_000 });
  await ask('/metrics');

  service.kill('SIGTERM');
  expect(await service.exitCode()).toBe(0);
  const [listed] = JSON.parse(await run('list', '--all', '--json')) as [{ requestsTotal: number }];
  expect(listed).toMatchObject({ id, tier: 'pro', revokedAt: expect.any(Number) });
  expect(listed.requestsTotal).toBeGreaterThan(10);
  const all = (service.out + service.error + output.join('\n')).toLowerCase();
  expect(all).not.toContain(key.slice(8, 24).toLowerCase());
});
