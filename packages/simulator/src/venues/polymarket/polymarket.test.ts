import { ManualClock } from '@crosstape/core';
import { predictionVenue, type VenueRequest } from '@crosstape/venues';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMarket } from '../../market/market.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { EventList, isClosed, type SimulatedQuestion } from './event-list.ts';
import { bookOf, chanceOf, ladderOf } from './question-book.ts';
import { isLong } from '../../../../../test/long.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const sources = ['polymarket', 'polymarket-clob'];
const HOUR_MS = 3_600_000;
const SEEDS = isLong ? [5, 6, 7] : [5];

function openQuestions(seed: number, atMs: number): readonly SimulatedQuestion[] {
  return new EventList(createMarket({ seed }))
    .at(atMs)
    .filter((event) => !isClosed(event, atMs))
    .flatMap(({ questions }) => questions);
}

describe('the list of events', () => {
  it.each(SEEDS)('has more than a page, each once, with ids of their own (seed %d)', (seed) => {
    const list = new EventList(createMarket({ seed }));
    const open = list.at(T0).filter((event) => !isClosed(event, T0));
    expect(open.length).toBeGreaterThan(100);
    const questions = open.flatMap((event) => event.questions);
    for (const ids of [
      open.map(({ id }) => id),
      questions.map(({ id }) => id),
      questions.flatMap(({ tokenIds }) => tokenIds),
    ])
      expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(questions.map(({ state }) => state))).toEqual(
      new Set(['usual', 'idle', 'new', 'placeholder']),
    );
    const [first] = questions;
    expect(list.byToken(first?.tokenIds[1] ?? '', T0)).toBe(first);
    expect(first?.tokenIds[0]).toMatch(/^1\d{76}$/);
  });

  it('keeps its questions as time passes, and is the same for every caller', () => {
    const list = new EventList(createMarket({ seed: 5 }));
    const before = list
      .at(T0)
      .at(-1)
      ?.questions.map(({ id }) => id);
    list.at(T0 + 30 * HOUR_MS);
    const after = new EventList(createMarket({ seed: 5 }))
      .at(T0)
      .at(-1)
      ?.questions.map(({ id }) => id);
    expect(after).toEqual(before);
  });

  it('takes orders for two hours after the end, and then returns the outcome', () => {
    const list = new EventList(createMarket({ seed: 6 }));
    const event = list.at(T0).find(({ endMs }) => endMs > T0);
    const endMs = event?.endMs ?? 0;
    for (const question of event?.questions ?? []) {
      expect([0, 1]).toContain(chanceOf(list, question, endMs));
      if (question.state !== 'usual') continue;
      const { bids, asks } = ladderOf(list, question, endMs + HOUR_MS);
      expect(bids.length === 0 || asks.length === 0).toBe(true);
      expect(bids.length + asks.length).toBeGreaterThan(0);
      expect(ladderOf(list, question, endMs + 2 * HOUR_MS)).toEqual({ bids: [], asks: [] });
    }
  });
});

