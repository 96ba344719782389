import { hash32 } from '@crosstape/core';
import type { Market } from '../../market/market.ts';
import { cacheHeaders } from '../http-cache.ts';
import { wholeOf } from '../whole-number.ts';
import { type Question, Reply, type WireLimit, type WireRoute } from '../wire.ts';
import { EventList } from './event-list.ts';
import { printEvent, type PrintedEvent, printQuestion } from './rows.ts';

/** Maximum rows per page, whatever is requested or documented [C, M]. */
const PAGE_MAX = 100;
/** It was 10,000 [M]. */
const OFFSET_MAX = 2_000;
const ORDERS = ['liquidity', 'volume', 'volume24hr', 'startDate', 'endDate', 'id'] as const;
const SPAN_MS = 10_000;
/** How often answers by id are renewed [K]. */
const MADE_EVERY_MS = 2_000;
/** Lists come from a CDN, which caches them this long: `max-age=300` [M]. */
const CACHE_MS = 300_000;

/** Headers of `GET /events?offset=`, which is deprecated [M]. */
const DEPRECATED: Readonly<Record<string, string>> = {
  deprecation: 'true',
  sunset: 'Fri, 01 May 2026 00:00:00 GMT',
  warning: '299 - "use /events/keyset"',
};

/** Limits of all calls, those for events and those for questions [D]. */
export const restLimits: readonly WireLimit[] = [
  { name: 'requests', spanMs: SPAN_MS, max: 4_000 },
  { name: 'events', spanMs: SPAN_MS, max: 500 },
  { name: 'markets', spanMs: SPAN_MS, max: 300 },
];

const lists = new WeakMap<Market, EventList>();

/** The events of a market, which both hosts of the venue serve. */
export function eventsOf(market: Market): EventList {
  let list = lists.get(market);
  if (!list) lists.set(market, (list = new EventList(market)));
  return list;
}

export const restRoutes: readonly WireRoute[] = [
  { path: '/events', costs: () => ({ requests: 1, events: 1 }), answer: answerEvents },
  { path: '/events/keyset', costs: () => ({ requests: 1, events: 1 }), answer: answerKeyset },
  { path: '/events/slug/:slug', costs: () => ({ requests: 1, events: 1 }), answer: answerEvent },
  { path: '/events/:id', costs: () => ({ requests: 1, events: 1 }), answer: answerEvent },
  { path: '/markets', costs: () => ({ requests: 1, markets: 1 }), answer: answerQuestions },
];

/** The answer to an unknown order or an invalid number is a guess [K]. */
function answerEvents(question: Question): Reply {
  const { query } = question;
  const offset = wholeOf(query, 'offset') ?? 0;
  if (Number.isNaN(offset)) return invalid('offset is a whole number');
  if (offset > OFFSET_MAX) return invalid(`offset cannot exceed ${OFFSET_MAX}, use /events/keyset`);
  const listed = listEvents(question);
  if (listed instanceof Reply) return listed;
  const { events, limit, headers } = listed;
  return new Reply(events.slice(offset, offset + limit), 200, { ...headers, ...DEPRECATED });
}

/** The page after the event in `after_cursor`; `cursor` is silently ignored [M]. */
function answerKeyset(question: Question): Reply {
  const { query } = question;
  if (query.has('offset')) return invalid('offset is not supported, use after_cursor');
  const listed = listEvents(question);
  if (listed instanceof Reply) return listed;
  const { events, limit, headers, compare } = listed;
  const cursor = query.get('after_cursor');
  const after = cursor === null ? undefined : readCursor(cursor);
  if (cursor !== null && !after) return invalid('after_cursor is not valid');
  const rest = after ? events.filter((event) => compare(event, after) > 0) : events;
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next_cursor = last && rest.length > page.length ? printCursor(last) : undefined;
  return new Reply({ events: page, ...(next_cursor && { next_cursor }) }, 200, headers);
}

type Ranked = Pick<PrintedEvent, (typeof ORDERS)[number]>;

