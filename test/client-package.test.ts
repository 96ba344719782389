import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const BYTES_MAX = 15_000;

/** The client as a browser would load it. Fails where something of Node is imported. */
async function bundle(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: `${root}packages/client` },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['crosstape-source'],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

it('the client is less than 15 KB to load, without the bar builders and with everything else', async () => {
  const code = await bundle("export * from '@crosstape/client';");
  expect(code).toContain('/api/v1');
  expect(gzipSync(code).length).toBeLessThan(BYTES_MAX);
});

it('bars run in a browser too, and nothing of Node is in either', async () => {
  const code = await bundle("export * from '@crosstape/client'; export * from '@crosstape/client/bars';");
  expect(code).toContain('trend_reversal');
  await expect(bundle("import 'node:fs';")).rejects.toThrow('node:fs');
});
