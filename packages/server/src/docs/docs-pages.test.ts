import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../http/answer.ts';
import type { Page, Visit } from '../http/route.ts';
import { contents } from './contents.ts';
import { type AsyncApi, describeGateway } from './describe-gateway.ts';
import { describeRest, type OpenApi } from './describe-rest.ts';
import { highlight } from './highlight.ts';
import type { Section } from './sections.ts';
import { docsPages, linkFrom } from './docs-pages.ts';
import { renderMarkdown } from './render-markdown.ts';

const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const entries = contents.flatMap((chapter) => chapter.entries);
/** Documents for contributors, not for users. */
const unserved = /^(STYLE|add-|decisions|screenshots)/;
/** Further pages that may be linked. */
const others = ['/', '/api/v1/openapi', '/api/v1/asyncapi'];

let texts: Map<string, string>;
const textOf = async (page: Page): Promise<string> =>
  ((await page.handle({} as Visit)) as Answer).parts.body.toString();
beforeAll(async () => {
  texts = new Map();
  for (const page of docsPages('live')) texts.set(page.path, await textOf(page));
});

it('serves every document for users, and no other', () => {
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.md') && !unserved.test(file),
  );
  expect(entries.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
});

describe('every page', () => {
  it.each(entries)(
    '$slug is there as HTML and as Markdown, and in the list for programs',
    ({ slug, file }) => {
      expect(texts.get(`/docs/${slug}`)).toContain('<h1');
      expect(texts.get(`/docs/${slug}.md`)).toContain(readFileSync(docs + file, 'utf8').trimEnd());
      expect(texts.get('/llms.txt')).toContain(`(/docs/${slug}.md)`);
    },
  );

  it('is named to programs, with how to add MCP and the Python client', () => {
    expect(texts.get('/llms.txt')).toContain('`claude mcp add --transport http crosstape ');
    expect(texts.get('/llms.txt')).toContain('`pip install --index-url ');
  });

  it.each(entries)('$slug leads nowhere where there is nothing', ({ slug }) => {
    const html = texts.get(`/docs/${slug}`) ?? '';
    const ids = (path: string): readonly string[] =>
      [...(texts.get(path) ?? '').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string);
    for (const [, href = ''] of html.matchAll(/ href="([^"]+)"/g)) {
      if (/^(https:\/\/|data:)/.test(href)) continue;
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? `/docs/${slug}` : path;
      if (!others.includes(target)) expect([...texts.keys()], href).toContain(target);
      if (anchor !== undefined) expect(ids(target), href).toContain(anchor);
    }
  });

  it.each(entries)('$slug loads nothing but its style and one script', ({ slug }) => {
    const html = texts.get(`/docs/${slug}`) ?? '';
    expect(html).not.toMatch(/<(img|iframe|object|embed)\b| style=| on[a-z]+=/);
    expect(html.match(/<script\b[^>]*>/g)).toEqual(['<script src="/docs/page.js" defer>']);
    expect([...html.matchAll(/<link[^>]*href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      '/docs/style.css',
      'data:,',
    ]);
  });
});

it('says on every page that a market is simulated, and on none that a real one is', async () => {
  const ribbon = 'Simulated market: not real prices';
  const simulated = docsPages('sim');
  const isDocument = ({ path }: Page): boolean => texts.get(path)?.startsWith('<!doctype html>') === true;
  const documents = simulated.filter(isDocument);
  expect(documents.length).toBeGreaterThanOrEqual(entries.length);
  for (const page of documents) {
    expect(await textOf(page), page.path).toContain(ribbon);
    expect(texts.get(page.path)).not.toContain(ribbon);
  }
});

it('describes every path of the interface, its parameters and the fields of its answer', () => {
  const document = JSON.parse(readFileSync(`${docs}openapi.json`, 'utf8')) as OpenApi;
  const text = describeRest(document);
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods))
      expect(text).toContain(`### ${method.toUpperCase()} ${path}\n`);
  expect(text).toContain('| `venues?` | list of `hyperliquid`, `bybit`');
  expect(text).toContain('| `oiUsd` | number |');
  expect(text).toContain("curl -s 'http://localhost:8080/api/v1/options/gex?underlying=BTC'");
});

it('finds every section of every page by search, and each of them is there', () => {
  const sections = JSON.parse(texts.get('/docs/search.json') ?? '[]') as readonly Section[];
  expect(sections.length).toBeGreaterThan(200);
  expect(sections.map(({ title }) => title)).toContain('GET /perps/whales');
  for (const { href } of sections) {
    const [path = '', id] = href.split('#');
    expect(texts.get(path), href).toContain(` id="${id}"`);
  }
});

it('marks comments, texts, numbers and words of a language, and nothing in others', () => {
  expect(highlight('const a = "<b>"; // 1', 'ts')).toBe(
    '<span class="word">const</span> a = <span class="text">&quot;&lt;b&gt;&quot;</span>; <span class="note">// 1</span>',
  );
  expect(highlight('{"a": 1.5}', 'json')).toContain('<span class="number">1.5</span>');
  expect(highlight('a = 1 <', 'text')).toBe('a = 1 &lt;');
});

it('documents every frame and every field of the gateway', () => {
  const document = JSON.parse(readFileSync(`${docs}asyncapi.json`, 'utf8')) as AsyncApi;
  const text = describeGateway(document);
  const channels = Object.keys(document.components.messages).filter((name) => name.startsWith('data.'));
  expect(channels.length).toBeGreaterThan(12);
  for (const name of channels) expect(text).toContain(`### Channel ${name.slice(5)}\n`);
  expect(text).toContain('| `mode?` | `full`, `delta` |');
  expect(text).toContain('### Server frame caughtUp');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const unexplained = rows.filter((line) => /\| +\|$/.test(line) && !/`(op|type)` /.test(line));
  expect(unexplained).toEqual([]);
});

describe('a link between documents', () => {
  it.each([
    ['websocket.md', 'order-book.md', '/docs/order-book'],
    ['guides/bars.md', '../formats.md#chunk', '/docs/formats#chunk'],
    ['websocket.md', 'asyncapi.json', '/api/v1/asyncapi'],
    ['websocket.md', '#frames', '#frames'],
    ['websocket.md', '/docs', '/docs'],
    ['websocket.md', 'https://example.com/a', 'https://example.com/a'],
    ['keys.md', '../README.md', undefined],
    ['keys.md', 'javascript:alert(1)', undefined],
  ])('in %s to %s', (file, href, target) => {
    expect(linkFrom({ file }, href)).toBe(target);
  });
});

it('shows HTML in a document as text', () => {
  const html = renderMarkdown('# A <b>\n\n<script>x()</script>\n\n`<i>` <u>y</u>', {
    linkOf: (href) => href,
  });
  expect(html).not.toMatch(/<(script|b|i|u)>/);
  expect(html).toContain('&lt;script&gt;');
});
