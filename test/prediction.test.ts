import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isLong } from './long.ts';
import { type Answer, World } from './world.ts';

type Row = Readonly<Record<string, unknown>>;

interface Question {
  readonly id: string;
  readonly question: string;
  readonly outcomes: readonly { readonly name: string; readonly tokenId: string; readonly price: number }[];
  readonly liquidityUsd: number;
  readonly endMs: number;
  readonly hoursToClose: number;
  readonly score: number;
  readonly coin: string | null;
}

interface Book {
  readonly bids: readonly (readonly [number, number])[];
  readonly asks: readonly (readonly [number, number])[];
  readonly bestBid: number | null;
  readonly bestAsk: number | null;
  readonly spread: number | null;
  readonly mid: number | null;
  readonly depth: { readonly bidUsd: number; readonly askUsd: number };
  readonly eventPrice: number | null;
  readonly stuck: boolean | null;
}

interface Wire {
  readonly timestamp: string;
  readonly bids: readonly { readonly price: string }[];
  readonly asks: readonly { readonly price: string }[];
}

const HOUR_MS = 3_600_000;

let world: World;
let questions: readonly Question[];
/** The simulated venue's price of each first outcome, requested directly. */
let wires: ReadonlyMap<string, Wire>;
beforeAll(async () => {
  const sources = ['polymarket', 'polymarket-clob'];
  world = await World.open({ rate: 0.02, stepMs: 250, askEveryMs: 5_000, sources });
  await world.until(() => world.isReady(), 10_000);
  await world.until(async () => (await world.json('/prediction/events')).status === 200, 30_000);
  questions = await askQuestions();
  const asked = questions.map(async ({ outcomes: [first] }) => {
    const tokenId = first?.tokenId ?? '';
    const response = await fetch(`${world.simulator.url}/polymarket-clob/book?token_id=${tokenId}`);
    return [tokenId, (await response.json()) as Wire] as const;
  });
  wires = new Map(await Promise.all(asked));
});
afterEach(() => world.simulator.faults.clear());
afterAll(() => world.close());

async function ask(path: string): Promise<{ status: number; body: Answer }> {
  let answer: { status: number; body: Answer } | undefined;
  await world.until(async () => {
    answer = await world.json(path);
    return true;
  }, 60_000);
  return answer as { status: number; body: Answer };
}

async function askQuestions(): Promise<readonly Question[]> {
  return (await ask('/prediction/events')).body.data as unknown as readonly Question[];
}

async function askBook(tokenId: string): Promise<{ status: number; data: Book; meta: Row }> {
  const { status, body } = await ask(`/prediction/orderbook?tokenId=${tokenId}`);
  return { status, data: body.data as unknown as Book, meta: body.meta };
}

/** A token whose book on the wire is such. */
function tokenWhere(isSuch: (wire: Wire) => boolean): string {
  const found = [...wires].find(([, wire]) => isSuch(wire))?.[0];
  if (found === undefined) throw new Error('no book of the simulated venue is such');
  return found;
}

const isGhost = ({ bids, asks }: Wire): boolean =>
  bids.at(-1)?.price === '0.01' && asks.at(-1)?.price === '0.99';
const isTwoSided = (wire: Wire): boolean => wire.bids.length > 1 && wire.asks.length > 1 && !isGhost(wire);

describe('prediction events', () => {
  it('are the open questions with two outcomes, by liquidity times time', async () => {
    const { body } = await ask('/prediction/events');
    expect(body.meta.source).toBe('sim:polymarket');
    expect(questions.length).toBeGreaterThan(300);
    expect(questions.map(({ score }) => score)).toEqual(
      questions.map(({ score }) => score).toSorted((a, b) => b - a),
    );
    for (const { outcomes, endMs, score, liquidityUsd, hoursToClose } of questions) {
      expect(outcomes).toHaveLength(2);
      expect((outcomes[0]?.price ?? 0) + (outcomes[1]?.price ?? 0)).toBeCloseTo(1, 9);
      expect(endMs).toBeGreaterThan(world.clock.now());
      expect(score).toBeCloseTo(liquidityUsd * hoursToClose, 1);
    }
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    expect(new Set(questions.map(({ coin }) => coin))).toEqual(
      new Set(['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', null]),
    );
  });

  it('agree with the perpetuals: what is above its strike is likely', async () => {
    const { body } = await ask('/perps/oi?coins=BTC');
    const [row] = body.data;
    const mark = Number(row?.['oiUsd']) / Number(row?.['oiContracts']);
    let compared = 0;
    for (const { question, outcomes } of questions) {
      const strike = /Bitcoin be above \$([\d,.]+) on/.exec(question)?.[1]?.replaceAll(',', '');
      const price = outcomes[0]?.price ?? 0;
      // At 0.5 are those without orders.
      if (strike === undefined || price === 0.5) continue;
      if (Math.abs(Number(strike) / mark - 1) < 0.08) continue;
      compared += 1;
      expect(price > 0.5, question).toBe(mark > Number(strike));
    }
    expect(compared).toBeGreaterThan(10);
  });
});

