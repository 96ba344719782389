import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fixedPage } from '../http/fixed-page.ts';
import { once } from '../platform/once.ts';
import type { Page } from '../http/route.ts';
import type { UpstreamMode } from '../platform/upstream-mode.ts';
import { contents, type Entry } from './contents.ts';
import { type AsyncApi, describeGateway } from './describe-gateway.ts';
import { describeRest, type OpenApi } from './describe-rest.ts';
import { pageScript, SCRIPT_PATH, SEARCH_PATH } from './page-script.ts';
import { articleMain, DOCS_PATH, pageFrame, STYLE_PATH } from './page-frame.ts';
import { renderMarkdown } from './render-markdown.ts';
import { type Section, sectionsOf } from './sections.ts';
import { style } from './style.ts';

/** The folder of the checkout, relative to the sources and to the compiled files. */
const docsFolder = new URL('../../../../docs/', import.meta.url);

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
/** A page needs its style, one script, and the list that it searches. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const WEBSOCKET = 'websocket.md';
const REST = 'reference.md';
/** The page at `/docs`. */
const START = 'guides/first-five-minutes.md';
/** Files that are not pages, and where the service has their content. */
const elsewhere: Readonly<Record<string, string>> = {
  'openapi.json': '/api/v1/openapi',
  'asyncapi.json': '/api/v1/asyncapi',
};

const entries = contents.flatMap((chapter) => chapter.entries);

/** An article of the documentation, with its generated parts. */
interface Article {
  readonly entry: Entry;
  readonly markdown: () => Promise<string>;
  readonly html: () => Promise<string>;
}

/**
 * The pages of the documentation: HTML, the same as Markdown, and lists for search and for programs. Each is read and
 * rendered at its first visit: all of them together would take a third of a second of every start.
 */
export function docsPages(upstream: UpstreamMode): readonly Page[] {
  const articles = entries.map(articleOf);
  return [
    fixedPage({ path: STYLE_PATH, contentType: 'text/css; charset=utf-8', body: style }),
    fixedPage({ path: SCRIPT_PATH, contentType: 'text/javascript; charset=utf-8', body: pageScript }),
    fixedPage({ path: '/llms.txt', contentType: TEXT, body: llmsText() }),
    ...articles.flatMap((article) => pagesOf(article, upstream)),
    fixedPage({ path: SEARCH_PATH, contentType: JSON_TYPE, body: () => searchList(articles) }),
  ];
}

function articleOf(entry: Entry): Article {
  const read = (file: string): Promise<string> => readFile(new URL(file, docsFolder), 'utf8');
  const generated = async (): Promise<string> => {
    if (entry.file === WEBSOCKET) return describeGateway(JSON.parse(await read('asyncapi.json')) as AsyncApi);
    if (entry.file === REST) return describeRest(JSON.parse(await read('openapi.json')) as OpenApi);
    return '';
  };
  const markdown = once(async () => {
    const [written, made] = await Promise.all([read(entry.file), generated()]);
    return made === '' ? written : `${written.trimEnd()}\n\n${made}\n`;
  });
  const html = once(async () =>
    renderMarkdown(await markdown(), { linkOf: (href) => linkFrom(entry, href) }),
  );
  return { entry, markdown, html };
}

function pagesOf({ entry, markdown, html }: Article, upstream: UpstreamMode): readonly Page[] {
  const path = pathOf(entry);
  const body = async (): Promise<string> =>
    pageFrame({ title: entry.title, path, upstream, main: articleMain(await html(), path) });
  const page = { contentType: HTML, body, policy: POLICY };
  return [
    ...(entry.file === START ? [fixedPage({ path: DOCS_PATH, ...page })] : []),
    fixedPage({ path, ...page }),
    fixedPage({ path: `${path}.md`, contentType: MARKDOWN, body: markdown }),
  ];
}

const pathOf = ({ slug }: Entry): string => `${DOCS_PATH}/${slug}`;

async function searchList(articles: readonly Article[]): Promise<string> {
  const sections: Section[] = [];
  for (const { entry, html } of articles) {
    sections.push(...sectionsOf(await html(), { title: entry.title, path: pathOf(entry) }));
    // One article at a time: yields to the event loop in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return JSON.stringify(sections);
}

/** Converts a link between files of the repository to one between pages; none for files that are not served. */
export function linkFrom({ file }: Pick<Entry, 'file'>, href: string): string | undefined {
  if (/^(https?:|\/|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const path = posix.normalize(posix.join(posix.dirname(file), target));
  const other = entries.find((entry) => entry.file === path);
  const found = other ? `${DOCS_PATH}/${other.slug}` : elsewhere[path];
  return found === undefined ? undefined : anchor === undefined ? found : `${found}#${anchor}`;
}

/** https://llmstxt.org: an index for language models. */
function llmsText(): string {
  const chapters = contents.map(({ title, entries: list }) => {
    const lines = list.map((one) => `- [${one.title}](${DOCS_PATH}/${one.slug}.md): ${one.about}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Crosstape

> The consolidated tape of crypto: a self-hostable, read-only market-data service. REST under /api/v1, Server-Sent Events under /api/v1/streams, a WebSocket at /ws/v1. No key is needed. Every answer says where its figures are from, how old they are, and what is missing.

## Machine-readable

- [OpenAPI](/api/v1/openapi): every path, parameter and record
- [AsyncAPI](/api/v1/asyncapi): every frame of the WebSocket
- [MCP](/docs/mcp.md): the Model Context Protocol at /mcp, and how to add it to a client, such as \`claude mcp add --transport http crosstape http://127.0.0.1:8080/mcp\` or \`{ "mcpServers": { "crosstape": { "url": "http://127.0.0.1:8080/mcp" } } }\`, with this service's address
- [Python](/docs/python.md): the client that this service serves: \`pip install --index-url http://127.0.0.1:8080/python/simple/ crosstape\`

${chapters.join('\n')}`;
}
