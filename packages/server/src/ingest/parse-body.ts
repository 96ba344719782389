import type { TableName } from '@crosstape/core';
import {
  areMostRefused,
  type ParseRequest,
  Declined,
  type Known,
  Malformed,
  type Page,
  type RequestSource,
} from '@crosstape/venues';
import type { Task } from '../platform/jobs.ts';
import { briefly } from './refusals.ts';

/** Common to resources and lookups; the key of a resource is the requested path. */
export interface ParsedSource<Answer = Page> {
  readonly name: string;
  readonly gives: readonly TableName[];
  readonly format?: 'text';
  parse(body: unknown, receivedAtMs: number, known: Known, key: string): Answer;
}

type BodyContext = Pick<ParseRequest, 'receivedAtMs' | 'known' | 'key'>;

/** An answer to be parsed elsewhere: plain data, since a source itself cannot travel. */
interface BodyToParse extends ParseRequest {
  readonly venue: string;
  readonly source: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

export type ParsedBody<Answer = Page> =
  | { readonly page: Answer }
  | { readonly malformed: string }
  | { readonly declined: { readonly status: Declined['status']; readonly why: string } };

/** Parses an answer on a worker; `worker.ts` exports the function. */
export const parseBodyTask: Task<BodyToParse, ParsedBody<Partial<Page>>> = { name: 'parseBody' };

/** Parses an answer of a source by its name. */
export function parseRequested(
  source: RequestSource,
  body: Uint8Array,
  asked: ParseRequest,
): ParsedBody<Partial<Page>> {
  return parseBody({ ...source, parse: (decoded) => source.parse(decoded, asked) }, body, asked);
}

/** Never throws: if the bytes cannot be parsed, returns a sentence. */
export function parseBody<Answer extends Partial<Page>>(
  source: ParsedSource<Answer>,
  body: Uint8Array,
  context: BodyContext,
): ParsedBody<Answer> {
  try {
    const decoded = source.format === 'text' ? new TextDecoder().decode(body) : parseJson(body);
    const page = source.parse(decoded, context.receivedAtMs, context.known, context.key);
    checkTables(page, source.gives);
    if (page.unread || !areMostRefused(page.refused ?? [])) return { page };
    return { page: { ...page, unread: source.gives } };
  } catch (error) {
    if (error instanceof Declined) {
      return { declined: { status: error.status, why: briefly(error.message) } };
    }
    const why = error instanceof Malformed ? error.message : `the parser failed: ${String(error)}`;
    return { malformed: briefly(why) };
  }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    const start = new TextDecoder().decode(body.subarray(0, 40));
    throw new Malformed(`the answer is not JSON: ${JSON.stringify(start)}`);
  }
}

function checkTables(page: Partial<Page>, gives: readonly TableName[]): void {
  for (const name of gives) {
    const rows = page[name];
    if (rows === undefined) throw new Malformed(`the answer holds no ${name}`);
    for (const row of rows) {
      const field = oddNumberIn(row);
      if (field)
        throw new Malformed(
          `${name} of ${'symbol' in row ? row.symbol : row.coin}: ${field} is not a finite number`,
        );
    }
  }
}

/** The name of the first field that is not a finite number though it should be one. */
function oddNumberIn(row: object): string | undefined {
  for (const [field, value] of Object.entries(row)) {
    if (typeof value === 'number' && !Number.isFinite(value)) return field;
  }
  return undefined;
}
