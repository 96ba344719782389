import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isWanted } from './test/wanted.ts';

/** One copy of the modules, in few files: a test file loads them in half a second instead of two. */
const bundled = ['core', 'venues', 'simulator', 'server'].map((name) => ({
  find: new RegExp(`^@crosstape/${name}$`),
  replacement: fileURLToPath(new URL(`packages/server/bundle/${name}.js`, import.meta.url)),
}));

const isRunOfAll = isWanted(/^$/);

/** The entries of threads by the files that start them. */
const threads: Readonly<Record<string, readonly [string, string]>> = {
  'server/src/platform/thread-jobs.ts': ["'../worker.ts'", "'../../bundle/worker.js'"],
  'server/src/roles/ingest-thread.ts': ["'../ingest-worker.ts'", "'../../bundle/ingest-worker.js'"],
  'simulator/src/thread.ts': ["'./worker.ts'", "'../../server/bundle/simulator/worker.js'"],
};

/** In a run of all tests, threads run what was built: to load the sources takes most of a second in each of them. */
const builtThreads = {
  name: 'built-threads',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    const [source, built] = threads[id.replace(/^.*\/packages\//, '')] ?? [];
    if (source === undefined || built === undefined) return undefined;
    if (!code.includes(source)) throw new Error(`${id} does not start ${source}`);
    return { code: code.replace(source, built), map: null };
  },
};

/** What takes long, and is proven on a lower level in every run. */
const longOnly = [
  'test/dashboard-quota.test.ts',
  'test/liquidation-refill.test.ts',
  'test/perps-faults.test.ts',
  'test/real-size.test.ts',
  // The shared server is asked for the same over the same bus as in those that run.
  ...(process.env.ON_REDIS === '1'
    ? ['client', 'client-socket', 'dead-feeds', 'flows', 'order-book', 'seeding'].map(
        (name) => `test/${name}.test.ts`,
      )
    : []),
];

const fromSource = { conditions: ['crosstape-source', 'node', 'module', 'default'] };

/** Tests beside the code run the sources; those of the whole run what was built of them, as users do. */
export default defineConfig({
  test: {
    // Nothing waits for these: they only end what hangs, so a busy machine must not reach them.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A test that fails now and then is fixed, not tried again.
    retry: 0,
    setupFiles: ['test/seed.ts', 'test/patience.ts'],
    expect: { poll: { timeout: 240_000 } },
    pool: 'forks',
    // Most of the long tests wait for something: one for each core would leave cores idle.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        plugins: isRunOfAll ? [builtThreads] : [],
        ssr: { resolve: fromSource },
        resolve: fromSource,
        test: {
          name: 'packages',
          // Every door is read within one process.
          include: ['packages/*/src/**/*.test.ts', 'test/doors.test.ts'],
          // Half of what they cost would be loading the same modules again for every file.
          isolate: false,
          globalSetup: ['test/install-programs.ts', ...(isRunOfAll ? ['test/build.ts'] : [])],
        },
      },
      {
        extends: true,
        resolve: { alias: bundled },
        test: {
          name: 'whole',
          // Of samples, which wait for programs and data.
          maxConcurrency: 8,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/doors.test.ts',
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
