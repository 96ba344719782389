import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { pruneBundle } from './prune-bundle.ts';

/**
 * Joins what the compiler wrote, and the packages that it imports, into a few files: a start reads about 100 files instead
 * of 1,600, which takes half of its processor time. Runs after the compiler.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const server = join(root, 'packages/server');
const outdir = join(server, 'bundle');

/** Packages that read files beside their own, or are native. */
const external = [
  'bufferutil',
  'bullmq',
  'ioredis',
  'koffi',
  'lmdb',
  'msgpackr-extract',
  'pino',
  'utf-8-validate',
];

/** CommonJS packages call it. */
const banner = `import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);`;

/** Where the modules of a package would be in the bundle: from there they find their workers and files. */
const places: Readonly<Record<string, string>> = { server: '.', simulator: './simulator' };

/** A module that looks for a file by its own address goes by the one it would have, one file per module. */
const keepAddresses: Plugin = {
  name: 'keep-addresses',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]packages[\\/][a-z]+[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const [name = '', , ...rest] = relative(join(root, 'packages'), path).split(/[\\/]/);
      const place = places[name];
      if (place === undefined) throw new Error(`${path} uses import.meta.url: give its package a place`);
      const address = `new URL('${[place, ...rest].join('/')}', import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', address), loader: 'js' };
    });
  },
};

/** For tests of whole services, which import these packages by their names (vitest.config.ts). */
const inProcess = Object.fromEntries(
  ['core', 'venues', 'simulator', 'server'].map((name) => [
    name,
    join(root, `packages/${name}/dist/index.js`),
  ]),
);

const { metafile } = await build({
  entryPoints: {
    main: join(server, 'dist/main.js'),
    worker: join(server, 'dist/worker.js'),
    'ingest-worker': join(server, 'dist/ingest-worker.js'),
    'simulator/worker': join(root, 'packages/simulator/dist/worker.js'),
    ...inProcess,
  },
  outdir,
  external,
  banner: { js: banner },
  plugins: [keepAddresses],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // Every thread keeps the text of what it loads: without comments and indentation it is half as long, and one byte a
  // character. Lines stay short enough for a stack trace.
  minifyWhitespace: true,
  lineLimit: 160,
  metafile: true,
  logLevel: 'warning',
});

const outputs = new Set(Object.keys(metafile.outputs).map((path) => join(process.cwd(), path)));
for (const path of outputs) {
  if (path.endsWith('.js') && /\b__dirname\b/.test(await readFile(path, 'utf8')))
    throw new Error(`a package in ${path} reads files beside its own: make it external`);
}
await pruneBundle(outdir, outputs);
