import { HOUR_MS } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Demand, demandTopic, snapshotTopic } from '../../../topics.ts';
import {
  publishSamplePrediction,
  sampleBook,
  sampleQuestion,
} from '../../../api/testing/sample-prediction.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

type Row = Readonly<Record<string, unknown>>;

let api: TestApi;
let demands: Demand[];
beforeEach(async () => {
  api = await startTestApi();
  demands = [];
  api.bus.subscribe(demandTopic, (demand) => demands.push(demand));
});
afterEach(() => api.close());

async function get(
  path: string,
): Promise<{ status: number; data: Row; rows: readonly Row[]; meta: Row; error?: string }> {
  const { status, body } = await api.get(path);
  const { data, meta, error } = body;
  return {
    status,
    data: data as Row,
    rows: data as readonly Row[],
    meta,
    ...(error !== undefined && { error }),
  };
}

describe('/prediction/events', () => {
  it('has every open question with its outcomes, by liquidity times hours', async () => {
    api.table(
      'polymarket',
      'predictions',
      [
        sampleQuestion('001'),
        sampleQuestion('002', { coin: '', liquidityUsd: 5_000.5 }),
        sampleQuestion('003', { endMs: START_MS + 100 * HOUR_MS }),
        sampleQuestion('001'),
      ],
      60_000,
    );
    const { rows, meta } = await get('/prediction/events');
    expect(rows.map(({ id, score, hoursToClose, coin }) => [id, score, hoursToClose, coin])).toEqual([
      ['003', 100_000, 100, 'BTC'],
      ['002', 50_005, 10, null],
      ['001', 10_000, 10, 'BTC'],
    ]);
    expect(rows[2]).toEqual({
      id: '001',
      slug: 'above',
      title: 'Above ___?',
      question: 'Above 001?',
      outcomes: [
        { name: 'Yes', tokenId: '1001', price: 0.4 },
        { name: 'No', tokenId: '2001', price: 0.6 },
      ],
      liquidityUsd: 1_000,
      volume24hUsd: 50,
      endMs: START_MS + 10 * HOUR_MS,
      hoursToClose: 10,
      score: 10_000,
      url: 'https://polymarket.com/event/above',
      eventId: '7',
      coin: 'BTC',
    });
    expect(meta).toEqual({ fetchedAt: START_MS, source: 'polymarket' });
    expect(demands).toContainEqual({ venue: 'polymarket', table: 'predictions' });
  });

  it.each([5, 11])('waits for a new list when it was not polled for %s minutes', async (minutes) => {
    publishSamplePrediction(api);
    api.clock.advance(minutes * 60_000);
    const asking = get('/prediction/events');
    await expect.poll(() => demands.length).toBeGreaterThan(0);
    api.table('polymarket', 'predictions', [sampleQuestion('001')], 60_000);
    const { status, meta } = await asking;
    expect(status).toBe(200);
    expect(meta).toEqual({ fetchedAt: api.clock.now(), source: 'polymarket' });
  });

  it('serves the pages that came when later ones failed, and says so', async () => {
    const error = 'Only a part of the answer came. The venue answered HTTP 422.';
    const source = { source: 'polymarket:events', gives: ['predictions'], status: 'changed' } as const;
    api.health('polymarket', { ...source, error });
    api.bus.publish(snapshotTopic('polymarket', 'predictions'), {
      venue: 'polymarket',
      rows: [sampleQuestion('001')],
      fetchedAtMs: START_MS,
      everyMs: 60_000,
      isPartial: true,
    });
    const { status, rows, meta } = await get('/prediction/events');
    expect([status, rows.length]).toEqual([200, 1]);
    expect(meta).toMatchObject({ partial: true, sources: [{ status: 'changed', error }] });
    expect(meta).not.toHaveProperty('stale');
    // An outcome on none of the pages may be on a missing one: its book is requested.
    const asking = get('/prediction/orderbook?tokenId=999');
    await expect.poll(() => demands.map(({ keys }) => keys)).toContainEqual(['999']);
    api.clock.advance(3_000);
    expect((await asking).status).toBe(503);
  });

  it('drops a question the moment it ends, though nothing was fetched since', async () => {
    const endMs = START_MS + 1_000;
    api.table('polymarket', 'predictions', [sampleQuestion('001', { endMs }), sampleQuestion('002')], 60_000);
    expect((await get('/prediction/events')).rows).toHaveLength(2);
    api.clock.advance(1_000);
    expect((await get('/prediction/events')).rows.map(({ id }) => id)).toEqual(['002']);
  });

  it('has at most 500 rows', async () => {
    const many = Array.from({ length: 700 }, (_, i) => sampleQuestion(String(i)));
    api.table('polymarket', 'predictions', many, 60_000);
    expect((await get('/prediction/events')).rows).toHaveLength(500);
  });

  it('is a 503 when nothing comes in time', async () => {
    api.health('polymarket', { source: 'polymarket:events', gives: ['predictions'], status: 'down' });
    const asked = get('/prediction/events');
    await expect.poll(() => demands.length).toBe(1);
    api.clock.advance(3_000);
    const { status, meta } = await asked;
    expect([status, meta.code]).toEqual([503, 'upstream_unavailable']);
  });
});

