import type { Random } from '@crosstape/core';

/** The part of a schema that values are made from. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly explode?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

/** A request that a client might send, valid or not. */
export interface FuzzRequest {
  readonly method: string;
  /** Below the base address, without query. */
  readonly path: string;
  /** With `?`, or empty. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface FuzzOptions {
  readonly document: object;
  readonly random: Random;
  /** Names that the service knows, tried where a text is free. */
  readonly known: readonly string[];
}

const LONG_TEXT = 'A'.repeat(5_000);
/** Texts that have broken things before. */
const hostile: readonly string[] = [
  '',
  ' ',
  ',',
  ',,',
  'a,',
  '0',
  '-0',
  '-1',
  '1e3',
  '1e999',
  '0x10',
  '1_000',
  '٣',
  'NaN',
  'Infinity',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  "' OR 1=1 --",
  '<script>',
  '${1}',
  '%',
  '%zz',
  '%00',
  '\u0000',
  '\n',
  '\r\nX: y',
  '\u202e',
  '\ud800',
  '😀',
  'ß',
  'İ',
  'BTC\t',
  'btc',
  'HYPERLIQUID',
  '9007199254740993',
  '99999999999999999999',
  '1790000000000.5',
  '-1790000000000',
  LONG_TEXT,
  Array.from({ length: 1_200 }, (_, i) => `C${i}`).join(','),
];
const methods = ['GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'];
const headerValues: Readonly<Record<string, readonly string[]>> = {
  'Accept-Encoding': ['br', 'gzip', 'identity;q=0', '*;q=0', 'br;q=x', 'gzip, br;q=0.5', ''],
  'If-None-Match': ['*', '"x"', 'W/"x"', '"', ',,,'],
  Accept: ['application/json', '*/*', 'text/event-stream', 'x', ''],
  'Last-Event-ID': ['0', '1790000000000', '-1', 'x', '1e3', ''],
  'X-API-Key': ['ct_free_x', '', 'x'],
  Authorization: ['Bearer ct_pro_x', 'Basic eDp5', 'Bearer', ''],
  'X-Forwarded-For': ['1.2.3.4', '::1', 'x', ',,'],
  Range: ['bytes=0-1'],
  Origin: ['https://example.org', 'null'],
  'Content-Type': ['application/json', 'text/plain', 'application/xml', 'x', ''],
  Expect: ['100-continue'],
};

/** Requests made from the document itself: valid ones, and ones with an error. */
export function fuzzRequests({ document, random, known }: FuzzOptions): () => FuzzRequest {
  const paths = (document as { paths: Record<string, Record<string, Operation>> }).paths;
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const chance = (share: number): boolean => random() < share;
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;

  const valueOf = (schema: Schema): unknown => {
    if (schema.anyOf) return valueOf(pick(schema.anyOf));
    if (schema.enum) return pick(schema.enum);
    const samples = [...(schema.examples ?? []), ...(schema.default === undefined ? [] : [schema.default])];
    if (samples.length > 0 && chance(0.5)) return pick(samples);
    const { minimum = 0, exclusiveMinimum = minimum, maximum = 2e12 } = schema;
    const number = exclusiveMinimum + random() * (maximum - exclusiveMinimum);
    switch (schema.type) {
      case 'integer':
        return Math.floor(number);
      case 'number':
        return number;
      case 'boolean':
        return chance(0.5);
      case 'array':
        return Array.from({ length: 1 + Math.floor(random() * 3) }, () => valueOf(schema.items ?? {}));
      case 'object':
        return objectOf(schema);
      default:
        return pick(known);
    }
  };

  const objectOf = ({ properties = {}, required = [], additionalProperties }: Schema): object => {
    const own = Object.entries(properties).filter(([name]) => required.includes(name) || chance(0.4));
    const more =
      typeof additionalProperties === 'object' && chance(0.8)
        ? [[pick(known), valueOf(additionalProperties)]]
        : [];
    return Object.fromEntries([...own.map(([name, field]) => [name, valueOf(field)]), ...more]) as object;
  };

  /** Mostly valid escapes; `hostile` has some invalid ones. */
  const escape = (text: string): string => {
    const whole = Buffer.from(text).toString();
    return chance(0.05) && /^[!-~]*$/.test(whole) ? whole.replaceAll('#', '') : encodeURIComponent(whole);
  };

  const pairsOf = ({ name, schema, explode }: Parameter): readonly string[] => {
    const value = chance(0.2) ? pick(hostile) : valueOf(schema);
    const texts = Array.isArray(value) ? (explode ? value : [value.join(',')]) : [value];
    const pairs = texts.map((text) => `${escape(name)}=${escape(String(text))}`);
    return chance(0.03) ? [...pairs, ...pairs] : pairs;
  };

  const searchOf = (parameters: readonly Parameter[]): string => {
    const given = parameters.filter(({ required }) => chance(required ? 0.95 : 0.4)).flatMap(pairsOf);
    if (chance(0.05)) given.push(`${escape(pick(hostile))}=${escape(pick(hostile))}`);
    if (chance(0.03)) given.push(`api_key=${escape(pick(hostile))}`);
    if (chance(0.02)) given.push(pick(['&', '=', '==', '?', '%', '%=%']));
    return given.length === 0 ? '' : `?${given.join('&')}`;
  };

  const bodyOf = (schema: Schema): string => {
    const value = objectOf(schema) as Record<string, unknown>;
    if (chance(0.3))
      value[pick([...Object.keys(schema.properties ?? {}), ...hostile])] = pick<unknown>([
        null,
        [],
        {},
        -1,
        1e308,
        ...hostile,
      ]);
    const text = JSON.stringify(value);
    if (chance(0.1)) return text.slice(0, Math.floor(random() * text.length));
    return chance(0.05)
      ? pick(['', 'null', '[]', '1', '"x"', '['.repeat(10_000), `{"a":"${'a'.repeat(70_000)}"}`])
      : text;
  };

  let sent = 0;
  return () => {
    // In turn: even a short run reaches all of them.
    const { path, method, operation } = operations[sent++ % operations.length]!;
    const { parameters = [], requestBody } = operation;
    const headers: Record<string, string> = requestBody ? { 'Content-Type': 'application/json' } : {};
    for (const [name, values] of Object.entries(headerValues)) if (chance(0.06)) headers[name] = pick(values);
    return {
      method: chance(0.05) ? pick(methods) : method,
      path: chance(0.03) ? `${path}/${encodeURIComponent(pick(known))}` : path,
      search: searchOf(parameters.filter((parameter) => parameter.in === 'query')),
      headers,
      ...(requestBody && { body: bodyOf(requestBody.content['application/json'].schema) }),
    };
  };
}
