import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CrashReporter, crashReports } from './crash-report.ts';

const SECRET = 'hush-4711';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('leaves a readable report without secrets when an error that nothing catches ends the process', () => {
  const program = fileURLToPath(new URL('testing/crashing-program.ts', import.meta.url));
  const args = ['--import', 'tsx', '--conditions=crosstape-source', program, folder, SECRET];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).not.toBe(0);
  const [name = ''] = crashReports(folder);
  expect(stderr).toContain(`crosstape crashed; see ${join(folder, name)}`);
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text).not.toContain(SECRET);
  expect(JSON.parse(text)).toMatchObject({
    where: 'main thread',
    error: {
      message: expect.stringContaining('failed at ***'),
      stack: expect.stringContaining('the first error'),
    },
    settings: { PORT: 8080 },
    recentLog: [{ msg: 'a line before the crash', url: 'https://x/?token=***' }],
  });
});

it('keeps the newest reports only, and nothing else is removed', () => {
  for (let n = 0; n < 7; n += 1)
    writeFileSync(join(folder, `crash-2026-01-0${n + 1}T00-00-00-000Z.json`), '{}');
  writeFileSync(join(folder, 'data.mdb'), '');
  const reporter = new CrashReporter({ folder, secrets: [], settings: {}, recentLines: [] });
  const path = reporter.write(new Error('x'), 'ingest thread');
  expect(crashReports(folder)).toHaveLength(5);
  expect(join(folder, crashReports(folder)[0] ?? '')).toBe(path);
  expect(readFileSync(join(folder, 'data.mdb'), 'utf8')).toBe('');
});

it('returns nothing when the report cannot be written', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const reporter = new CrashReporter({ folder: file, secrets: [], settings: {}, recentLines: [] });
  expect(reporter.write(new Error('x'), 'main thread')).toBeUndefined();
});
