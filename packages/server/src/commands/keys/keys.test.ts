import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UsageError } from '../../settings/read-settings.ts';
import type { Terminal } from '../command.ts';
import { keys } from './keys.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a command to its end. */
async function run(...args: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const output = { out: '', error: '' };
  const terminal: Terminal = {
    environment: { DATA_DIR: folder },
    out: (text) => void (output.out += `${text}\n`),
    error: (text) => void (output.error += `${text}\n`),
    stdout: process.stdout,
    stderr: process.stderr,
    stopSignal: async () => 'SIGTERM',
  };
  return { code: await keys.run(args, terminal), ...output };
}

it('makes, lists, changes and revokes keys', async () => {
  const made = await run('create', '--tier', 'pro', '--label', 'team 7');
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^ct_pro_\w{28}\n$/) });
  const id = /^key (\w{16}), pro, 3000 requests a minute/.exec(made.error)?.[1] as string;
  const other = JSON.parse((await run('create', '--json')).out) as { id: string; key: string; tier: string };
  expect(other).toMatchObject({ tier: 'free', key: expect.stringMatching(/^ct_free_/) });
  expect((await run('tier', id, 'free')).out).toContain(`key ${id} is free now`);
  expect((await run('revoke', other.key)).out).toContain(`revoked key ${other.id};`);
  expect((await run('revoke', other.id)).out).toContain(`key ${other.id} was revoked 20`);
  const { out } = await run('list', '--all');
  expect(out.split('\n')[0]).toMatch(/^id +tier +today +total +last used +created +revoked +label$/);
  expect(out).toMatch(new RegExp(`\n${id} +free +0 +0 +20\\S+Z +team 7\n`));
  expect(out).toContain(other.id);
  const listed = (await run('list', '--json')).out;
  expect(JSON.parse(listed)).toMatchObject([{ id, tier: 'free', label: 'team 7', requestsTotal: 0 }]);
  expect(out + listed).not.toContain(made.out.trim().slice(7));
});

it('says where a key was made, and that nothing was there before', async () => {
  const data = join(folder, 'data');
  expect((await run('create', '--data', data)).error).toContain(` a minute, in ${data} (a new folder); `);
  expect((await run('create', '--data', data)).error).toContain(` a minute, in ${data}; `);
});

it.each([
  [[], /^keys needs one of create, list, revoke, tier; /],
  [['make'], /^keys needs one of .*, not make; /],
  [['constructor'], /^keys needs one of .*; /],
  [['create', '--tier', 'gold'], /^--tier must be one of free, pro, not "gold"$/],
  [['create', '--label', 'a\nb'], /^--label must be a single line$/],
  [['create', '--label', 'a'.repeat(101)], /^--label must be at most 100 characters$/],
  [['create', 'x'], /^unexpected argument x; /],
  [['create', '--all'], /^unknown flag --all; /],
  [['revoke'], /^missing key id; /],
  [['tier', 'x'], /^keys tier needs a key and one of free, pro$/],
  [['tier', 'x', 'gold'], /^--tier must be one of free, pro, not "gold"$/],
])('does not understand %j', async (args, line) => {
  await run('create');
  const refused = await run(...args).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UsageError);
  expect((refused as UsageError).message).toMatch(line);
});

it('says so when there is no such key, and makes no folder to find that out', async () => {
  await expect(run('list')).rejects.toThrow(`no keys in ${folder}`);
  await expect(run('revoke', 'x', '--data', join(folder, 'typo'))).rejects.toThrow(/^no keys in .*typo$/);
  await run('create');
  await expect(run('revoke', 'x')).rejects.toThrow('no such key');
  await expect(run('tier', '0'.repeat(16), 'pro')).rejects.toThrow('no such key');
});
