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

/** The worker starts before the page is loaded: its script waits for nothing, and the page does not wait for it. */
const workerFirst: Plugin = {
  name: 'worker-first',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { path, bundle }) => {
      const script = Object.values(bundle ?? {}).find(
        (file) => file.type === 'chunk' && file.isEntry && file.name === 'start-worker',
      );
      if (path !== '/index.html' || !script) return html;
      const tag = `<script type="module" async crossorigin src="/${script.fileName}"></script>`;
      return html.replace('<script type="module"', () => `${tag}\n    <script type="module"`);
    },
  },
};

/**
 * Lists in `pages.json` the files of each page: the service names them in its document, so that none waits for another.
 */
const pageFiles: Plugin = {
  name: 'page-files',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const filesOf = (name: string, known = new Set<string>()): Set<string> => {
        const chunk = bundle[name];
        if (chunk?.type !== 'chunk' || known.has(name)) return known;
        known.add(name);
        for (const style of chunk.viteMetadata?.importedCss ?? []) known.add(style);
        for (const other of chunk.imports) filesOf(other, known);
        return known;
      };
      const pages: Record<string, readonly string[]> = {};
      for (const [name, chunk] of Object.entries(bundle)) {
        const page = /pages\/(\w+)\/\1\.svelte$/.exec(
          (chunk.type === 'chunk' && chunk.facadeModuleId) || '',
        )?.[1];
        if (page !== undefined) pages[page] = [...filesOf(name)];
      }
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(pages) });
    },
  },
};

/** The pages are built from the sources of the workspace, whatever was compiled before. */
export default defineConfig({
  root: sourceOf('dashboard'),
  plugins: [
    svelte({ configFile: false, compilerOptions: { runes: true } }),
    themeFirst,
    workerFirst,
    pageFiles,
  ],
  resolve: {
    alias: [
      { find: /^@crosstape\/client\/bars$/, replacement: sourceOf('client/src/bars/index.ts') },
      { find: /^@crosstape\/client$/, replacement: sourceOf('client/src/index.ts') },
      { find: /^@crosstape\/core$/, replacement: sourceOf('core/src/index.ts') },
    ],
  },
  worker: { format: 'es' },
  // The service compresses responses, and nothing may be inlined into the document: its policy forbids it.
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // Shared code is one file, not a dozen small ones.
      output: {
        codeSplitting: {
          groups: [{ name: 'parts', test: /dashboard[\\/]src[\\/](parts|format)[\\/]/, minShareCount: 4 }],
        },
      },
      input: [
        'index.html',
        'src/live/start-worker.ts',
        'embed.html',
        'examples/lightweight-charts.html',
        'examples/tradingview.html',
      ].map((path) => sourceOf(`dashboard/${path}`)),
    },
  },
});
