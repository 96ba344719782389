import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pruneBundle } from '../scripts/prune-bundle.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a file that was built at a time in seconds. */
function write(name: string, atS: number, text = ''): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, atS, atS);
  return path;
}

it('keeps the files of the builds before, which a running service may still load, and deletes older ones', async () => {
  const main = write('main.js', 1);
  write('chunk-unchanged.js', 1);
  for (let build = 1; build <= 10; build += 1) {
    const chunk = write(`chunk-${build}.js`, build);
    await pruneBundle(folder, new Set([main, join(folder, 'chunk-unchanged.js'), chunk]));
    // The same again is not one more build.
    await pruneBundle(folder, new Set([main, join(folder, 'chunk-unchanged.js'), chunk]));
    if (build < 10) utimesSync(chunk, build, build);
  }
  const kept = readdirSync(folder);
  expect(kept).toEqual(
    expect.arrayContaining(['main.js', 'chunk-unchanged.js', 'chunk-10.js', 'chunk-9.js']),
  );
  expect(kept).not.toContain('chunk-1.js');
  // It was in the newest build, so it is not older than what that one replaced.
  await pruneBundle(folder, new Set([main]));
  expect(existsSync(join(folder, 'chunk-unchanged.js'))).toBe(true);
});

it('warns at the start when the bundle is older than what was compiled', () => {
  cpSync(fileURLToPath(new URL('../packages/server/bin', import.meta.url)), join(folder, 'bin'), {
    recursive: true,
  });
  write('package.json', 1, '{"type":"module"}');
  write('bundle/main.js', 2, 'console.log("started");');
  const start = (): { readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, [join(folder, 'bin/crosstape.js')], { encoding: 'utf8' });
  expect(start()).toMatchObject({ stdout: 'started\n', stderr: '' });
  write('dist/.tsbuildinfo', 1);
  expect(start()).toMatchObject({ stdout: 'started\n', stderr: '' });
  write('dist/.tsbuildinfo', 3);
  expect(start()).toMatchObject({ stdout: 'started\n', stderr: expect.stringContaining('npm run bundle') });
});
