import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const sources = fileURLToPath(new URL('../../packages/server/src', import.meta.url));
/** An error that is handed to the log as `error`; errors are logged as `err`, which every reader of pino knows. */
const mistake = /(?:\blog|\bwarn)\??(?:\.\w+)?\(\s*(?:'[^']*',\s*)?\{\s*error\s*[,}]/i;

it('logs every error under the one name that log readers know', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => mistake.test(readFileSync(join(sources, file), 'utf8')))).toEqual([]);
  expect(mistake.test("this.#log.error({ error, name }, 'x')")).toBe(true);
  expect(mistake.test("this.#warn('write', { error }, 'x')")).toBe(true);
});
