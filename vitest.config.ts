import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ProjectOrder, WORKERS } from './test/project-order.ts';
import { isWanted } from './test/wanted.ts';

/** One copy of the modules, in few files: a test file loads them in half a second instead of two. */
const bundled = ['core', 'venues', 'simulator', 'server'].map((name) => ({
  find: new RegExp(`^@crosstape/${name}$`),
  replacement: fileURLToPath(new URL(`packages/server/bundle/${name}.js`, import.meta.url)),
}));

const isRunOfAll = isWanted(/^$/);

/** What Node loads itself when it was compiled. Helpers of tests are not. */
const compiled =
  /\/packages\/(?:core|venues|simulator|server|client)\/src\/(?!(?:.*\/)?testing\/|.*\.(?:test|fixture)\.ts$).*\.ts$/;

/**
 * A run of all tests runs what was compiled: it loads in a fifth of the time, and is faster than modules that Vitest
 * transforms, where every use of an import is a look-up.
 */
const builtModules = {
  name: 'built-modules',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined) {
    if (importer === undefined || !source.startsWith('.')) return undefined;
    const path = join(dirname(importer), source);
    if (!compiled.test(path)) return undefined;
    return { id: path.replace('/src/', '/dist/').replace(/\.ts$/, '.js'), external: true };
  },
};

/** What takes long, and is proven on a lower level in every run. */
const longOnly = [
  'packages/server/src/features/audit/audit-week.test.ts',
  'test/archive-kill.test.ts',
  'test/dashboard-live.test.ts',
  'test/dashboard-quota.test.ts',
  'test/dashboard-ratios.test.ts',
  'test/dashboard-usable.test.ts',
  'test/flows.test.ts',
  'test/real-size.test.ts',
  'test/venue-groups.test.ts',
  'test/venue-limits.test.ts',
  // The shared server is asked for the same over the same bus as in those that run.
  ...(process.env.ON_REDIS === '1'
    ? ['client', 'client-socket', 'dead-feeds', 'every-perp-venue', 'order-book', 'seeding'].map(
        (name) => `test/${name}.test.ts`,
      )
    : []),
];

/** Tests of the whole that start no process and no thread: they share modules as unit tests do. */
const withinProcess = ['test/doors.test.ts', 'test/witness-*.test.ts'];

const fromSource = { conditions: ['crosstape-source', 'node', 'module', 'default'] };

/** Tests beside the code run the sources; those of the whole run what was built of them, as users do. */
export default defineConfig({
  test: {
    // Nothing waits for these: they only end what hangs, so a busy machine must not reach them.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A test that fails now and then is fixed, not tried again.
    retry: 0,
    expect: { poll: { timeout: 240_000 } },
    pool: 'forks',
    // A run of all makes much garbage: an eighth of its CPU time was collecting it.
    execArgv: ['--max-semi-space-size=64'],
    // Half of what they cost would be loading the same modules again for every file.
    isolate: false,
    sequence: { sequencer: ProjectOrder },
    maxWorkers: WORKERS,
    projects: [
      {
        extends: true,
        plugins: isRunOfAll ? [builtModules] : [],
        ...(isRunOfAll ? {} : { ssr: { resolve: fromSource }, resolve: fromSource }),
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts', ...withinProcess],
          exclude: process.env.LONG === '1' ? [] : longOnly,
          setupFiles: ['test/seed.ts', 'test/patience.ts'],
          globalSetup: ['test/install-programs.ts', ...(isRunOfAll ? ['test/build.ts'] : [])],
          server: { deps: { external: [/\/packages\/[a-z]+\/(?:dist|bundle)\//] } },
        },
      },
      {
        extends: true,
        resolve: { alias: bundled },
        test: {
          name: 'whole',
          setupFiles: ['test/patience.ts'],
          // Of samples, which wait for programs and data.
          maxConcurrency: 8,
          include: ['test/**/*.test.ts'],
          exclude: [
            ...withinProcess,
            // Without the shared Redis of that pass there is nothing to wipe.
            ...(process.env.ON_REDIS === '1' ? [] : ['test/redis-wiped.test.ts']),
            // What proves the same in every run: CONTRIBUTING.md.
            ...(process.env.LONG === '1' ? [] : longOnly),
          ],
          globalSetup: ['test/install-programs.ts', 'test/build.ts', 'test/shared-service.ts'],
          server: { deps: { external: [/\/packages\/[a-z]+\/(?:dist|bundle)\//] } },
        },
      },
    ],
  },
});
