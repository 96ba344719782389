import type { TableName } from '@crosstape/core';
import { type Known, type Resource, type VenueRequest, allVenues } from '@crosstape/venues';

/** More pages than any venue has. */
const PAGES_MAX = 20;

/** What our connector makes of the answers that a simulated venue gives at this moment of its clock. */
export async function ourTables(url: string, venueId: string, nowMs: number): Promise<Known> {
  const connector = allVenues.find(({ id }) => id === venueId)?.connector;
  if (!connector) throw new Error(`${venueId} has no connector`);
  const known: Partial<Record<TableName, readonly unknown[]>> = {};
  const waiting = new Set(connector.resources);
  while (waiting.size > 0) {
    const next = [...waiting].find(({ needs = [] }) => needs.every((table) => known[table]));
    if (!next) throw new Error(`${venueId} needs a table that it does not have`);
    waiting.delete(next);
    Object.assign(known, await ask(`${url}/${venueId}`, next, nowMs, known as Known));
  }
  return known as Known;
}

async function ask(
  origin: string,
  resource: Resource,
  nowMs: number,
  known: Known,
): Promise<Partial<Record<TableName, readonly unknown[]>>> {
  const tables: Partial<Record<TableName, readonly unknown[]>> = {};
  let request: VenueRequest | undefined = resource.request;
  for (let page = 0; request && page < PAGES_MAX; page += 1) {
    const { method, path, headers = {}, body } = request;
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = resource.parse(await response.json(), nowMs, known, path);
    if (answer.refused?.length) throw new Error(answer.refused.join('; '));
    for (const table of resource.gives) tables[table] = [...(tables[table] ?? []), ...(answer[table] ?? [])];
    request = answer.more;
  }
  return tables;
}
