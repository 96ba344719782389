import { readArray, readObject, readRows } from '../reading.ts';
import { Malformed, type Resource, type VenueRequest } from '../venue.ts';
import { readQuestion } from './question.ts';

/** The venue gives no more at once, whatever it is asked for [C]. */
const EVENTS_PER_PAGE = 100;
/** An event can have a hundred questions and 90 kB [M]: the most liquid ones are enough. */
const PAGES_MAX = 3;

/**
 * Open events by liquidity, the most liquid first:
 * ```json
 * [{"id":"16085","slug":"btc-above-on-november-20","title":"Bitcoin above ___ on November 20?","active":true,"closed":false,
 *   "liquidity":230438.2,"tags":[{"id":"235","label":"Bitcoin","slug":"bitcoin"}],"markets":[…]}]
 * ```
 * Shape [D, C]. A page does not say which one it is, and what changes rank between two pages may be on both or on none.
 * https://docs.polymarket.com/api-reference/events/list-events
 */
export const events: Resource = {
  name: 'events',
  polled: 'demand',
  everyMs: 60_000,
  gives: ['predictions'],
  weight: 1,
  request: pageAt(0),
  parse(body, _receivedAtMs, _known, path = '') {
    const listed = readArray(body, 'answer');
    const asked = readRows(listed.length, (i) => {
      const event = readObject(listed[i], `events[${i}]`);
      if (event.closed === true) return [];
      const questions = readArray(event.markets, `markets of events[${i}]`);
      return questions.map((question) => ({ event, question }));
    });
    const pairs = asked.rows.flat();
    const questions = readRows(pairs.length, (i) => {
      const pair = pairs[i];
      return pair && readQuestion(pair.event, pair.question);
    });
    const told = questions.rows.filter((row) => row !== 'untold');
    const untold = questions.rows.length - told.length;
    // A few are new; when it is most of them, they are told in another way than before.
    if (untold > questions.rows.length / 2)
      throw new Malformed(`${untold} of ${questions.rows.length} questions have no prices, token ids or end`);
    const isLast = listed.length < EVENTS_PER_PAGE;
    const nextAt = isLast ? 0 : offsetOf(path) + EVENTS_PER_PAGE;
    return {
      predictions: told,
      refused: [...asked.refused, ...questions.refused],
      ...(nextAt > 0 && nextAt < PAGES_MAX * EVENTS_PER_PAGE && { more: pageAt(nextAt) }),
    };
  },
};

function pageAt(offset: number): VenueRequest {
  const query = `active=true&closed=false&order=liquidity&ascending=false&limit=${EVENTS_PER_PAGE}&offset=${offset}`;
  return { method: 'GET', path: `/events?${query}` };
}

function offsetOf(path: string): number {
  const offset = /[?&]offset=(\d{1,6})(&|$)/.exec(path)?.[1];
  if (offset === undefined) throw new Malformed('a full page came that nobody asked for by its offset');
  return Number(offset);
}
