import type { Static, TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { Failure } from '../platform/errors.ts';

/** The JSON body of a request by its schema; `bad_request` naming the first field that is wrong. */
export function readBody<Body extends TSchema>(schema: Body, body: unknown): Static<Body> {
  const [error] = Errors(schema, body);
  if (!error) return body as Static<Body>;
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  throw new Failure('bad_request', `${field === '' ? 'The body' : `Field \`${field}\``} ${error.message}.`);
}
