import type { CandleRow } from '@crosstape/core';
import { Answer, corsHeaders } from '../../http/answer.ts';
import type { Page, Visit } from '../../http/route.ts';
import { RequestContext } from '../../http/request-context.ts';
import { Failure, failureCodes } from '../../platform/errors.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type { Context } from '../context.ts';
import { Rest, type RestOptions } from '../mcp/rest.ts';

/** The parsed URL of a request. */
export interface IntegrationQuery {
  readonly params: URLSearchParams;
  /** The parts of the path, decoded. */
  readonly parts: readonly string[];
}

/** A request in another protocol, and its context. */
export interface IntegrationVisit extends IntegrationQuery {
  readonly context: Context;
  readonly rest: Rest;
}

export interface IntegrationPageOptions {
  readonly path: string;
  readonly contentType?: string;
  /** Cost of a request. Default: 1. */
  readonly cost?: (asked: IntegrationQuery) => number;
  readonly handle: (visit: IntegrationVisit) => unknown;
  /** How the protocol reports a failure: its status and body. */
  readonly failed: (failure: Failure) => { readonly status: number; readonly body: object };
}

const READ = ['GET', 'HEAD'];
const OTHERS = ['POST', 'PUT', 'PATCH', 'DELETE'];
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/**
 * A page in another program's protocol: CORS for any page, unknown parameters are ignored, and it counts like an API
 * request. The result of `handle` is sent as JSON; text and answers of the API as they are.
 */
export function integrationPage(
  options: RestOptions,
  { path, handle, failed, contentType, cost }: IntegrationPageOptions,
): Page {
  return {
    path,
    isCounted: true,
    ...(cost && { cost: (url: string) => costOf(url, cost) }),
    async handle(visit) {
      const { clock } = options.resources;
      const answerOf = (value: unknown, status = 200): Answer =>
        new Answer({
          body: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
          contentType: contentType ?? (typeof value === 'string' ? TEXT : JSON_TYPE),
          caching: 'no-cache',
          asOfMs: clock.now(),
          status,
        });
      try {
        const value = await handle(visitOf(options, visit));
        return value instanceof Answer ? value : answerOf(value);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const { status, body } = failed(error);
        return answerOf(body, status);
      }
    },
  };
}

/** Unknown paths below the base of a protocol, answered in its format. */
export function nowherePages(
  { resources }: RestOptions,
  base: string,
  { pages, bodyOf }: { readonly pages: readonly Page[]; readonly bodyOf: (failure: Failure) => object },
): readonly Page[] {
  const answerOf = (failure: Failure): Answer =>
    new Answer({
      body: Buffer.from(JSON.stringify(bodyOf(failure))),
      contentType: JSON_TYPE,
      caching: 'no-store',
      asOfMs: resources.clock.now(),
      status: failureCodes[failure.code].status,
      ...(failure.details.allow && {
        headers: [...corsHeaders, 'Allow', failure.details.allow.join(', ')],
      }),
    });
  const nothing = (path: string): Page => ({
    path,
    isCounted: true,
    handle: ({ request }) => answerOf(new Failure('not_found', `No such path: ${pathOf(request.url)}.`)),
  });
  const readOnly = (path: string): Page => ({
    path,
    methods: OTHERS,
    isCounted: true,
    ignoresBody: true,
    handle: ({ request }) =>
      answerOf(new Failure('method_not_allowed', `${request.method} is not allowed here.`, { allow: READ })),
  });
  return [nothing(base), nothing(`${base}/*`), ...pages.map(({ path }) => readOnly(path))];
}

function pathOf(url = ''): string {
  return new URL(url, 'http://localhost').pathname;
}

function visitOf(options: RestOptions, { request, admission }: Visit): IntegrationVisit {
  const { caller, address, owner } = admission;
  return {
    ...queryOf(request.url),
    context: new RequestContext(options.resources, { caller, address, accept: '' }),
    rest: new Rest(options, { caller, address }, { tier: owner?.tier }),
  };
}

function queryOf(url = ''): IntegrationQuery {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return { params: searchParams, parts: pathname.split('/').slice(1).map(decoded) };
}

/** A URL that cannot be parsed costs one request and is refused later. */
function costOf(url: string, cost: (asked: IntegrationQuery) => number): number {
  try {
    return cost(queryOf(url));
  } catch {
    return 1;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Failure('bad_request', 'The address has a malformed escape.', { cause });
  }
}

/** A whole number of a parameter; `undefined` where it is absent or empty. */
export function wholeParam(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name) ?? '';
  if (text === '') return undefined;
  // Some clients send fractions of a second.
  if (!/^\d{1,15}(\.\d+)?$/.test(text))
    throw new Failure('bad_request', `${name} must be a number of 0 or more`);
  return Math.floor(Number(text));
}

/** Collects a long history when it is the caller's turn: each takes up to tens of megabytes. */
export function inHistoryTurn<Result>(
  { caller, resources }: Context,
  collect: () => Promise<Result>,
): Promise<Result> {
  return resources.historyTurns.run(caller, 'long histories', collect);
}

/** Candles that are read at a time: parsing those of fourteen markets together takes some ms. */
export const CANDLES_PER_READ = 1_000;

/** The newest candles of a range, oldest first. Yields to the event loop between pages. */
export async function readCandlePages(
  { rest, context }: Pick<IntegrationVisit, 'rest' | 'context'>,
  query: {
    readonly market: string;
    readonly interval: string;
    readonly start?: number;
    readonly end: number;
  },
  limit: number,
): Promise<readonly CandleRow[]> {
  const pages: (readonly CandleRow[])[] = [];
  for (let [left, end] = [limit, query.end]; left > 0; ) {
    const part = { ...query, end, limit: Math.min(left, CANDLES_PER_READ) };
    const { data, meta } = await rest.get<readonly CandleRow[]>('/candles', part);
    pages.unshift(data);
    const nextEnd = meta.nextEnd as number | null;
    if (nextEnd === null) break;
    left -= data.length;
    end = nextEnd;
    await nextTurn(context.caller);
  }
  return pages.flat();
}
