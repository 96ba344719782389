import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixedPage } from '../../http/fixed-page.ts';
import type { Page, PageReply } from '../../http/route.ts';
import { PROJECT, REQUIRES_PYTHON, type Wheel } from './build-wheel.ts';

/** Where `npm run build` writes the wheel; the same folder from the sources and from the build. */
const builtFolder = fileURLToPath(new URL('../../../dist/python', import.meta.url));
const BASE = '/python';
const HTML = 'text/html; charset=utf-8';
const PYPI_HTML = 'application/vnd.pypi.simple.v1+html';
const PYPI_JSON = 'application/vnd.pypi.simple.v1+json';
/** The version is part of the name, but a developer may build it again under the same one. */
const CACHING = 'no-cache';
const UNBUILT = 'The Python client has not been built: run `npm run build` where the service is installed.\n';

/** The package index (PEP 503, PEP 691) from which pip installs the service's own client. */
export async function packageIndexPages(folder: string = builtFolder): Promise<readonly Page[]> {
  const wheel = await readWheel(folder);
  const project = `${BASE}/simple/${PROJECT}`;
  if (!wheel) return [`${BASE}/simple/`, `${project}/`].map((path) => ({ path, handle: () => unbuilt }));
  const sha256 = createHash('sha256').update(wheel.body).digest('hex');
  return [
    negotiated(`${BASE}/simple/`, {
      html: document('Simple index', `<a href="${PROJECT}/">${PROJECT}</a>`),
      json: { meta: { 'api-version': '1.0' }, projects: [{ name: PROJECT }] },
    }),
    // Relative addresses within the page need the slash at its end.
    { path: project, handle: () => redirect(`${PROJECT}/`) },
    negotiated(`${project}/`, {
      html: document(
        `Links for ${PROJECT}`,
        `<a href="../../${wheel.name}#sha256=${sha256}" data-requires-python="${REQUIRES_PYTHON.replace('>', '&gt;')}">${wheel.name}</a>`,
      ),
      json: {
        meta: { 'api-version': '1.0' },
        name: PROJECT,
        files: [
          {
            filename: wheel.name,
            url: `../../${wheel.name}`,
            hashes: { sha256 },
            'requires-python': REQUIRES_PYTHON,
          },
        ],
      },
    }),
    fixedPage({
      path: `${BASE}/${wheel.name}`,
      contentType: 'application/octet-stream',
      body: wheel.body,
      caching: CACHING,
    }),
  ];
}

async function readWheel(folder: string): Promise<Wheel | undefined> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((one) => one.endsWith('.whl'));
  return name === undefined ? undefined : { name, body: await readFile(join(folder, name)) };
}

const unbuilt: PageReply = { status: 503, contentType: 'text/plain; charset=utf-8', body: UNBUILT };

function redirect(to: string): PageReply {
  return { status: 308, contentType: 'text/plain; charset=utf-8', body: '', headers: ['Location', to] };
}

function document(title: string, body: string): string {
  return `<!DOCTYPE html>
<html><head><meta name="pypi:repository-version" content="1.0"><title>${title}</title></head>
<body>${body}</body></html>
`;
}

function negotiated(path: string, { html, json }: { readonly html: string; readonly json: object }): Page {
  const text = JSON.stringify(json);
  return {
    path,
    handle: ({ request }) => {
      const contentType = contentTypeFor(request);
      return {
        status: 200,
        contentType,
        body: contentType === PYPI_JSON ? text : html,
        headers: ['Vary', 'Accept'],
      };
    },
  };
}

/** The named type with the highest `q`; HTML for clients that name neither. */
function contentTypeFor({ headers }: IncomingMessage): string {
  let best = { type: HTML, q: 0 };
  for (const range of (headers.accept ?? '').split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const type = { [PYPI_JSON]: PYPI_JSON, [PYPI_HTML]: PYPI_HTML, 'text/html': HTML }[name];
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
    const q = weight === undefined ? 1 : Number(weight);
    if (type !== undefined && q > best.q) best = { type, q };
  }
  return best.type;
}
