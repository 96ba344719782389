import type { VenueIdentity } from '@crosstape/core';
import type { Static, TObject, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Failure } from '../platform/errors.ts';
import { allowed, clip, type ParameterSchema, spelling } from './read-query.ts';

/** Each schema is compiled once, at its first use. */
const validators = new WeakMap<TSchema, Validator>();

/** Validates the JSON body of a request; `bad_request` names the first invalid field. */
export function readBody<Body extends TObject>(
  schema: Body,
  body: unknown,
  venues: readonly VenueIdentity[] = [],
): Static<Body> {
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
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const raw = given[name];
    const value = typeof raw === 'string' ? spelling(field, raw, venues) : raw;
    if (value === undefined) {
      if (required.has(name)) throw bad(`Field \`${name}\` is missing; it must be ${allowed(field)}.`);
    } else if (isValid(field, value)) read[name] = value;
    else throw bad(`Field \`${name}\` must be ${allowed(field)}, not \`${clip(shown(raw))}\`.`);
  }
  return read as Static<Body>;
}

function isValid(schema: TSchema, value: unknown): boolean {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  return validator.Check(value);
}

/** A value as JSON; one that is nested too deeply to be printed, by its type. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Array.isArray(value) ? '[…]' : '{…}';
  }
}

function bad(message: string): Failure {
  return new Failure('bad_request', message);
}
