import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests run the sources of every package: no build step comes first. */
export default defineConfig({
  ssr: { resolve: { conditions: ['crosstape-source', 'node', 'module', 'default'] } },
  resolve: { conditions: ['crosstape-source', 'node', 'module', 'default'] },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/install-programs.ts', 'test/build-dashboard.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Whole services and browsers share two cores there: what was only late is tried again, and the report says so.
    retry: process.env.CI === 'true' ? 2 : 0,
    pool: 'forks',
    // Most of the long tests wait for something: on two cores one at a time would leave one idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
