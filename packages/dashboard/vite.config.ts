import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const sourceOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Nothing is drawn before the script has set the theme: users of the light theme see no dark page first. */
const themeFirst: Plugin = {
  name: 'theme-first',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"'),
  },
};

/** The pages are built from the sources of the workspace, whatever has been compiled before. */
export default defineConfig({
  root: sourceOf('dashboard'),
  plugins: [svelte({ configFile: false, compilerOptions: { runes: true } }), themeFirst],
  resolve: {
    alias: [
      { find: /^@crosstape\/client\/bars$/, replacement: sourceOf('client/src/bars/index.ts') },
      { find: /^@crosstape\/client$/, replacement: sourceOf('client/src/index.ts') },
      { find: /^@crosstape\/core$/, replacement: sourceOf('core/src/index.ts') },
    ],
  },
  worker: { format: 'es' },
  // The service compresses what it sends, and nothing may be written into the document: its policy forbids it.
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: [
        'index.html',
        'embed.html',
        'examples/lightweight-charts.html',
        'examples/tradingview.html',
      ].map((path) => sourceOf(`dashboard/${path}`)),
    },
  },
});
