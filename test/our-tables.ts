import type { TableName } from '@crosstape/core';
import { allPublishers, type Known, type Resource, type VenueRequest } from '@crosstape/venues';

/** Pages, of a resource that does not say how many are enough. */
const PAGES_MAX = 20;
/** Some sources refuse programs that do not identify themselves. */
const USER_AGENT = 'crosstape-tests/1.0 (+https://tests.example)';

/** What our connector makes of the answers that a simulated venue gives at this moment of its clock. */
export async function ourTables(url: string, venueId: string, nowMs: number): Promise<Known> {
  const connector = allPublishers.find(({ id }) => id === venueId)?.connector;
  if (!connector) throw new Error(`${venueId} has no connector`);
  const known: Partial<Record<TableName, readonly unknown[]>> = {};
  const waiting = new Set(connector.resources);
  // A table may have several sources: who needs it waits for all of them.
  const isWhole = (table: TableName): boolean =>
    known[table] !== undefined && ![...waiting].some(({ gives }) => gives.includes(table));
  while (waiting.size > 0) {
    const ready = [...waiting].filter(({ needs = [] }) => needs.every(isWhole));
    const next = ready.find(({ prefers = [] }) => prefers.every(isWhole)) ?? ready[0];
    if (!next) throw new Error(`${venueId} needs a table that it does not have`);
    waiting.delete(next);
    const answer = await ask(`${url}/${venueId}`, next, nowMs, known as Known);
    for (const table of next.gives) known[table] = [...(known[table] ?? []), ...(answer[table] ?? [])];
  }
  return known as Known;
}

/** Same, for per-key lookups; by default for the keys that are always requested. */
export async function ourLookup(
  url: string,
  venueId: string,
  name: string,
  known: Known,
  nowMs: number,
  keys?: readonly string[],
): Promise<Known> {
  const connector = allPublishers.find(({ id }) => id === venueId)?.connector;
  const lookup = connector?.lookups?.find((one) => one.name === name);
  if (!lookup) throw new Error(`${venueId} has no lookup ${name}`);
  const tables: Partial<Record<TableName, readonly unknown[]>> = {};
  for (const key of keys ?? lookup.keys(known, [])) {
    const response = await fetch(`${url}/${venueId}${lookup.request(key).path}`);
    const answer = lookup.parse(await response.json(), nowMs, known, key);
    for (const table of lookup.gives) tables[table] = [...(tables[table] ?? []), ...(answer[table] ?? [])];
  }
  return tables as Known;
}

async function ask(
  origin: string,
  resource: Resource,
  nowMs: number,
  known: Known,
): Promise<Partial<Record<TableName, readonly unknown[]>>> {
  const tables: Partial<Record<TableName, readonly unknown[]>> = {};
  let request: VenueRequest | undefined = resource.request;
  for (let page = 0; request && page < (resource.pagesMax ?? PAGES_MAX); page += 1) {
    const { method, path, headers = {}, body } = request;
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = resource.parse(await response.json(), nowMs, known, path);
    if (answer.refused?.length) throw new Error(answer.refused.join('; '));
    for (const table of resource.gives) tables[table] = [...(tables[table] ?? []), ...(answer[table] ?? [])];
    request = answer.more;
  }
  return tables;
}
