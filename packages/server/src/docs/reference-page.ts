import { fixedPage } from '../http/fixed-page.ts';
import type { Page } from '../http/route.ts';
import type { UpstreamMode } from '../platform/upstream-mode.ts';
import { DOCS_PATH, pageFrame } from './page-frame.ts';

const SCRIPT_PATH = `${DOCS_PATH}/scalar.js`;
const START_PATH = `${DOCS_PATH}/reference.js`;
const JAVASCRIPT = 'text/javascript; charset=utf-8';
/** Everything comes from the service itself. The reference writes its own styles into the page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The configuration of the reference: the address of the description, and no requests to other hosts. */
const configuration = {
  url: '/api/v1/openapi',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

const starter = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)});\n`;

/** The reference of the REST interface, drawn in the browser from /openapi by one script from our own origin. */
export function referencePages(script: Buffer, upstream: UpstreamMode): readonly Page[] {
  const body = pageFrame({
    title: 'REST reference',
    path: DOCS_PATH,
    upstream,
    main: `<div id="reference"></div>
<noscript><div class="page"><main><p>This page needs JavaScript. The description itself is at <a href="/api/v1/openapi">/api/v1/openapi</a>, the guides work without.</p></main></div></noscript>`,
    tail: `<script src="${SCRIPT_PATH}"></script>\n<script src="${START_PATH}"></script>\n`,
  });
  return [
    fixedPage({ path: DOCS_PATH, contentType: 'text/html; charset=utf-8', body, policy: POLICY }),
    fixedPage({ path: SCRIPT_PATH, contentType: JAVASCRIPT, body: script }),
    fixedPage({ path: START_PATH, contentType: JAVASCRIPT, body: starter }),
  ];
}