describe('/prediction/orderbook', () => {
  it('returns the whole book, its best prices, spread, middle and worth', async () => {
    publishSamplePrediction(api);
    const { data, meta } = await get('/prediction/orderbook?tokenId=1001');
    expect(data).toEqual({
      tokenId: '1001',
      bids: [
        [0.39, 100],
        [0.38, 50],
      ],
      asks: [
        [0.41, 200],
        [0.5, 10],
      ],
      bestBid: 0.39,
      bestAsk: 0.41,
      spread: 0.02,
      mid: 0.4,
      depth: { bidUsd: 58, askUsd: 87 },
      ts: START_MS - 500,
      eventPrice: 0.4,
      stuck: false,
    });
    expect(meta).toEqual({ fetchedAt: START_MS, source: 'polymarket-clob' });
    expect(demands).toContainEqual({ venue: 'polymarket-clob', table: 'predictionBooks', keys: ['1001'] });
  });

  it.each([
    ['no bids', { bids: [] }, { bestBid: null, bestAsk: 0.41, depth: { bidUsd: 0, askUsd: 87 } }],
    ['no asks', { asks: [] }, { bestBid: 0.39, bestAsk: null, depth: { bidUsd: 58, askUsd: 0 } }],
    ['neither', { bids: [], asks: [] }, { bestBid: null, bestAsk: null, depth: { bidUsd: 0, askUsd: 0 } }],
  ])('has null, not 0, with %s', async (_, sides, expected) => {
    api.table('polymarket-clob', 'predictionBooks', [sampleBook('1001', sides)], 5_000);
    const { data } = await get('/prediction/orderbook?tokenId=1001');
    expect(data).toMatchObject({ ...expected, spread: null, mid: null });
  });

  it('flags a book that contradicts its event, and does not judge one without an event', async () => {
    publishSamplePrediction(api);
    const ghost = { bids: [[0.01, 5_000]], asks: [[0.99, 5_000]] } as const;
    api.table('polymarket-clob', 'predictionBooks', [sampleBook('1001', ghost), sampleBook('9')], 5_000);
    expect((await get('/prediction/orderbook?tokenId=1001')).data).toMatchObject({
      stuck: true,
      eventPrice: 0.4,
    });
    expect((await get('/prediction/orderbook?tokenId=9')).data).toMatchObject({
      stuck: null,
      eventPrice: null,
    });
    // An event that could not be refreshed is no evidence.
    api.clock.advance(180_001);
    const book = sampleBook('1001', { ...ghost, receivedAtMs: api.clock.now() });
    api.table('polymarket-clob', 'predictionBooks', [book], 5_000);
    expect((await get('/prediction/orderbook?tokenId=1001')).data).toMatchObject({ stuck: null });
  });

  it('does not ask the venue for an unknown token, unless it was listed recently or there is no list', async () => {
    publishSamplePrediction(api);
    const asked = () => demands.flatMap(({ keys = [] }) => keys);
    for (let id = 5_000; id < 5_050; id += 1) {
      const { status, error } = await get(`/prediction/orderbook?tokenId=${id}`);
      expect([status, error]).toEqual([
        404,
        `None of the 300 most liquid open events has an outcome with \`tokenId\` ${id}.`,
      ]);
    }
    expect(asked()).toEqual([]);
    api.table('polymarket-clob', 'predictionBooks', [sampleBook('7777')], 5_000);
    expect((await get('/prediction/orderbook?tokenId=7777')).status).toBe(200);
    expect(asked()).toEqual(['7777']);
    api.clock.advance(180_001);
    const asking = get('/prediction/orderbook?tokenId=5000');
    await expect.poll(asked).toEqual(['7777', '5000']);
    const nothing = sampleBook('5000', { isListed: false, receivedAtMs: api.clock.now() });
    api.table('polymarket-clob', 'predictionBooks', [nothing], 5_000);
    expect((await asking).status).toBe(404);
  });

  it('compares the second outcome with its own price', async () => {
    publishSamplePrediction(api);
    api.table('polymarket-clob', 'predictionBooks', [sampleBook('2001')], 5_000);
    expect((await get('/prediction/orderbook?tokenId=2001')).data).toMatchObject({
      stuck: true,
      eventPrice: 0.6,
    });
  });

  it.each(['007', '00', String(2n ** 256n), '9'.repeat(79), '-1', '1.0'])(
    'is a 400 when %s cannot be the id of a token',
    async (tokenId) => {
      const { status, error } = await get(`/prediction/orderbook?tokenId=${tokenId}`);
      expect(status).toBe(400);
      expect(error).toContain('a whole number below 2^256, without leading zeros');
      expect(demands).toEqual([]);
    },
  );

  it('is a 404 when the venue has no such book', async () => {
    api.table('polymarket-clob', 'predictionBooks', [
      sampleBook('5', { isListed: false, bids: [], asks: [] }),
    ]);
    const { status, meta, error } = await get('/prediction/orderbook?tokenId=5');
    expect([status, meta.code]).toEqual([404, 'not_found']);
    expect(error).toContain('`tokenId` 5');
  });

  it('is a 503 when a book that was not requested before does not come in time', async () => {
    publishSamplePrediction(api);
    const asked = get('/prediction/orderbook?tokenId=2001');
    await expect.poll(() => demands.length).toBe(2);
    api.clock.advance(3_000);
    const { status, meta } = await asked;
    expect([status, meta.code]).toEqual([503, 'upstream_unavailable']);
  });

  it('waits for a new book if the current one is old', async () => {
    publishSamplePrediction(api);
    api.clock.advance(60_000);
    const asked = get('/prediction/orderbook?tokenId=1001');
    await expect.poll(() => demands.length).toBe(2);
    const fresh = sampleBook('1001', { receivedAtMs: api.clock.now(), bids: [[0.4, 1]] });
    api.table('polymarket-clob', 'predictionBooks', [fresh], 5_000);
    const { data, meta } = await asked;
    expect(data.bestBid).toBe(0.4);
    expect(meta).not.toHaveProperty('stale');
  });

  it('does not call a book old because another one is', async () => {
    const source = { source: 'polymarket-clob:book', gives: ['predictionBooks'] };
    api.health('polymarket-clob', { ...source, status: 'limited' });
    api.clock.advance(60_000);
    const times = [START_MS, START_MS + 50_000];
    api.bus.publish(snapshotTopic('polymarket-clob', 'predictionBooks'), {
      venue: 'polymarket-clob',
      rows: times.map((receivedAtMs, i) => sampleBook(`${i + 1}001`, { receivedAtMs })),
      rowsAtMs: times,
      fetchedAtMs: START_MS + 50_000,
      everyMs: 5_000,
    });
    expect((await get('/prediction/orderbook?tokenId=1001')).meta).toMatchObject({ ageMs: 60_000 });
    expect((await get('/prediction/orderbook?tokenId=2001')).meta).toMatchObject({ ageMs: 10_000 });
  });

  it('does not call a book new because another one is', async () => {
    publishSamplePrediction(api);
    api.health('polymarket-clob', {
      source: 'polymarket-clob:book',
      gives: ['predictionBooks'],
      status: 'limited',
    });
    api.clock.advance(60_000);
    const other = sampleBook('2001', { receivedAtMs: api.clock.now() });
    api.table('polymarket-clob', 'predictionBooks', [sampleBook('1001'), other], 5_000);
    const { status, meta } = await get('/prediction/orderbook?tokenId=1001');
    expect(status).toBe(200);
    expect(meta).toMatchObject({ stale: true, ageMs: 60_000, fetchedAt: START_MS });
    api.clock.advance(541_000);
    expect((await get('/prediction/orderbook?tokenId=1001')).status).toBe(503);
  });
});

describe('/prediction/history', () => {
  it('returns recorded prices; of an unknown question not_found, of a listed one an empty series', async () => {
    const since = async (coin: string, sinceMs: number) => {
      if (coin === '3') throw new Error('unreadable');
      return coin === '1' ? [{ coin, t: sinceMs + 600_000, price: 0.42 }] : [];
    };
    const recording = await startTestApi({ questionPrices: { since } });
    recording.table('polymarket', 'predictions', [sampleQuestion('2')], 60_000);
    const answers = await Promise.all(
      ['id=1&sinceMs=7', 'id=2', 'id=3', 'id=4'].map((search) =>
        recording.get(`/prediction/history?${search}`),
      ),
    );
    const [known, listed, unreadable, unknown] = answers.map(({ body }) => body);
    expect(known?.data).toMatchObject({ id: '1', points: [{ t: 600_007, price: 0.42 }], retention: '30d' });
    expect(known?.meta.fetchedAt).toBe(600_007);
    expect(listed?.data).toMatchObject({ points: [], enabled: true });
    expect(unreadable?.data).toMatchObject({ points: [], enabled: false });
    expect(unknown?.meta).toMatchObject({ code: 'not_found' });
    await recording.close();
  });
});
