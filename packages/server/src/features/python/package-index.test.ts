import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Page, PageReply, Visit } from '../../http/route.ts';
import { buildWheel } from './build-wheel.ts';
import { packageIndexPages } from './package-index.ts';

const parts = {
  version: '1.2.3',
  files: new Map([
    ['crosstape/b.py', Buffer.from('b = 1\n')],
    ['crosstape/__init__.py', Buffer.from('')],
  ]),
  readme: '# Crosstape\n',
  license: 'Apache\n',
};

const folder = mkdtempSync(join(tmpdir(), 'crosstape-index-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function visit(pages: readonly Page[], path: string, accept?: string): Promise<PageReply> {
  const page = pages.find((one) => one.path === path) as Page;
  const request = { headers: accept === undefined ? {} : { accept } } as IncomingMessage;
  return (await page.handle({ request } as Visit)) as PageReply;
}

describe('the wheel of the Python client', () => {
  it('has the same bytes whatever the order of its files', () => {
    const other = { ...parts, files: new Map([...parts.files].toReversed()) };
    expect(buildWheel(other).body.equals(buildWheel(parts).body)).toBe(true);
    expect(buildWheel(parts).name).toBe('crosstape-1.2.3-py3-none-any.whl');
  });

  it('refuses a version that pip would read differently', () => {
    expect(() => buildWheel({ ...parts, version: '1.0.0-rc.1' })).toThrow('1.0.0-rc.1');
  });
});

describe('the package index', () => {
  it('reports that the wheel is missing until it is built', async () => {
    const reply = await visit(await packageIndexPages(join(folder, 'none')), '/python/simple/crosstape/');
    expect(reply).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') });
  });

  it('lists the wheel with its hash, as HTML or JSON', async () => {
    const wheel = buildWheel(parts);
    writeFileSync(join(folder, wheel.name), wheel.body);
    const pages = await packageIndexPages(folder);
    const html = await visit(pages, '/python/simple/crosstape/');
    expect(html.contentType).toContain('text/html');
    const sha256 = /href="\.\.\/\.\.\/crosstape-1\.2\.3-py3-none-any\.whl#sha256=([0-9a-f]{64})"/.exec(
      html.body,
    )?.[1];
    // Headers of pip.
    const pip =
      'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01';
    const json = await visit(pages, '/python/simple/crosstape/', pip);
    expect(json.contentType).toBe('application/vnd.pypi.simple.v1+json');
    expect(JSON.parse(json.body)).toMatchObject({ name: 'crosstape', files: [{ hashes: { sha256 } }] });
    expect(await visit(pages, '/python/simple/crosstape')).toMatchObject({
      status: 308,
      headers: ['Location', 'crosstape/'],
    });
    expect((await visit(pages, '/python/simple/')).body).toContain('href="crosstape/"');
  });
});
