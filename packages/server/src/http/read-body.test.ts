import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { readBody } from './read-body.ts';

const schema = Type.Object({ a: Type.String({ allowed: 'a text' }) });

it.each([
  [{ a: 1 }, 'Field `a` must be a text, not `1`.'],
  [{ a: [[1]] }, 'Field `a` must be a text, not `[[1]]`.'],
  // Valid JSON of 60 KB that cannot be printed again: a failure on our side, with an entry in the log, before.
  [JSON.parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`), 'Field `a` must be a text, not `[…]`.'],
])('names an invalid field and shows its value, however deeply nested', (body, message) => {
  expect(() => readBody(schema, body)).toThrow(message);
});
