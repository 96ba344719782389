import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fixedPage } from '../http/fixed-page.ts';
import type { Page, PageReply } from '../http/route.ts';
import type { UpstreamMode } from '../platform/upstream-mode.ts';
import { contents, type Entry } from './contents.ts';
import { type AsyncApi, describeGateway } from './describe-gateway.ts';
import { articleMain, DOCS_PATH, pageFrame, STYLE_PATH } from './page-frame.ts';
import { referencePages } from './reference-page.ts';
import { renderMarkdown } from './render-markdown.ts';
import { style } from './style.ts';

/** Seen from the sources and from what is compiled of them: the folder of the checkout, and what a build lays beside. */
const docsFolder = new URL('../../../../docs/', import.meta.url);
const scriptFile = new URL('../../dist/scalar.js', import.meta.url);

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
/** A page of text needs its style and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const WEBSOCKET = 'websocket.md';
/** Files that are not pages, and where the service has what is in them. */
const elsewhere: Readonly<Record<string, string>> = {
  'openapi.json': '/api/v1/openapi',
  'asyncapi.json': '/api/v1/asyncapi',
};

const entries = contents.flatMap((chapter) => chapter.entries);

/** Reads the documentation and makes its pages, once: HTML, the same as Markdown, the reference, and a list for programs. */
export async function readDocs(upstream: UpstreamMode): Promise<readonly Page[]> {
  const script = await readFile(scriptFile).catch(() => undefined);
  const asyncApi = JSON.parse(await readFile(new URL('asyncapi.json', docsFolder), 'utf8')) as AsyncApi;
  const pages: Page[] = [
    ...(script ? referencePages(script, upstream) : [{ path: DOCS_PATH, handle: unbuilt }]),
    fixedPage({ path: STYLE_PATH, contentType: 'text/css; charset=utf-8', body: style }),
    fixedPage({ path: '/llms.txt', contentType: TEXT, body: llmsText() }),
  ];
  for (const entry of entries) {
    const written = await readFile(new URL(entry.file, docsFolder), 'utf8');
    const markdown =
      entry.file === WEBSOCKET ? `${written.trimEnd()}\n\n${describeGateway(asyncApi)}\n` : written;
    pages.push(...pagesOf(entry, markdown, upstream));
  }
  return pages;
}

/** As long as only the sources are there. */
function unbuilt(): PageReply {
  const body =
    'The API reference has not been built: run `npm run build`, then start again. The guides are there.\n';
  return { status: 503, contentType: TEXT, body };
}

function pagesOf(entry: Entry, markdown: string, upstream: UpstreamMode): readonly Page[] {
  const path = `${DOCS_PATH}/${entry.slug}`;
  const html = renderMarkdown(markdown, { linkOf: (href) => linkFrom(entry, href) });
  const body = pageFrame({ title: entry.title, path, upstream, main: articleMain(html, path) });
  return [
    fixedPage({ path, contentType: HTML, body, policy: POLICY }),
    fixedPage({ path: `${path}.md`, contentType: MARKDOWN, body: markdown }),
  ];
}

/** A link between files of the repository, as one between pages; to what is not served it is none. */
export function linkFrom({ file }: Pick<Entry, 'file'>, href: string): string | undefined {
  if (/^(https?:|\/|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const path = posix.normalize(posix.join(posix.dirname(file), target));
  const other = entries.find((entry) => entry.file === path);
  const found = other ? `${DOCS_PATH}/${other.slug}` : elsewhere[path];
  return found === undefined ? undefined : anchor === undefined ? found : `${found}#${anchor}`;
}

/** https://llmstxt.org: what there is to read, for programs that read. */
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
- [MCP](/docs/mcp.md): the Model Context Protocol at /mcp, and how to add it to a client
- [Python](/docs/python.md): the client that this service serves at /python/simple/

${chapters.join('\n')}`;
}
