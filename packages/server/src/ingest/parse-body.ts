import type { Harvest } from '@crosstape/core';
import { Malformed, type Resource } from '@crosstape/venues';
import type { Task } from '../platform/jobs.ts';
import { briefly } from './refusals.ts';

/** An answer to be parsed elsewhere: plain data, since a resource itself cannot travel. */
export interface BodyToParse {
  readonly venue: string;
  readonly resource: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly receivedAtMs: number;
}

export type ParsedBody = { readonly harvest: Harvest } | { readonly malformed: string };

/** Parses an answer on a worker; `worker.ts` exports the function. */
export const parseBodyTask: Task<BodyToParse, ParsedBody> = { name: 'parseBody' };

/** Never throws, whatever the bytes are: what is not understood comes back as a sentence. */
export function parseBody(resource: Resource, body: Uint8Array, receivedAtMs: number): ParsedBody {
  try {
    const harvest = resource.parse(parseJson(body), receivedAtMs, {});
    checkTables(harvest, resource);
    return { harvest };
  } catch (error) {
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

function checkTables(harvest: Harvest, resource: Resource): void {
  for (const name of resource.gives) {
    const rows = harvest[name];
    if (rows === undefined) throw new Malformed(`the answer holds no ${name}`);
    for (const row of rows) {
      const field = oddNumberIn(row);
      if (field) throw new Malformed(`${name} of ${row.symbol}: ${field} is not a finite number`);
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
