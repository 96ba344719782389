import type { Market } from '../../market/market.ts';
import { type Question, Reply, type WireLimit, type WireRoute } from '../wire.ts';
import { EventList } from './event-list.ts';
import { printEvent, type PrintedEvent, printQuestion } from './rows.ts';

/** No more is given at once, whatever is asked for [C]. */
const PAGE_MAX = 100;
const ORDERS = ['liquidity', 'volume', 'volume24hr', 'startDate', 'endDate', 'id'] as const;
const SPAN_MS = 10_000;
/** The catalog is not of the moment: it is made anew so often [K]. */
const MADE_EVERY_MS = 2_000;

/** Of all calls, those for events and those for questions [D]. */
export const restLimits: readonly WireLimit[] = [
  { name: 'requests', spanMs: SPAN_MS, max: 4_000 },
  { name: 'events', spanMs: SPAN_MS, max: 500 },
  { name: 'markets', spanMs: SPAN_MS, max: 300 },
];

const lists = new WeakMap<Market, EventList>();

/** The events of a market, which both hosts of the venue tell of. */
export function eventsOf(market: Market): EventList {
  let list = lists.get(market);
  if (!list) lists.set(market, (list = new EventList(market)));
  return list;
}

export const restRoutes: readonly WireRoute[] = [
  { path: '/events', costs: () => ({ requests: 1, events: 1 }), answer: answerEvents },
  { path: '/events/slug/:slug', costs: () => ({ requests: 1, events: 1 }), answer: answerEvent },
  { path: '/events/:id', costs: () => ({ requests: 1, events: 1 }), answer: answerEvent },
  { path: '/markets', costs: () => ({ requests: 1, markets: 1 }), answer: answerQuestions },
];

/** What an unknown order or a bad number says is a guess [K]. */
function answerEvents({ market, nowMs, query }: Question): Reply {
  const limit = wholeOf(query.get('limit'), PAGE_MAX);
  const offset = wholeOf(query.get('offset'), 0);
  const order = ORDERS.find((one) => one === (query.get('order') ?? 'id'));
  if (limit === undefined || offset === undefined) return invalid('limit and offset are whole numbers');
  if (order === undefined) return invalid('order fields are not valid');
  const [closed, tag] = [query.get('closed'), query.get('tag_slug')];
  const printed = printedEvents(eventsOf(market.market), nowMs)
    .filter((event) => closed === null || String(event.closed) === closed)
    .filter((event) => tag === null || event.tags.some(({ slug }) => slug === tag));
  const sign = query.get('ascending') === 'false' ? -1 : 1;
  const sorted = printed.toSorted((a, b) => sign * compare(a, b, order));
  return new Reply(sorted.slice(offset, offset + Math.min(limit, PAGE_MAX)));
}

const printedLast = new WeakMap<
  EventList,
  { readonly atMs: number; readonly events: readonly PrintedEvent[] }
>();

function printedEvents(list: EventList, nowMs: number): readonly PrintedEvent[] {
  const atMs = Math.floor(nowMs / MADE_EVERY_MS) * MADE_EVERY_MS;
  let last = printedLast.get(list);
  if (last?.atMs !== atMs) {
    last = { atMs, events: list.at(atMs).map((event) => printEvent(list, event, atMs)) };
    printedLast.set(list, last);
  }
  return last.events;
}

function compare(a: PrintedEvent, b: PrintedEvent, order: (typeof ORDERS)[number]): number {
  const [left, right] = [a[order], b[order]];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function answerEvent({ market, nowMs, params }: Question): Reply {
  const { id, slug } = params;
  const event = printedEvents(eventsOf(market.market), nowMs).find(
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

function wholeOf(text: string | null, usual: number): number | undefined {
  if (text === null) return usual;
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
