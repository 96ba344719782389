import type { Static, TObject, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { Failure } from '../platform/errors.ts';
import { allowed, clip, type ParameterSchema } from './read-query.ts';

/** The JSON body of a request by its schema; `bad_request` naming the first field that is wrong. */
export function readBody<Body extends TObject>(schema: Body, body: unknown): Static<Body> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw bad('The body must be a JSON object.');
  }
  const fields = schema.properties as Readonly<Record<string, TSchema & ParameterSchema>>;
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    const names = Object.keys(fields).map((name) => `\`${name}\``);
    throw bad(`Unknown field \`${clip(unknown)}\`; allowed: ${names.join(', ')}.`);
  }
  const required = new Set(schema.required as readonly string[] | undefined);
  const given = body as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name];
    if (value === undefined) {
      if (required.has(name)) throw bad(`Field \`${name}\` is missing; it must be ${allowed(field)}.`);
    } else if (!Check(field, value)) {
      throw bad(`Field \`${name}\` must be ${allowed(field)}, not \`${clip(JSON.stringify(value))}\`.`);
    }
  }
  return body as Static<Body>;
}

function bad(message: string): Failure {
  return new Failure('bad_request', message);
}
