import { findVenue, type VenueIdentity } from '@crosstape/core';
import type { Static, TObject, TProperties } from 'typebox';
import { Failure } from '../platform/errors.ts';

/** Allowed with any request; `extractApiKey` reads it. */
export const KEY_PARAMETER = 'api_key';
const SHOWN_CHARS_MAX = 64;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const INTEGER = /^-?(0|[1-9]\d*)$/;
const CONTROL = /\p{Cc}/u;

/** A validated query: parameters with a default are always present. */
export type QueryOf<Query extends TObject> =
  Query extends TObject<infer Properties extends TProperties>
    ? Omit<Static<Query>, DefaultedKeys<Properties>> & {
        [Key in DefaultedKeys<Properties>]: Static<Properties[Key]>;
      }
    : never;

type DefaultedKeys<Properties extends TProperties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
}[keyof Properties];

/** The keywords that the parameters of this service use. */
export interface ParameterSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  /** Values reserved for later: 501, if the rest of the query is valid. */
  readonly reserved?: readonly string[];
  readonly pattern?: string;
  /** Describes `pattern` in words. */
  readonly allowed?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly default?: unknown;
  readonly items?: ParameterSchema;
  readonly maxItems?: number;
  /** For a list: repeated (true) or separated by commas (false). */
  readonly explode?: boolean;
  /** The value is a name with alternative spellings. */
  readonly names?: 'venue' | 'coin';
}

/**
 * Parses a query string by a schema. Nothing is repaired, clamped or ignored: anything that the schema does not allow
 * is a `bad_request` that names the parameter and its allowed values.
 */
export function readQuery<Query extends TObject>(
  schema: Query,
  search: string,
  venues: readonly VenueIdentity[] = [],
): QueryOf<Query> {
  const parameters = schema.properties as Readonly<Record<string, ParameterSchema>>;
  const given = splitSearch(search, parameters);
  const required = new Set(schema.required as readonly string[] | undefined);
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const texts = given.get(name);
    if (texts) values[name] = readParameter(name, parameter, texts, venues);
    else if (parameter.default !== undefined) values[name] = parameter.default;
    else if (required.has(name))
      throw bad(`Parameter \`${name}\` is missing; it must be ${allowed(parameter)}.`);
  }
  return values as QueryOf<Query>;
}

/** The decoded texts of each parameter; every name is known and no text is empty. */
function splitSearch(
  search: string,
  parameters: Readonly<Record<string, ParameterSchema>>,
): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, string[]>();
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const text = at < 0 ? '' : decode(pair.slice(at + 1), name === KEY_PARAMETER ? name : undefined);
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter && name !== KEY_PARAMETER) throw unknownParameter(name, parameters);
    const texts = given.get(name);
    if (texts && parameter?.explode !== true) {
      throw bad(`Parameter \`${name}\` is given more than once; it may be given once.`);
    }
    if (text === '') throw bad(`Parameter \`${name}\` is empty; it must be ${allowed(parameter ?? {})}.`);
    if (CONTROL.test(text)) {
      throw bad(
        `Parameter \`${name}\` has a control character in it; it must be ${allowed(parameter ?? {})}.`,
      );
    }
    if (texts) texts.push(text);
    else given.set(name, [text]);
  }
  return given;
}

function readParameter(
  name: string,
  parameter: ParameterSchema,
  texts: readonly string[],
  venues: readonly VenueIdentity[],
): unknown {
  if (parameter.type !== 'array') return readOne(name, parameter, texts[0] as string, venues);
  const entries = parameter.explode ? texts : (texts[0] as string).split(',');
  if (entries.length > (parameter.maxItems ?? Infinity)) {
    throw bad(
      `Parameter \`${name}\` has ${entries.length} entries; it may have up to ${parameter.maxItems}.`,
    );
  }
  const item = parameter.items ?? {};
  const values = entries.map((text) => {
    if (text === '') throw bad(`Parameter \`${name}\` has an empty entry; each must be ${allowed(item)}.`);
    return readOne(name, item, text, venues);
  });
  return [...new Set(values)];
}

