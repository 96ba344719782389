import type { UpstreamMode } from '../platform/upstream-mode.ts';
import { contents } from './contents.ts';
import { escapeHtml } from '../http/escape-html.ts';
import { SCRIPT_PATH } from './page-script.ts';

export const DOCS_PATH = '/docs';
export const STYLE_PATH = `${DOCS_PATH}/style.css`;

/** Notice on every page when data are not live. */
const ribbons: Readonly<Record<UpstreamMode, string>> = {
  live: '',
  sim: '<p class="sim" role="note">Simulated market: not real prices</p>\n',
  replay: '<p class="sim" role="note">Replaying a capture: recorded data, not live</p>\n',
};

export interface FrameOptions {
  readonly title: string;
  /** Path of the page itself. */
  readonly path: string;
  readonly main: string;
  /** Origin of the service's data. */
  readonly upstream: UpstreamMode;
}

/** The document around every page: where one is, and where one can go. */
export function pageFrame({ title, path, main, upstream }: FrameOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Crosstape</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="data:,">
</head>
<body>
<header class="bar">
<a class="brand" href="/">Crosstape</a>
<nav aria-label="Site">${siteLinks(path)}</nav>
<search id="search" hidden><label>Search <input type="search" placeholder="Search the docs" autocomplete="off"></label><p role="status"></p><ul></ul></search>
</header>
${ribbons[upstream]}${main}
<script src="${SCRIPT_PATH}" defer></script>
</body>
</html>
`;
}

function siteLinks(path: string): string {
  const links = [
    { href: '/', text: 'Dashboard' },
    { href: `${DOCS_PATH}/first-five-minutes`, text: 'Guides' },
    { href: `${DOCS_PATH}/reference`, text: 'REST' },
    { href: `${DOCS_PATH}/websocket`, text: 'WebSocket' },
  ];
  return links.map(({ href, text }) => link(href, text, path)).join('');
}

/** A text with the list of all pages beside it; above it, folded, where the window is narrow. */
export function articleMain(html: string, path: string): string {
  const chapters = contents.map(({ title, entries }) => {
    const links = entries.map((one) => `<li>${link(`${DOCS_PATH}/${one.slug}`, one.title, path)}</li>`);
    return `<h2>${title}</h2><ul>${links.join('')}</ul>`;
  });
  const list = `${chapters.join('')}<h2>Machine-readable</h2><ul><li>${link('/api/v1/openapi', 'OpenAPI', path)}</li><li>${link('/api/v1/asyncapi', 'AsyncAPI', path)}</li><li>${link('/llms.txt', 'llms.txt', path)}</li><li>${link(`${path}.md`, 'This page as Markdown', path)}</li></ul>`;
  return `<div class="page">
<nav class="wide" aria-label="Documentation">${list}</nav>
<details class="narrow"><summary>All pages</summary><nav aria-label="Documentation, folded">${list}</nav></details>
<main>${html}</main>
</div>`;
}

function link(href: string, text: string, path: string): string {
  const current = href === path ? ' aria-current="page"' : '';
  return `<a href="${href}"${current}>${escapeHtml(text)}</a>`;
}
