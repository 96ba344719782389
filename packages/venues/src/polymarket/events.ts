import { MINUTE_MS } from '@crosstape/core';
import { type Fields, readArray, readObject, readRows, readText } from '../reading.ts';
import { Malformed, type Page, type Resource, type VenueRequest } from '../venue.ts';
import { readQuestion } from './question.ts';

/** The venue gives up to 100 at once [C, M]: 13 MB [M]. A page below 1 MB is parsed without a thread and its heap. */
const EVENTS_PER_PAGE = 20;
/** An event can have a hundred questions and 90 kB [M]: the 300 most liquid ones are enough. */
const PAGES_MAX = 15;
const CDN_MAX_AGE_MS = 5 * MINUTE_MS;
const KEYSET_PATH = '/events/keyset';
const FILTERS = 'active=true&closed=false&order=liquidity&ascending=false';

/**
 * Open events by liquidity, the most liquid first:
 * ```json
 * {"events":[{"id":"16085","slug":"btc-above-on-november-20","title":"Bitcoin above ___ on November 20?","active":true,
 *   "closed":false,"liquidity":230438.2,"tags":[{"id":"235","label":"Bitcoin","slug":"bitcoin"}],"markets":[…]}],
 *  "next_cursor":"eyJsaXF1aWRpdHkiOi…"}
 * ```
 * The next page is requested with `after_cursor`; a parameter `cursor` is silently ignored [M]. The last page has no
 * cursor [D]. `GET /events?offset=` answers the bare list: it announces its end (`Sunset: 2026-05-01`), and allows offsets
 * up to 2,000 [M]. Both answer from a CDN, up to 300 s old [M]. What changes rank between two pages may be on both.
 * https://docs.polymarket.com/api-reference/events/list-events
 */
export const events: Resource = {
  name: 'events',
  polled: 'demand',
  everyMs: MINUTE_MS,
  freshMs: CDN_MAX_AGE_MS + 3 * MINUTE_MS,
  gives: ['predictions'],
  weight: 1,
  request: { method: 'GET', path: `${KEYSET_PATH}?${FILTERS}&limit=${EVENTS_PER_PAGE}` },
  fallback: offsetPage(0),
  pagesMax: PAGES_MAX,
  isUsefulInPart: true,
  parse: (body, _receivedAtMs, _known, path = '') =>
    path.startsWith(KEYSET_PATH) ? parseKeysetPage(body, path) : parseOffsetPage(body, path),
};

function parseKeysetPage(body: unknown, path: string): Page {
  const { events: listed, next_cursor: cursor } = readObject(body, 'answer');
  const rows = readArray(listed, 'events');
  const page = readEvents(rows);
  if (cursor === undefined || cursor === null || cursor === '' || rows.length === 0) return page;
  const more = keysetPage(readText(cursor, 'next_cursor'));
  // It would continue forever, with the same rows.
  if (more.path === path) throw new Malformed('the cursor of a page is its own');
  return { ...page, more };
}

function keysetPage(cursor: string): VenueRequest {
  return { method: 'GET', path: `${events.request.path}&after_cursor=${encodeURIComponent(cursor)}` };
}

function parseOffsetPage(body: unknown, path: string): Page {
  const rows = readArray(body, 'answer');
  const page = readEvents(rows);
  if (rows.length < EVENTS_PER_PAGE) return page;
  const offset = /[?&]offset=(\d{1,6})(&|$)/.exec(path)?.[1];
  if (offset === undefined) throw new Malformed('a full page of a request without an offset');
  return { ...page, more: offsetPage(Number(offset) + rows.length) };
}

function offsetPage(offset: number): VenueRequest {
  return { method: 'GET', path: `/events?${FILTERS}&limit=${EVENTS_PER_PAGE}&offset=${offset}` };
}

function readEvents(listed: readonly unknown[]): Page {
  const asked = readRows(listed.length, (i) => questionsOf(listed[i], `events[${i}]`));
  const pairs = asked.rows.flat();
  const isBare = listed.length > 0 && asked.rows.length > 0 && pairs.length === 0;
  if (isBare) throw new Malformed(`none of ${listed.length} events has a question`);
  const questions = readRows(pairs.length, (i) => {
    const pair = pairs[i];
    return pair && readQuestion(pair.event, pair.question);
  });
  const reported = questions.rows.filter((row) => row !== 'incomplete');
  const incomplete = questions.rows.length - reported.length;
  // A few are new; when it is most of them, the wire has changed.
  if (incomplete > questions.rows.length / 2)
    throw new Malformed(
      `${incomplete} of ${questions.rows.length} questions have no prices, token ids, end or flags`,
    );
  return { predictions: reported, refused: [...asked.refused, ...questions.refused] };
}

interface EventQuestion {
  readonly event: Fields;
  readonly question: unknown;
}

/** The questions of an open event; an event may have none yet. */
function questionsOf(value: unknown, what: string): readonly EventQuestion[] | undefined {
  const event = readObject(value, what);
  if (event.closed === true || event.active === false) return undefined;
  return readArray(event.markets ?? [], `markets of ${what}`).map((question) => ({ event, question }));
}
