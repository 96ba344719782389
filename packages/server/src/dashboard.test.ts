import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readDashboard } from './dashboard.ts';
import { Answer } from './http/answer.ts';
import type { Visit } from './http/route.ts';

let folder = '';
const document = '<html lang="en"><head><script src="/assets/index-1.js"></script></head></html>';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), document);
  await writeFile(join(folder, 'embed.html'), document);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function documentAt(path: string): Promise<string> {
  const { pages } = await readDashboard({ upstream: 'sim', folder });
  const answer = await pages.find((page) => page.path === path)?.handle({} as Visit);
  return answer instanceof Answer ? answer.parts.body.toString() : '';
}

it('names the files of a page in its document, and those of no other', async () => {
  const market = ['assets/market-1.js', 'assets/market-1.css', 'assets/index-1.js'];
  await writeFile(join(folder, 'pages.json'), JSON.stringify({ market, perps: ['assets/perps-1.js'] }));
  expect(await documentAt('/m/:coin')).toBe(
    '<html data-upstream="sim" lang="en"><head><script src="/assets/index-1.js"></script>' +
      '<link rel="modulepreload" crossorigin href="/assets/market-1.js">' +
      '<link rel="stylesheet" crossorigin href="/assets/market-1.css"></head></html>',
  );
  expect(await documentAt('/perps')).toContain('/assets/perps-1.js');
  expect(await documentAt('/perps')).not.toContain('market');
});

it('serves the document as it is where the build names no files', async () => {
  expect(await documentAt('/m/:coin')).toBe(document.replace('<html', '<html data-upstream="sim"'));
});
