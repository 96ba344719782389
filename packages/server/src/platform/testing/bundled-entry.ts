import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll } from 'vitest';

/** For CommonJS packages. */
const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Bundles the entry of a thread or process into one file for tests: loading its sources takes a second each time. */
export function bundledEntry(source: URL): URL {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-entry-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, 'entry.mjs');
  buildSync({
    entryPoints: [fileURLToPath(source)],
    outfile,
    banner: { js: banner },
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['crosstape-source'],
  });
  return pathToFileURL(outfile);
}