function readOne(
  name: string,
  parameter: ParameterSchema,
  text: string,
  venues: readonly VenueIdentity[],
): unknown {
  const value = readValue(parameter, text, venues);
  if (value === undefined) {
    throw bad(`Parameter \`${name}\` must be ${allowed(parameter)}, not \`${clip(text)}\`.`);
  }
  const { reserved, enum: values = [] } = parameter;
  if (reserved?.some((one) => one === value)) {
    const served = values.filter((one) => !reserved.includes(one)).join(', ');
    const why = `${value} is reserved and not available yet; available: ${served}.`;
    throw new Failure('not_implemented', `Parameter \`${name}\`: ${why}`);
  }
  return value;
}

function readValue(
  parameter: ParameterSchema,
  text: string,
  venues: readonly VenueIdentity[],
): string | number | undefined {
  if (parameter.type === 'number' || parameter.type === 'integer') return readNumber(parameter, text);
  const value = spelling(parameter, text, venues);
  if (parameter.enum) return parameter.enum.includes(value) ? value : undefined;
  return parameter.pattern === undefined || new RegExp(parameter.pattern, 'u').test(value)
    ? value
    : undefined;
}

/** Venues and coins match in any case, venues by other names too. */
export function spelling(parameter: ParameterSchema, text: string, venues: readonly VenueIdentity[]): string {
  if (parameter.names === 'venue') return findVenue(venues, text)?.id ?? text;
  if (parameter.names !== 'coin') return text;
  return parameter.enum?.find((coin) => coin.toLowerCase() === text.toLowerCase()) ?? text;
}

function readNumber(parameter: ParameterSchema, text: string): number | undefined {
  const isInteger = parameter.type === 'integer';
  if (!(isInteger ? INTEGER : DECIMAL).test(text)) return undefined;
  const value = Number(text);
  if (isInteger ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return undefined;
  if (parameter.minimum !== undefined && value < parameter.minimum) return undefined;
  if (parameter.exclusiveMinimum !== undefined && value <= parameter.exclusiveMinimum) return undefined;
  if (parameter.maximum !== undefined && value > parameter.maximum) return undefined;
  return value;
}

/** The allowed values of a parameter, in words. */
export function allowed(parameter: ParameterSchema): string {
  if (parameter.type === 'array') {
    const one = allowed(parameter.items ?? {});
    return parameter.explode ? one : `a comma-separated list, each entry ${one}`;
  }
  if (parameter.enum) return `one of ${parameter.enum.join(', ')}`;
  if (parameter.type === 'number' || parameter.type === 'integer') return allowedNumbers(parameter);
  return parameter.allowed ?? 'a non-empty string';
}

function allowedNumbers(parameter: ParameterSchema): string {
  const kind = parameter.type === 'integer' ? 'an integer' : 'a number';
  const { minimum, maximum, exclusiveMinimum } = parameter;
  if (minimum !== undefined && maximum !== undefined) return `${kind} from ${minimum} to ${maximum}`;
  const low = exclusiveMinimum === undefined ? minimum : undefined;
  const parts = [
    low === undefined ? '' : `at least ${low}`,
    exclusiveMinimum === undefined ? '' : `greater than ${exclusiveMinimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? kind : `${kind}, ${parts.join(' and ')}`;
}

function unknownParameter(name: string, parameters: Readonly<Record<string, ParameterSchema>>): Failure {
  const names = Object.keys(parameters).map((one) => `\`${one}\``);
  const known = names.length === 0 ? 'this path takes none' : `allowed: ${names.join(', ')}`;
  return bad(`Unknown parameter \`${clip(name)}\`; ${known}.`);
}

/** `shown` replaces the text in errors. */
function decode(text: string, shown = text): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new Failure('bad_request', `The query has a malformed escape in \`${clip(shown)}\`.`, { cause });
  }
}

export function clip(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`;
}

function bad(message: string): Failure {
  return new Failure('bad_request', message);
}