describe('prediction books', () => {
  it('are the whole book, best first, that fits its event', async () => {
    const { status, data, meta } = await askBook(tokenWhere(isTwoSided));
    expect(status).toBe(200);
    expect(meta.source).toBe('sim:polymarket-clob');
    const prices = (levels: Book['bids']): number[] => levels.map(([price]) => price);
    expect(prices(data.bids)).toEqual(prices(data.bids).toSorted((a, b) => b - a));
    expect(prices(data.asks)).toEqual(prices(data.asks).toSorted((a, b) => a - b));
    expect([data.bestBid, data.bestAsk]).toEqual([data.bids[0]?.[0], data.asks[0]?.[0]]);
    expect(data.spread).toBeCloseTo(Number(data.bestAsk) - Number(data.bestBid), 6);
    expect(data.spread).toBeGreaterThan(0);
    const worth = data.bids.reduce((sum, [price, size]) => sum + price * size, 0);
    expect(data.depth.bidUsd).toBeCloseTo(worth, 3);
    expect(data.stuck).toBe(false);
    expect(Math.abs(Number(data.mid) - Number(data.eventPrice))).toBeLessThan(0.1);
  });

  it('without a side have null there, and without any side everywhere', async () => {
    const noAsks = await askBook(tokenWhere(({ bids, asks }) => bids.length > 0 && asks.length === 0));
    expect(noAsks.data).toMatchObject({ asks: [], bestAsk: null, spread: null, mid: null });
    expect(noAsks.data.bestBid).toBeGreaterThan(0);
    const noBids = await askBook(tokenWhere(({ bids, asks }) => bids.length === 0 && asks.length > 0));
    expect(noBids.data).toMatchObject({
      bids: [],
      bestBid: null,
      spread: null,
      mid: null,
      depth: { bidUsd: 0 },
    });
    const empty = await askBook(tokenWhere(({ bids, asks }) => bids.length + asks.length === 0));
    expect(empty.data).toMatchObject({ bids: [], asks: [], bestBid: null, bestAsk: null, stuck: false });
  });

  it('that are not known, or of a decided question, are a 404; what is no id is a 400', async () => {
    expect((await askBook('123456789')).status).toBe(404);
    const response = await fetch(`${world.simulator.url}/polymarket/events?closed=true&limit=1`);
    const [event] = (await response.json()) as { markets: { clobTokenIds: string }[] }[];
    const [tokenId] = JSON.parse(event?.markets[0]?.clobTokenIds ?? '[]') as string[];
    expect((await askBook(tokenId ?? '')).status).toBe(404);
    expect((await askBook('0x1f')).status).toBe(400);
    // A missing book is an answer, not a failure of the source.
    const { data } = await askBook(tokenWhere(isTwoSided));
    expect(data.bestBid).not.toBeNull();
  });

  it('keep the limits of the venue, however many are requested', async () => {
    const tokens = [...wires.keys()].slice(0, 120);
    await world.until(async () => {
      const answers = await Promise.all(
        tokens.map((tokenId) => world.json(`/prediction/orderbook?tokenId=${tokenId}`)),
      );
      return answers.every(({ status }) => status === 200 || status === 404);
    }, 120_000);
    expect(world.simulator.violations['polymarket']).toEqual({});
    expect(world.simulator.violations['polymarket-clob']).toEqual({});
  });
});

