/** Writes the wheel of the Python client beside the compiled server, which serves it. Runs after the compiler. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWheel } from '../dist/features/python/build-wheel.js';
import { version } from '../dist/platform/product.js';

const source = fileURLToPath(new URL('../../../clients/python/', import.meta.url));
const folder = new URL('../dist/python/', import.meta.url);
const files = new Map();
for (const entry of await readdir(`${source}crosstape`, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(py|typed)$/.test(entry.name)) continue;
  const file = `${entry.parentPath}/${entry.name}`;
  files.set(relative(source, file).split(sep).join('/'), await readFile(file));
}
const { name, body } = buildWheel({
  version,
  files,
  readme: await readFile(`${source}README.md`, 'utf8'),
  license: await readFile(new URL('../../../LICENSE', import.meta.url), 'utf8'),
});
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await writeFile(new URL(name, folder), body);
