import { type TObject, type TSchema, Type } from 'typebox';
import { type FailureCode, failureCodes } from '../platform/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { ParameterSchema } from './read-query.ts';
import { metaProperties } from './envelope.ts';
import type { StreamDefinition } from './stream-definition.ts';
import { BASE_PATH } from './route.ts';
import { exampleOf, type Json, toOpenApi } from './openapi-schema.ts';

/** The part of the OpenAPI document that its endpoint guarantees. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  readonly components: object;
}

/** Failures of every path. */
const everywhere: readonly FailureCode[] = [
  'bad_request',
  'unauthorized',
  'too_large',
  'rate_limited',
  'internal',
  'overloaded',
];

const KEY =
  'Optional. Without a key, 60 requests per minute and address; with one of tier free 300, of tier pro 3000 per key. `POST /profile/keys` gives a free one.';

/** Version of the interface, which is also in its path. */
const VERSION = '1.0.0';

/** The OpenAPI 3.1 document of the API, made from the definitions that also serve it. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  streams: readonly StreamDefinition[],
  schemas: readonly TObject[],
): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = endpointOperation(endpoint);
  }
  for (const stream of streams) (paths[stream.path] ??= {}).get = streamOperation(stream);
  const sections = new Set(Object.keys(paths).map(sectionOf));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Crosstape',
      version: VERSION,
      summary: 'The consolidated tape of crypto.',
      description:
        'Read-only, public market data: perpetuals, options, spot, on-chain, flows and a prediction market, aggregated over venues. Keys are optional. All times are integers in milliseconds since the Unix epoch; all rates are decimal fractions. Records may carry more fields than described. Every answer may be compressed, has a strong `ETag`, and can be fetched from any web page.',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE_PATH, description: 'This service.' }],
    security: [{}, { keyHeader: [] }, { keyBearer: [] }, { keyQuery: [] }],
    tags: tags.filter(({ name }) => sections.has(name)),
    paths,
    components: {
      schemas: Object.fromEntries(
        schemas.map((schema) => [(schema as { $id?: string }).$id ?? '', toOpenApi(schema, 'definition')]),
      ),
      responses: failureResponses(),
      headers,
      securitySchemes: {
        keyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: KEY },
        keyBearer: { type: 'http', scheme: 'bearer', description: KEY },
        keyQuery: { type: 'apiKey', in: 'query', name: 'api_key', description: KEY },
      },
    },
  } as OpenApiDocument;
}

const tags = [
  { name: 'perps', description: 'Perpetual contracts.' },
  { name: 'coverage', description: 'How complete the recorded tape is.' },
  { name: 'options', description: 'Options on BTC, ETH, SOL and XRP.' },
  { name: 'onchain', description: 'ETF flows, treasuries and valuation.' },
  { name: 'flows', description: 'Flows: spreads, premiums, ETF flows, signals and the pressure score.' },
  { name: 'markets', description: 'Spot prices and the catalogue of venues.' },
  { name: 'points', description: 'Generic aggregation.' },
  { name: 'prediction', description: 'The prediction market.' },
  { name: 'streams', description: 'Server-Sent Events.' },
  { name: 'openapi', description: 'The OpenAPI document.' },
  { name: 'asyncapi', description: 'The AsyncAPI document of the WebSocket gateway.' },
];

function sectionOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function operationIdOf(method: string, path: string): string {
  const words = path.split(/[/-]/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function endpointOperation(endpoint: Endpoint): Json {
  const { method, path, summary, examples, errors } = endpoint;
  const tries = examples.map(
    (example) => `- ${example.summary}: \`${path}${example.search === '' ? '' : `?${example.search}`}\``,
  );
  return {
    operationId: operationIdOf(method, path),
    tags: [sectionOf(path)],
    summary,
    description: [endpoint.description, tries.join('\n')].filter((part) => part !== '').join('\n\n'),
    parameters: parametersOf(endpoint.query),
    ...(endpoint.body && {
      requestBody: { required: true, content: { 'application/json': { schema: toOpenApi(endpoint.body) } } },
    }),
    responses: {
      200: answerResponse(endpoint),
      ...(endpoint.cacheSeconds > 0 && {
        304: {
          description: 'Not modified',
          headers: headerRefs('ETag', 'Age', ...quotaHeaders),
        },
      }),
      ...failureRefs([...everywhere, ...errors]),
    },
  };
}

function answerResponse(endpoint: Endpoint): Json {
  const { data, meta, octets, media = {}, hasEnvelope, cacheSeconds, summary } = endpoint;
  const envelope = Type.Object({ data, meta: Type.Object({ ...metaProperties, ...meta }) });
  const schema = hasEnvelope ? envelope : data;
  const required = new Set<string>(envelope.properties.meta.required);
  const promised = Object.entries(meta).filter(([name]) => required.has(name));
  const extra = Object.fromEntries(promised.map(([name, field]) => [name, exampleOf(field)]));
  const example = hasEnvelope
    ? { data: exampleOf(data), meta: { fetchedAt: 1_790_000_000_000, source: 'hyperliquid', ...extra } }
    : undefined;
  return {
    description: cacheSeconds > 0 ? `${summary}. May be cached for ${cacheSeconds} s.` : `${summary}.`,
    headers: headerRefs('Cache-Control', 'ETag', 'Age', ...quotaHeaders),
    content: {
      ...(octets !== undefined && {
        'application/octet-stream': {
          schema: { type: 'string', contentMediaType: 'application/gzip', description: octets },
        },
      }),
      ...Object.fromEntries(
        Object.entries(media).map(([type, text]) => [
          type,
          { schema: { type: 'string', description: text } },
        ]),
      ),
      'application/json': { schema: toOpenApi(schema), ...(example && { example }) },
    },
  };
}

function streamOperation({ path, summary, description, query, events, errors }: StreamDefinition): Json {
  return {
    operationId: operationIdOf('get', path),
    tags: [sectionOf(path)],
    summary,
    description,
    parameters: [
      ...parametersOf(query),
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'The id of the last event received: everything published since then follows.',
        schema: { type: 'integer', minimum: 0 },
      },
    ],
    responses: {
      200: {
        description: 'Events without end; the schema describes one of them.',
        headers: headerRefs(...quotaHeaders),
        content: {
          'text/event-stream': {
            schema: { oneOf: Object.entries(events).map(([name, data]) => eventSchema(name, data)) },
          },
        },
      },
      ...failureRefs([...everywhere, ...errors]),
    },
  };
}

function eventSchema(name: string, data: TSchema): Json {
  return toOpenApi(
    Type.Object(
      {
        event: Type.Literal(name, { description: 'Name of the event.' }),
        id: Type.String({ pattern: '^\\d+$', description: 'Time of the event in milliseconds.' }),
        data,
      },
      { title: name },
    ),
  );
}

function parametersOf(query: TObject): Json[] {
  const required = new Set(query.required as readonly string[] | undefined);
  return Object.entries(query.properties).map(([name, property]) => {
    const { description, ...schema } = toOpenApi(property) as Record<string, Json>;
    const { explode } = property as ParameterSchema;
    return {
      name,
      in: 'query',
      required: required.has(name),
      description: description ?? '',
      ...(explode !== undefined && { style: 'form', explode }),
      schema,
    };
  });
}

const quotaHeaders = ['RateLimit-Policy', 'RateLimit'];

const headers: Record<string, Json> = {
  'Cache-Control': { description: 'How long the answer may be cached.', schema: { type: 'string' } },
  ETag: { description: 'Strong validator of this encoding of the answer.', schema: { type: 'string' } },
  Age: { description: 'Seconds since the newest upstream fetch in the answer.', schema: { type: 'integer' } },
  'RateLimit-Policy': {
    description: 'Requests (`q`) in seconds (`w`); absent when no quota is kept.',
    schema: { type: 'string', examples: ['"default";q=60;w=60'] },
  },
  RateLimit: {
    description: 'Requests that remain (`r`) and seconds until the window ends (`t`).',
    schema: { type: 'string', examples: ['"default";r=59;t=42'] },
  },
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer' } },
};

function headerRefs(...names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** One response per status: two codes can share one. */
function failureResponses(): Json {
  const entries = Object.entries(failureCodes);
  const responses: Record<string, Json> = {};
  for (const status of new Set(entries.map(([, entry]) => entry.status))) {
    const own = entries.filter(([, entry]) => entry.status === status);
    const retry = own.some(([, entry]) => entry.retry === 'later') ? ['Retry-After'] : [];
    responses[`Failure${status}`] = {
      description: `\`meta.code\` is ${own.map(([code]) => `\`${code}\``).join(' or ')}.`,
      headers: headerRefs(...retry, ...quotaHeaders),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
    };
  }
  return responses;
}

function failureRefs(codes: readonly FailureCode[]): Record<string, Json> {
  const statuses = [...new Set(codes.map((code) => failureCodes[code].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Failure${status}` }]),
  );
}
