import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWanted } from './wanted.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = [
  'dashboard/src',
  'dashboard/index.html',
  'dashboard/embed.html',
  'dashboard/examples',
  'dashboard/vite.config.ts',
  'client/src',
  'core/src',
];

function newestMs(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

/** Every project of the run has this setup; one of them builds. */
const BUILT = 'BUILT_FOR_TESTS';

/** Before tests that run what was built: builds what is older than its sources. The compiler checks that itself. */
export function setup(): void {
  if (process.env[BUILT] === '1') return;
  process.env[BUILT] = '1';
  execFileSync('npm', ['run', '-s', 'compile'], { cwd: root, stdio: 'inherit' });
  execFileSync('npm', ['run', '-s', 'bundle'], { cwd: root, stdio: 'inherit' });
  execFileSync('node', ['packages/server/scripts/build-python-wheel.mjs'], { cwd: root, stdio: 'inherit' });
  if (!isWanted(/dashboard/)) return;
  const changedMs = Math.max(...sources.map((path) => newestMs(join(root, 'packages', path))));
  const built = statSync(join(root, 'packages/dashboard/dist/index.html'), { throwIfNoEntry: false });
  if (built && built.mtimeMs >= changedMs) return;
  execFileSync('npm', ['run', '-s', 'build', '-w', 'packages/dashboard'], { cwd: root, stdio: 'inherit' });
}
