import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixedPage } from './http/fixed-page.ts';
import { BASE_PATH, type Page, type PageReply } from './http/route.ts';
import type { UpstreamMode } from './platform/upstream-mode.ts';

/** Output folder of `npm run build`, relative to the sources and to the compiled files. */
const builtFolder = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));

/** The pages of the dashboard and their addresses: one document, which renders in the browser. */
const pagePaths: Readonly<Record<string, readonly string[]>> = {
  overview: ['/'],
  market: ['/m', '/m/:coin'],
  charts: ['/charts'],
  screener: ['/screener'],
  perps: ['/perps'],
  funding: ['/funding'],
  options: ['/options', '/options/:underlying'],
  flows: ['/flows'],
  onchain: ['/onchain'],
  prediction: ['/prediction'],
  alerts: ['/alerts'],
  data: ['/data'],
  audit: ['/audit'],
  profile: ['/profile'],
  status: ['/status'],
};

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** For assets, whose names change with their content. */
const FOREVER = 'public, max-age=31536000, immutable';
/** Everything is loaded from the service itself. */
const LOADS =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
const POLICY = `${LOADS}; frame-ancestors 'none'`;
/** A chart without controls that change anything: any page may frame it, local files included. */
const EMBED_PATH = '/embed/chart';
/** The charting library runs in frames that it writes itself; only scripts of this address are run. */
const LIBRARY_POLICY =
  "default-src 'self' blob: data:; script-src 'self' 'unsafe-inline' blob:; style-src 'self' 'unsafe-inline' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
/** Pages that show how to draw the data elsewhere. */
const examples: Readonly<Record<string, string>> = {
  'examples/lightweight-charts.html': POLICY,
  'examples/tradingview.html': LIBRARY_POLICY,
};
const UNBUILT = `The dashboard has not been built. Run \`npm run build\` in the installation folder and restart the service.
The API is available; see ${BASE_PATH}/openapi.
`;

export interface Dashboard {
  readonly pages: readonly Page[];
  /** For unknown addresses: the same document, which reports it. */
  readonly lost?: PageReply;
}

interface DashboardOptions {
  /** Written into the document, so that pages show from the start whether the market is real. */
  readonly upstream: UpstreamMode;
  readonly folder?: string;
}

/** Reads the built dashboard; without one its pages say how to build it. */
export async function readDashboard({
  upstream,
  folder = builtFolder,
}: DashboardOptions): Promise<Dashboard> {
  const read = async (name: string): Promise<string | undefined> => {
    const built = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    return built?.replace('<html', `<html data-upstream="${upstream}"`);
  };
  const [html, embed] = await Promise.all([read('index.html'), read('embed.html')]);
  if (html === undefined || embed === undefined)
    return {
      pages: [...Object.values(pagePaths).flat(), EMBED_PATH].map((path) => ({ path, handle: unbuilt })),
    };
  const contentType = 'text/html; charset=utf-8';
  const files = await readPageFiles(folder);
  return {
    pages: [
      ...Object.entries(pagePaths).flatMap(([name, paths]) => {
        const body = withFiles(html, files[name] ?? []);
        const page = fixedPage({ path: '/', contentType, body, policy: POLICY });
        return paths.map((path) => ({ ...page, path }));
      }),
      fixedPage({ path: EMBED_PATH, contentType, body: embed, policy: LOADS, isEmbeddable: true }),
      ...(await readExamples(folder)),
      ...(await readAssets(folder)),
    ],
    lost: { status: 404, contentType, body: html, policy: POLICY },
  };
}

/** The files that each page loads, as the build wrote them down. */
async function readPageFiles(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const text = await readFile(join(folder, 'pages.json'), 'utf8').catch(() => '{}');
  return JSON.parse(text) as Record<string, readonly string[]>;
}

/** The document with links to the files of a page: they load at once, not after the code that decides to show it. */
function withFiles(html: string, files: readonly string[]): string {
  const links = files
    .filter((file) => !html.includes(file))
    .map((file) =>
      file.endsWith('.css')
        ? `<link rel="stylesheet" crossorigin href="/${file}">`
        : `<link rel="modulepreload" crossorigin href="/${file}">`,
    );
  return html.replace('</head>', () => `${links.join('')}</head>`);
}

async function readExamples(folder: string): Promise<readonly Page[]> {
  const pages = Object.entries(examples).map(async ([path, policy]) => {
    const body = await readFile(join(folder, path)).catch(() => undefined);
    const contentType = 'text/html; charset=utf-8';
    return body ? [fixedPage({ path: `/${path}`, contentType, body, policy })] : [];
  });
  return (await Promise.all(pages)).flat();
}

async function readAssets(folder: string): Promise<readonly Page[]> {
  const entries = await readdir(join(folder, 'assets'), { withFileTypes: true }).catch(() => []);
  const pages: Page[] = [];
  for (const { name, parentPath } of entries) {
    const contentType = contentTypes[extname(name)];
    if (contentType === undefined) continue;
    const file = join(parentPath, name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    // A worker follows the policy of its own script.
    pages.push(
      fixedPage({ path, contentType, body: await readFile(file), policy: POLICY, caching: FOREVER }),
    );
  }
  return pages;
}

function unbuilt(): PageReply {
  return { status: 503, contentType: 'text/plain; charset=utf-8', body: UNBUILT };
}