describe('a flood of ids', () => {
  it('that no event has does not reach the venue, and leaves the books that are followed fresh', async () => {
    // Until those of before are no longer kept warm.
    await world.run(30_000);
    const followed = tokenWhere(isTwoSided);
    expect((await askBook(followed)).status).toBe(200);
    // It strikes at every question, and harms none.
    world.simulator.faults.add({ venue: 'polymarket-clob', fault: 'slow', delayMs: 1 });
    for (let round = 0; round < (isLong ? 10 : 3); round += 1) {
      const ids = Array.from({ length: 100 }, (_, i) => String(10n ** 70n + BigInt(100 * round + i)));
      const answers = await Promise.all(
        ids.map((tokenId) => world.get(`/api/v1/prediction/orderbook?tokenId=${tokenId}`)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
      await world.run(1_000);
    }
    expect(world.simulator.faults.list()[0]?.hits).toBeLessThan(10);
    const { status, meta } = await askBook(followed);
    expect([status, meta.stale]).toEqual([200, undefined]);
    expect(world.clock.now() - Number(meta.fetchedAt)).toBeLessThan(15_000);
  });
});

describe('a stuck book', () => {
  it('is labelled', async () => {
    // Which ones are stuck changes every quarter of an hour: they are looked for now.
    for (const tokenId of wires.keys()) {
      const response = await fetch(`${world.simulator.url}/polymarket-clob/book?token_id=${tokenId}`);
      if (response.status !== 200 || !isGhost((await response.json()) as Wire)) continue;
      const { data } = await askBook(tokenId);
      if (data.eventPrice === null) continue;
      expect(data).toMatchObject({ bestBid: 0.01, bestAsk: 0.99, stuck: true });
      return;
    }
    expect.fail('the simulated venue has no stuck book');
  });

  it('is labelled when it is what it was hours ago, also where that is not far from the price', async () => {
    let left = 0;
    for (const tokenId of wires.keys()) {
      const response = await fetch(`${world.simulator.url}/polymarket-clob/book?token_id=${tokenId}`);
      const wire = (await response.json()) as Wire;
      if (response.status !== 200 || world.clock.now() - Number(wire.timestamp) < HOUR_MS) continue;
      const { data } = await askBook(tokenId);
      const { bestBid, bestAsk, eventPrice } = data;
      if (bestBid === null || bestAsk === null || eventPrice === null) continue;
      const apart = Math.max(bestBid - eventPrice, eventPrice - bestAsk);
      if (apart > bestAsk - bestBid + 0.02) {
        left += 1;
        expect(data.stuck, tokenId).toBe(true);
      } else if (apart < 0) expect(data.stuck, tokenId).toBe(false);
    }
    expect(left).toBeGreaterThan(0);
  });
});

// Without a service: features/prediction/endpoints/prediction.test.ts and ingest/poller.test.ts of the server.
if (isLong) {
  describe('a failing host is reported, and recovers by itself', () => {
    let tokenId: string;
    let others: readonly string[];
    beforeEach(async () => {
      tokenId = tokenWhere(isTwoSided);
      others = [...wires]
        .filter(([, wire]) => isTwoSided(wire))
        .map(([id]) => id)
        .slice(0, 5);
      await world.until(async () => {
        const [events, book] = [await world.json('/prediction/events'), await askBook(tokenId)];
        return (
          events.status === 200 &&
          !('stale' in events.body.meta) &&
          book.status === 200 &&
          !('stale' in book.meta)
        );
      }, 600_000);
    });

    it.each([
      { fault: { fault: 'status', status: 451 }, status: 'blocked' },
      { fault: { fault: 'status', status: 429, retryAfterS: 5 }, status: 'limited' },
      { fault: { fault: 'garbage' }, status: 'changed' },
      { fault: { fault: 'retype', field: 'price' }, status: 'changed' },
      { fault: { fault: 'refuse' }, status: 'down' },
    ] as const)('the books: $status by $fault.fault', async ({ fault, status }) => {
      world.simulator.faults.add({ venue: 'polymarket-clob', ...fault });
      await world.until(async () => {
        // One odd book is that book's own problem: there must be several.
        await Promise.all(others.map((other) => world.json(`/prediction/orderbook?tokenId=${other}`)));
        const { meta } = await world
          .json(`/prediction/orderbook?tokenId=${tokenId}`)
          .then(({ body }) => body);
        return meta.stale === true && JSON.stringify(meta['sources']).includes(`"${status}"`);
      }, 120_000);
      const answer = await askBook(tokenId);
      expect(answer.status).toBe(200);
      expect(answer.meta['sources']).toMatchObject([{ source: 'polymarket-clob:book', status }]);
      // Another host, another health.
      expect((await ask('/prediction/events')).body.meta).not.toHaveProperty('stale');
      world.simulator.faults.clear();
      await world.until(async () => !('stale' in (await askBook(tokenId)).meta), 400_000);
    });

    it.each([
      { fault: { fault: 'status', status: 403 }, status: 'blocked' },
      { fault: { fault: 'truncate' }, status: 'changed' },
      { fault: { fault: 'rename', field: 'outcomePrices' }, status: 'changed' },
      { fault: { fault: 'rename', field: 'acceptingOrders' }, status: 'changed' },
    ] as const)('the list: $status by $fault.fault', async ({ fault, status }) => {
      world.simulator.faults.add({ venue: 'polymarket', ...fault });
      await world.until(async () => (await ask('/prediction/events')).body.meta.stale === true, 300_000);
      const { status: code, body } = await ask('/prediction/events');
      expect(code).toBe(200);
      expect(body.data.length).toBeGreaterThan(300);
      expect(body.meta['sources']).toMatchObject([{ source: 'polymarket:events', status }]);
      world.simulator.faults.clear();
      await world.until(async () => !('stale' in (await ask('/prediction/events')).body.meta), 600_000);
    });
  });
}

describe('a list that fails in part', () => {
  const sourceOf = async (): Promise<Row | undefined> => {
    const rows = (await ask('/sources')).body.data as unknown as { id: string; feeds: Row[] }[];
    return rows
      .find(({ id }) => id === 'polymarket')
      ?.feeds.find(({ source }) => source === 'polymarket:events');
  };
  const isWell = async (): Promise<boolean> => {
    const { meta } = (await world.json('/prediction/events')).body;
    return !('stale' in meta) && !('partial' in meta);
  };

  it('is served as far as it came, and says so', async () => {
    await world.until(isWell, 600_000);
    const whole = await askQuestions();
    world.simulator.faults.add({ venue: 'polymarket', fault: 'status', status: 422, path: 'after_cursor' });
    await world.until(async () => (await ask('/prediction/events')).body.meta.partial === true, 300_000);
    const { status, body } = await ask('/prediction/events');
    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(100);
    expect(body.data.length).toBeLessThan(whole.length);
    expect(body.meta).not.toHaveProperty('stale');
    expect(body.meta['sources']).toMatchObject([{ source: 'polymarket:events', status: 'changed' }]);
    world.simulator.faults.clear();
    await world.until(isWell, 600_000);
  });

  it('is read by offset when the list by cursor is gone, and says so', async () => {
    const whole = await askQuestions();
    world.simulator.faults.add({ venue: 'polymarket', fault: 'status', status: 404, path: 'keyset' });
    await world.until(async () => (((await sourceOf())?.notes ?? []) as string[]).length > 0, 300_000);
    expect(await sourceOf()).toMatchObject({
      status: 'ok',
      notes: [expect.stringContaining('/events/keyset failed')],
    });
    const { meta } = (await ask('/prediction/events')).body;
    expect(meta).not.toHaveProperty('partial');
    expect((await askQuestions()).length).toBeGreaterThan(0.9 * whole.length);
    world.simulator.faults.clear();
    await world.until(async () => (((await sourceOf())?.notes ?? []) as string[]).length === 0, 300_000);
  });

  it('never has a placeholder, and is as old as the cache says', async () => {
    const { body } = await ask('/prediction/events');
    expect(JSON.stringify(body.data)).not.toContain('Person ');
    const ages = new Set<number>();
    for (let i = 0; i < 8; i += 1) {
      const { meta } = (await ask('/prediction/events')).body;
      ages.add(Math.round((world.clock.now() - Number(meta.fetchedAt)) / 1_000));
      expect(meta).not.toHaveProperty('stale');
      await world.run(60_000);
    }
    expect(Math.max(...ages)).toBeGreaterThan(180);
  });
});

describe('the last good book', () => {
  it('is served as stale for ten minutes, also when others are updated meanwhile and it was not requested', async () => {
    const [tokenId = '', other = ''] = [...wires].filter(([, wire]) => isTwoSided(wire)).map(([id]) => id);
    expect((await askBook(tokenId)).status).toBe(200);
    for (let i = 0; i < 4; i += 1) {
      await world.run(30_000);
      expect((await askBook(other)).status).toBe(200);
    }
    world.simulator.faults.add({ venue: 'polymarket-clob', fault: 'status', status: 500 });
    await world.until(async () => (await askBook(other)).meta.stale === true, 60_000);
    const answer = await askBook(tokenId);
    expect([answer.status, answer.meta.stale]).toEqual([200, true]);
    expect(answer.data.bestBid).toBeGreaterThan(0);
    expect(answer.meta.ageMs).toBeGreaterThan(60_000);
  });
});

describe('a question', () => {
  it('is gone at its end, and its book stays until it is decided', async () => {
    const first = questions.toSorted((a, b) => a.endMs - b.endMs)[0] as Question;
    const tokenId = first.outcomes[0]?.tokenId ?? '';
    // Hours pass quickly without clients.
    await world.stopService();
    world.clock.advance(first.endMs - world.clock.now());
    await world.startService();
    await world.until(async () => (await world.json('/prediction/events')).status === 200, 60_000);
    expect((await askQuestions()).map(({ id }) => id)).not.toContain(first.id);
    await world.until(async () => (await askBook(tokenId)).status === 200, 60_000);
    const { body } = await ask('/markets?exchange=polymarket&pageSize=500');
    const { markets } = body.data as unknown as { markets: readonly Row[] };
    expect(markets.length).toBe(500);
    await world.stopService();
    world.clock.advance(2 * 3_600_000);
    await world.startService();
    await world.until(async () => (await askBook(tokenId)).status === 404, 60_000);
  });
});
