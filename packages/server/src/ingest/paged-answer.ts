import type { ParsedTables, TableName, Tables } from '@crosstape/core';
import type { Page, Resource, VenueRequest } from '@crosstape/venues';
import type { SourceClient } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';

/** More pages than any known answer has. */
const PAGES_MAX = 50;

/** All pages of an answer as one. */
export interface PagedAnswer {
  readonly parsed: ParsedTables;
  readonly receivedAtMs: number;
  /** When the source made the oldest of them: HTTP caches may have held it since. */
  readonly madeAtMs: number;
  /** Why later pages are missing, for a resource that is useful in part. */
  readonly missing?: SourceFailure;
}

type PagedResource = Pick<Resource, 'request' | 'fallback' | 'gives' | 'pagesMax' | 'isUsefulInPart'>;

/** Asks for a resource and all further pages of it; at its other address where the first one fails. */
export async function fetchPages(resource: PagedResource, client: SourceClient): Promise<PagedAnswer> {
  const { request, fallback } = resource;
  try {
    return await pagesFrom(request, resource, client);
  } catch (error) {
    if (!fallback || !(error instanceof SourceFailure) || !isWorthAnother(error)) throw error;
    const { parsed, ...answer } = await elsewhere(fallback, resource, client, error);
    const note = `${pathOf(request)} failed (${plain(error)}); ${pathOf(fallback)} is read instead.`;
    return { ...answer, parsed: { ...parsed, notes: [note, ...(parsed.notes ?? [])] } };
  }
}

/** False if nothing was sent, or if the venue wants fewer requests. */
function isWorthAnother({ status, isUnsent }: SourceFailure): boolean {
  return !isUnsent && status !== 'limited';
}

/** If both fail, the first failure determines the source's health. */
async function elsewhere(
  fallback: VenueRequest,
  resource: PagedResource,
  client: SourceClient,
  first: SourceFailure,
): Promise<PagedAnswer> {
  try {
    return await pagesFrom(fallback, resource, client);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const { status, retryAtMs } = first;
    const message = `${first.message} Nor does ${pathOf(fallback)} help: ${plain(error)}.`;
    throw new SourceFailure(status, message, {
      retryAtMs: Math.max(retryAtMs, error.retryAtMs),
      cause: error,
    });
  }
}

async function pagesFrom(
  request: VenueRequest,
  { gives, pagesMax = Number.POSITIVE_INFINITY, isUsefulInPart = false }: PagedResource,
  client: SourceClient,
): Promise<PagedAnswer> {
  const pages: Page[] = [];
  let receivedAtMs = 0;
  let madeAtMs = Number.POSITIVE_INFINITY;
  let missing: SourceFailure | undefined;
  for (let next: VenueRequest | undefined = request; next && pages.length < pagesMax; ) {
    if (pages.length === PAGES_MAX)
      throw new SourceFailure('changed', `The answer has more than ${PAGES_MAX} pages.`);
    try {
      const answer = await client.ask(next, next.path);
      pages.push(answer.page);
      receivedAtMs = answer.receivedAtMs;
      madeAtMs = Math.min(madeAtMs, answer.asOfMs);
      next = answer.page.more;
    } catch (error) {
      if (pages.length === 0 || !isUsefulInPart) throw error;
      missing = client.asFailure(error);
      next = undefined;
    }
  }
  return { parsed: joined(pages, gives), receivedAtMs, madeAtMs, ...(missing && { missing }) };
}

function joined(pages: readonly Page[], gives: readonly TableName[]): ParsedTables {
  const tables = gives.map((table) => [
    table,
    pages.flatMap((page): readonly Tables[TableName][] => page[table] ?? []),
  ]);
  const unread = new Set(pages.flatMap((page) => page.unread ?? []));
  const notes = new Set(pages.flatMap((page) => page.notes ?? []));
  return {
    ...(Object.fromEntries(tables) as ParsedTables),
    ...(unread.size > 0 && {
      unread: [...unread],
      refused: pages.flatMap((page) => page.refused ?? []).slice(0, 1),
    }),
    ...(notes.size > 0 && { notes: [...notes] }),
  };
}

function pathOf({ path }: VenueRequest): string {
  return path.split('?', 1).join();
}

/** Its message without the full stop. */
function plain({ message }: SourceFailure): string {
  return message.replace(/\.$/, '');
}
