import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { endpoints } from './endpoints.ts';

/** `/perps/oi/history` is in `perps-oi-history.ts`. */
function fileOf(path: string): string {
  return path.slice(1).replaceAll('/', '-');
}

it('lists every file of a feature’s endpoints, and has a file for each', () => {
  const files = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|\/)endpoints\/[^/]+\.ts$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => path.slice(path.lastIndexOf('/') + 1, -'.ts'.length));
  expect(endpoints.map(({ path }) => fileOf(path)).toSorted()).toEqual(files.toSorted());
});