describe('the books', () => {
  it.each(SEEDS)('follow the market: the higher the strike, the less likely (seed %d)', (seed) => {
    const list = new EventList(createMarket({ seed }));
    for (const { questions, topic } of list.at(T0)) {
      if (topic.coin === undefined) continue;
      const chances = questions.map((question) => chanceOf(list, question, T0));
      expect(chances).toEqual(chances.toSorted((a, b) => b - a));
    }
  });

  it.each(SEEDS)('have both sides around what is likely, one side, or none (seed %d)', (seed) => {
    const list = new EventList(createMarket({ seed }));
    const kinds = new Set<string>();
    for (const question of openQuestions(seed, T0)) {
      const { bids, asks } = ladderOf(list, question, T0);
      const chance = chanceOf(list, question, T0);
      kinds.add(`${Math.sign(bids.length)}${Math.sign(asks.length)}`);
      if (bids[0]) expect(bids[0].price).toBeLessThan(Math.max(chance, 0.0005));
      if (asks[0]) expect(asks[0].price).toBeGreaterThan(Math.min(chance, 0.9995));
      expect(bids.map(({ price }) => price)).toEqual(
        bids.map(({ price }) => price).toSorted((a, b) => b - a),
      );
      const isSensible = [...bids, ...asks].every(({ price, size }) => price > 0 && price < 1 && size > 0);
      expect(isSensible).toBe(true);
    }
    expect(kinds).toEqual(new Set(['11', '01', '10', '00']));
  });

  it('of the other outcome are the mirror image', () => {
    const list = new EventList(createMarket({ seed: 7 }));
    const question = openQuestions(7, T0).find(({ state }) => state === 'usual') as SimulatedQuestion;
    const [yes, no] = [bookOf(list, question, 0, T0), bookOf(list, question, 1, T0)];
    expect(no.bids.map(({ price, size }) => [1 - price, size])).toEqual(
      yes.asks.map(({ price, size }) => [expect.closeTo(price, 9), size]),
    );
  });

  it.each(SEEDS)('are stuck now and then, at the outermost prices or hours behind (seed %d)', (seed) => {
    const list = new EventList(createMarket({ seed }));
    const books = openQuestions(seed, T0).map((question) => bookOf(list, question, 0, T0));
    const ghosts = books.filter(({ bids, asks }) => bids[0]?.price === 0.01 && asks[0]?.price === 0.99);
    expect(ghosts.length).toBeGreaterThan(0);
    expect(books.some(({ ts }) => ts < T0 - 5 * HOUR_MS)).toBe(true);
    expect(ghosts.length).toBeLessThan(books.length / 10);
  });
});

