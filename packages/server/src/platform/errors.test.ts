import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { Failure, failureCodes } from './errors.ts';

it('has every code in docs/errors.md, with its status and whether to try again, and no other', async () => {
  const text = await readFile(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^\| `(\w+)` \| (\d+) \| (\w+) \|/gm)].map(
    ([, code, status, retry]) => ({
      code,
      status: Number(status),
      retry,
    }),
  );
  const table = Object.entries(failureCodes).map(([code, entry]) => ({ code, ...entry }));
  expect(documented).toEqual(table);
});

it('keeps the cause for the log', () => {
  const cause = new Error('why');
  expect(new Failure('internal', 'sorry', { cause }).cause).toBe(cause);
  expect(new Failure('internal', 'sorry')).not.toHaveProperty('cause');
});
