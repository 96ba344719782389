import { type TObject, type TSchema, Type } from 'typebox';
import { type List, listIn, printCsv } from './csv.ts';
import { csvOfJson, csvOfJsonTask } from './csv-task.ts';
import { type Endpoint, SerializedCsv, SerializedJson } from './endpoint.ts';
import { choice, defaulted, type Words } from './parameter.ts';
import type { ParameterSchema, QueryOf } from './read-query.ts';
import type { RequestContext } from './request-context.ts';

export const CSV_TYPE = 'text/csv';
/** The parameter that selects the format of an answer. */
const FORMAT = 'format';
const CSV = 'csv';
const JSON_FORM = 'json';

/** Longer JSON is parsed off the event loop. */
const INLINE_BYTES_MAX = 262_144;

const description = 'JSON, or the list alone as CSV: nested fields become columns with dotted names.';

/** Adds `format=csv` to an endpoint whose answer is a list; returns others unchanged. */
export function withCsv(endpoint: Endpoint): Endpoint {
  const list = isCached(endpoint) ? listIn(endpoint.data, endpoint.list) : undefined;
  if (!list) return endpoint;
  const media = {
    ...endpoint.media,
    [CSV_TYPE]: 'With `format=csv` or `Accept: text/csv`: the list as CSV.',
  };
  const { [FORMAT]: own, ...others } = endpoint.query.properties as Readonly<Record<string, TSchema>>;
  const { enum: forms = [JSON_FORM], default: usual = JSON_FORM } = (own ?? {}) as ParameterSchema;
  const words = { description: (own as Words | undefined)?.description ?? description, examples: [CSV] };
  const format = defaulted(choice([...new Set([...forms, CSV])], words), usual as string);
  // An endpoint with its own CSV format may print it; others return JSON.
  const ownQuery = (query: QueryOf<TObject>): QueryOf<TObject> =>
    takesCsv(endpoint) ? query : inJson(query, own !== undefined);
  return {
    ...endpoint,
    query: Type.Object({ ...others, [FORMAT]: format }),
    media,
    ...(endpoint.stream && {
      stream: async (query, context) => endpoint.stream?.(ownQuery(query), context),
    }),
    async handle(query, context, body) {
      const reply = await endpoint.handle(ownQuery(query), context, body);
      if (formatOf(query) !== CSV || 'blob' in reply || reply.data instanceof SerializedCsv) return reply;
      const { data } = reply;
      const csv =
        data instanceof SerializedJson
          ? reprinted(list, data, context)
          : printCsv(list, data, context.caller);
      return { ...reply, data: new SerializedCsv(await csv) };
    },
  };
}

/** Data that are JSON already, as CSV: parsing a week of minutes takes longer than the event loop may. */
function reprinted(list: List, { json }: SerializedJson, context: RequestContext): Promise<Uint8Array> {
  const printed = { list, json, caller: context.caller };
  return json.length > INLINE_BYTES_MAX ? context.work(csvOfJsonTask, printed) : csvOfJson(printed);
}

/** Whether an endpoint has a CSV format. */
export function takesCsv({ query }: Endpoint): boolean {
  const format: ParameterSchema | undefined = query.properties[FORMAT];
  return format?.enum?.includes(CSV) ?? false;
}

/** Whether an `Accept` header prefers CSV. */
export function prefersCsv(accept: string | undefined): boolean {
  return accept !== undefined && /^\s*text\/csv\b/i.test(accept);
}

/**
 * The query string of a request, with `format=csv` added if its `Accept` header requests it and the query names no
 * format.
 */
export function searchOf(endpoint: Endpoint, search: string, accept: string | undefined): string {
  if (!prefersCsv(accept) || !takesCsv(endpoint) || /(^|&)format=/.test(search)) return search;
  return search === '' ? `${FORMAT}=${CSV}` : `${search}&${FORMAT}=${CSV}`;
}

function isCached({ method, hasEnvelope, cacheSeconds }: Endpoint): boolean {
  return method === 'GET' && hasEnvelope && cacheSeconds > 0;
}

function formatOf(query: QueryOf<TObject>): unknown {
  return (query as Readonly<Record<string, unknown>>)[FORMAT];
}

/** The query for the JSON that CSV is made from. */
function inJson(query: QueryOf<TObject>, hasFormat: boolean): QueryOf<TObject> {
  if (!hasFormat) {
    const { [FORMAT]: _, ...others } = query as Readonly<Record<string, unknown>>;
    return others;
  }
  return formatOf(query) === CSV ? { ...query, [FORMAT]: JSON_FORM } : query;
}