interface ListedEvents {
  readonly events: readonly PrintedEvent[];
  readonly limit: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly compare: (a: Ranked, b: Ranked) => number;
}

/** Common to both lists: filters, order, and the cache in front of them. */
function listEvents({ market: { market }, nowMs, query }: Question): ListedEvents | Reply {
  const limit = wholeOf(query, 'limit') ?? PAGE_MAX;
  const order = ORDERS.find((one) => one === (query.get('order') ?? 'id'));
  if (Number.isNaN(limit)) return invalid('limit is a whole number');
  if (order === undefined) return invalid('order fields are not valid');
  const [closed, tag] = [query.get('closed'), query.get('tag_slug')];
  const madeAtMs = cachedSinceMs(market.seed, nowMs);
  const sign = query.get('ascending') === 'false' ? -1 : 1;
  const compare = (a: Ranked, b: Ranked): number => sign * (compareBy(order, a, b) || compareBy('id', a, b));
  const events = printedEvents(eventsOf(market), madeAtMs, CACHE_MS)
    .filter((event) => closed === null || String(event.closed) === closed)
    .filter((event) => tag === null || event.tags.some(({ slug }) => slug === tag))
    .toSorted(compare);
  const headers = cacheHeaders(nowMs, madeAtMs, CACHE_MS / 1_000);
  return { events, limit: Math.min(limit, PAGE_MAX), headers, compare };
}

/** All lists are renewed at the same moments, which the seed decides. */
function cachedSinceMs(seed: number, nowMs: number): number {
  const phaseMs = hash32(seed, 0xcd4) % CACHE_MS;
  return Math.floor((nowMs - phaseMs) / CACHE_MS) * CACHE_MS + phaseMs;
}

function printCursor(event: Ranked): string {
  const fields = ORDERS.map((name) => event[name]);
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

function readCursor(text: string): Ranked | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(fields) || fields.length !== ORDERS.length) return undefined;
    return Object.fromEntries(ORDERS.map((name, i) => [name, fields[i] as unknown])) as unknown as Ranked;
  } catch {
    return undefined;
  }
}

interface Printed {
  readonly atMs: number;
  readonly events: readonly PrintedEvent[];
}

/** Last printed, by renewal time. */
const printedLast = new WeakMap<EventList, Map<number, Printed>>();

function printedEvents(list: EventList, atMs: number, everyMs: number): readonly PrintedEvent[] {
  const byCadence = printedLast.get(list) ?? new Map<number, Printed>();
  printedLast.set(list, byCadence);
  let last = byCadence.get(everyMs);
  if (last?.atMs !== atMs) {
    last = { atMs, events: list.at(atMs).map((event) => printEvent(list, event, atMs)) };
    byCadence.set(everyMs, last);
  }
  return last.events;
}

function compareBy(order: (typeof ORDERS)[number], a: Ranked, b: Ranked): number {
  const [left, right] = [a[order], b[order]];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function answerEvent({ market, nowMs, params }: Question): Reply {
  const { id, slug } = params;
  const atMs = Math.floor(nowMs / MADE_EVERY_MS) * MADE_EVERY_MS;
  const event = printedEvents(eventsOf(market.market), atMs, MADE_EVERY_MS).find(
    (one) => one.id === id || one.slug === slug,
  );
  return event ? new Reply(event) : new Reply({ type: 'not found error', error: 'id not found' }, 404);
}

/** By the ids of their tokens, each given by itself [D]. */
function answerQuestions({ market, nowMs, query }: Question): Reply {
  const asked = query.getAll('clob_token_ids');
  if (asked.some((id) => !/^\d+$/.test(id))) return invalid('invalid token ids');
  const list = eventsOf(market.market);
  const found = new Set(asked.flatMap((id) => list.byToken(id, nowMs) ?? []));
  return new Reply(
    [...found].map((question) => ({
      ...printQuestion(list, question, nowMs),
      events: [{ id: question.event.id, slug: question.event.slug, title: question.event.title }],
    })),
  );
}

function invalid(error: string): Reply {
  return new Reply({ type: 'validation error', error }, 422);
}