describe('the wire', () => {
  let simulator: Simulator;
  beforeEach(async () => {
    const clock = new ManualClock(T0);
    simulator = await startSimulator({ port: 0, seed: 7, clock, sources });
  });
  afterEach(() => simulator.close());

  const get = async (path: string): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${simulator.url}${path}`);
    return { status: response.status, body: await response.json() };
  };

  const isServed = ({ outcomes, state }: SimulatedQuestion): boolean =>
    outcomes.length === 2 && state !== 'new' && state !== 'placeholder';

  it.each(['request', 'fallback'] as const)(
    'has every open question on one of its pages, by liquidity (%s)',
    async (first) => {
      const resource = predictionVenue.connector?.resources[0];
      const liquidities: number[] = [];
      const ids: string[] = [];
      let rows = 0;
      let pages = 0;
      for (let next: VenueRequest | undefined = resource?.[first]; next; pages += 1) {
        const { body } = await get(`/polymarket${next.path}`);
        const listed = (Array.isArray(body) ? body : (body as { events: unknown[] }).events) as {
          id: string;
          liquidity: number;
        }[];
        liquidities.push(...listed.map(({ liquidity }) => liquidity));
        ids.push(...listed.map(({ id }) => id));
        const page = resource?.parse(body, T0, {}, next.path);
        expect(page?.refused).toEqual([]);
        rows += page?.predictions?.length ?? 0;
        next = page?.more;
      }
      expect(pages).toBe(7);
      expect(new Set(ids).size).toBe(ids.length);
      expect(liquidities).toEqual(liquidities.toSorted((a, b) => b - a));
      expect(rows).toBe(openQuestions(7, T0).filter(isServed).length);
    },
  );

  it('lists placeholders that are not active, nearly a fifth of all questions', async () => {
    const { body } = await get('/polymarket/events?closed=false&tag_slug=politics');
    const [event] = body as { active: boolean; markets: Record<string, unknown>[] }[];
    const placeholders = event?.markets.filter(({ active }) => active === false) ?? [];
    expect(event?.active).toBe(true);
    expect(placeholders.map(({ groupItemTitle }) => groupItemTitle)).toContain('Person BX');
    expect(placeholders[0]).toMatchObject({ outcomePrices: '["0.5","0.5"]', acceptingOrders: true });
    expect(placeholders.length / openQuestions(7, T0).length).toBeGreaterThan(0.1);
  });

  it('announces the end of paging by offset, and allows no large ones', async () => {
    const old = await fetch(`${simulator.url}/polymarket/events?limit=1&offset=2000`);
    expect(old.status).toBe(200);
    expect(Object.fromEntries(old.headers)).toMatchObject({
      deprecation: 'true',
      sunset: 'Fri, 01 May 2026 00:00:00 GMT',
      warning: expect.stringContaining('/events/keyset'),
    });
    expect((await get('/polymarket/events?limit=1&offset=2001')).status).toBe(422);
    const keyset = await fetch(`${simulator.url}/polymarket/events/keyset?limit=1`);
    expect(keyset.headers.has('deprecation')).toBe(false);
  });

  it('ignores a parameter `cursor`, and refuses an offset beside a cursor and an invented cursor', async () => {
    const { body: first } = await get('/polymarket/events/keyset?limit=2');
    const { next_cursor: cursor = '' } = first as { next_cursor?: string };
    const query = `limit=2&cursor=${encodeURIComponent(cursor)}`;
    expect((await get(`/polymarket/events/keyset?${query}`)).body).toEqual(first);
    expect((await get('/polymarket/events/keyset?limit=2&offset=2')).status).toBe(422);
    expect((await get('/polymarket/events/keyset?after_cursor=nonsense')).status).toBe(422);
  });

  it('answers lists from a cache for five minutes, and says how old they are', async () => {
    const clock = new ManualClock(T0);
    const cached = await startSimulator({ port: 0, seed: 7, clock, sources });
    const ages: number[] = [];
    const bodies = new Set<string>();
    for (let i = 0; i < 10; i += 1) {
      const response = await fetch(`${cached.url}/polymarket/events/keyset?closed=false&limit=5`);
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      ages.push(Number(response.headers.get('age')));
      bodies.add(await response.text());
      clock.advance(60_000);
    }
    await cached.close();
    expect(Math.max(...ages)).toBeLessThan(300);
    expect(Math.max(...ages)).toBeGreaterThan(200);
    expect(bodies.size).toBeGreaterThanOrEqual(2);
    expect(bodies.size).toBeLessThanOrEqual(3);
  });

  it('returns closed events only on request', async () => {
    const { body: closed } = await get('/polymarket/events?closed=true&limit=100');
    expect((closed as { closed: boolean }[]).length).toBeGreaterThan(0);
    expect((closed as { closed: boolean }[]).every((event) => event.closed)).toBe(true);
    const [first] = closed as { id: string; slug: string }[];
    expect((await get(`/polymarket/events/${first?.id}`)).body).toEqual(first);
    expect((await get(`/polymarket/events/slug/${first?.slug}`)).body).toEqual(first);
    expect((await get('/polymarket/events?tag_slug=bitcoin&closed=false')).body).not.toHaveLength(0);
  });

  it.each([
    ['/polymarket/events?order=nothing', 422],
    ['/polymarket/events?limit=x', 422],
    ['/polymarket/events/1', 404],
    ['/polymarket/nothing', 404],
    ['/polymarket/markets?clob_token_ids=1,2', 422],
    ['/polymarket-clob/book?token_id=12', 404],
    ['/polymarket-clob/book?token_id=x', 400],
    ['/polymarket-clob/book', 400],
  ])('answers %s with %d', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('has books with the best price last, and none of what is new or decided', async () => {
    for (const question of openQuestions(7, T0).slice(0, 80)) {
      const { status, body } = await get(`/polymarket-clob/book?token_id=${question.tokenIds[0]}`);
      expect(status).toBe(question.state === 'new' ? 404 : 200);
      const { bids = [], asks = [] } = body as { bids?: { price: string }[]; asks?: { price: string }[] };
      const prices = (levels: { price: string }[]): number[] => levels.map(({ price }) => Number(price));
      expect(prices(bids)).toEqual(prices(bids).toSorted((a, b) => a - b));
      expect(prices(asks)).toEqual(prices(asks).toSorted((a, b) => b - a));
    }
    const decided = new EventList(createMarket({ seed: 7 })).at(T0).find((event) => isClosed(event, T0));
    const tokenId = decided?.questions[0]?.tokenIds[0];
    expect((await get(`/polymarket-clob/book?token_id=${tokenId}`)).status).toBe(404);
  });
});
