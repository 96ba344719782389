import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Program } from './program.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a command to its end. */
async function run(...args: readonly string[]): Promise<{ code: unknown; out: string; error: string }> {
  const program = new Program(['keys', ...args], { DATA_DIR: folder });
  const code = await program.exitCode();
  return { code, out: program.out, error: program.error };
}

it('makes, lists, changes and revokes keys', async () => {
  expect(await run('list')).toMatchObject({ code: 1, error: `crosstape: ${folder} holds no keys\n` });
  const made = await run('create', '--tier', 'pro', '--label', 'desk 7');
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^ct_pro_\w{28}\n$/) });
  const id = /^key (\w{16}), pro, 3000 requests a minute/.exec(made.error)?.[1] as string;
  const other = JSON.parse((await run('create', '--json')).out) as { id: string; key: string; tier: string };
  expect(other).toMatchObject({ tier: 'free', key: expect.stringMatching(/^ct_free_/) });
  expect((await run('tier', id, 'free')).out).toContain(`key ${id} is free now`);
  expect((await run('revoke', other.key)).out).toContain(`key ${other.id} is revoked`);
  expect((await run('revoke', other.id)).out).toContain(`key ${other.id} was revoked 20`);
  const { out } = await run('list', '--all');
  expect(out.split('\n')[0]).toMatch(/^id +tier +today +total +last used +created +revoked +label$/);
  expect(out).toMatch(new RegExp(`\n${id} +free +0 +0 +20\\S+Z +desk 7\n`));
  expect(out).toContain(other.id);
  expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([
    { id, tier: 'free', requestsTotal: 0 },
  ]);
  expect(out).not.toContain(made.out.trim().slice(7));
}, 120_000);

it.each([
  [[], /^crosstape: keys needs one of create, list, revoke, tier; .*\n$/],
  [['make'], /^crosstape: keys needs one of .*, not make; .*\n$/],
  [['constructor'], /^crosstape: keys needs one of .*\n$/],
  [['create', '--tier', 'gold'], /^crosstape: --tier must be one of free, pro, not "gold"\n$/],
  [['create', '--label', 'a\nb'], /^crosstape: --label must be a text of one line\n$/],
  [['create', 'x'], /^crosstape: unexpected word x; .*\n$/],
])(
  'ends with one clear line and exit code 2 for %j',
  async (args, line) => {
    const { code, error, out } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(line);
  },
  30_000,
);

it('works while a service runs: a new key counts at once, a tier and a revocation within 10 s', async () => {
  const flags = ['--port', '0', '--data', folder, '--upstream', 'sim', '--sim-history-days', '0'];
  const service = new Program([...flags, '--quota', 'enforce', '--log', 'debug']);
  const url = await service.listening();
  const { key, id } = JSON.parse((await run('create', '--json')).out) as { key: string; id: string };
  const ask = (): Promise<Response> => fetch(`${url}/api/v1/openapi`, { headers: { 'X-API-Key': key } });
  const policy = async (): Promise<string | null> => (await ask()).headers.get('ratelimit-policy');
  expect(await policy()).toBe('"default";q=300;w=60');
  await run('tier', id, 'pro');
  await vi.waitUntil(async () => (await policy()) === '"default";q=3000;w=60', {
    timeout: 10_000,
    interval: 250,
  });
  await vi.waitUntil(
    async () => {
      const [row] = JSON.parse((await run('list', '--json')).out) as [{ requestsTotal: number }];
      return row.requestsTotal >= 2;
    },
    { timeout: 30_000 },
  );
  await run('revoke', id);
  await vi.waitUntil(async () => (await ask()).status === 401, { timeout: 10_000, interval: 250 });
  service.kill('SIGTERM');
  expect(await service.exitCode()).toBe(0);
  expect(service.out + service.error).not.toContain(key.slice(8));
}, 120_000);
