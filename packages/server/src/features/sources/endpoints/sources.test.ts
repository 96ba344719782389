import { afterAll, beforeAll, expect, it } from 'vitest';
import { Failure } from '../../../platform/errors.ts';
import { NO_ANSWER_YET } from '../../../topics.ts';
import { noTape } from '../../../api/testing/no-tape.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { recordSampleTape } from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    hasTape: true,
    publishers: [{ id: 'hyperliquid' }, { id: 'binance' }, { id: 'binance-spot', venue: 'binance' }],
  });
  publishSampleMarket(api);
  await recordSampleTape(api);
});
afterAll(() => api.close());

it('lists sources, their terms, and the health of each part', async () => {
  api.health('binance', { source: 'binance:premium', status: 'ok', lastGoodMs: START_MS - 500, messages: 3 });
  api.health('binance-spot', {
    source: 'binance-spot:tickers',
    gives: ['spotTickers'],
    status: 'blocked',
    error: 'HTTP 451.',
    sinceMs: START_MS - 9_000,
    messages: 0,
    refused: 2,
    reconnects: 1,
    messagesLastMinute: 0,
    notes: ['spotTickers went from 40 to 12 rows.'],
  });
  const { status, headers, body } = await api.get('/sources');
  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('public, max-age=5');
  const [, binance] = body.data as { feeds: object[] }[];
  expect(binance).toMatchObject({
    id: 'binance',
    attribution: 'Prices: Binance',
    trust: 'undocumented',
    termsUrl: null,
    status: 'blocked',
    gaps24h: null,
    notes: ['spotTickers went from 40 to 12 rows.'],
    feeds: [
      {
        source: 'binance:premium',
        status: 'ok',
        notes: [],
        ageMs: 500,
        messagesLastMinute: null,
        messages: 3,
      },
      {},
    ],
  });
  expect(binance?.feeds[1]).toEqual({
    source: 'binance-spot:tickers',
    gives: ['spotTickers'],
    status: 'blocked',
    error: 'HTTP 451.',
    notes: ['spotTickers went from 40 to 12 rows.'],
    sinceTs: START_MS - 9_000,
    ageMs: null,
    messagesLastMinute: 0,
    messages: 0,
    refused: 2,
    reconnects: 1,
  });
});

it('counts the gaps of the tape, not the time before it', async () => {
  const { body } = await api.get('/sources');
  expect((body.data as { gaps24h: unknown }[]).map(({ gaps24h }) => gaps24h)).toEqual([1, null]);
});

it('says since when gaps are counted until the record covers 24 hours', async () => {
  for (const [agoMs, expected] of [
    [3_600_000, START_MS - 3_600_000],
    [86_400_001, undefined],
  ] as const) {
    const other = await startTestApi({
      coverage: { ...noTape.coverage, recordedSinceMs: async () => START_MS - agoMs },
    });
    const rows = (await other.get('/sources')).body.data as { gaps24h: unknown; sinceTs?: number }[];
    expect(rows.find(({ gaps24h }) => gaps24h !== null)?.sinceTs).toBe(expected);
    await other.close();
  }
});

it('leaves out gaps while the record cannot be read, and returns the rest', async () => {
  const away = new Failure('upstream_unavailable', 'The record cannot be read at the moment.');
  const other = await startTestApi({
    coverage: { ...noTape.coverage, gaps: () => Promise.reject(away) },
  });
  const { status, body } = await other.get('/sources');
  const rows = body.data as { gaps24h: unknown }[];
  expect([status, rows.length > 0, rows.every(({ gaps24h }) => gaps24h === null)]).toEqual([200, true, true]);
  await other.close();
});

it('does not call down what was not asked yet', async () => {
  const idle = { status: 'down', error: NO_ANSWER_YET } as const;
  api.health('binance', { source: 'binance:premium', status: 'ok' });
  api.health('binance-spot', { source: 'binance-spot:tickers', ...idle });
  api.clock.advance(2_000);
  const [, some] = (await api.get('/sources')).body.data as { status: unknown; feeds: object[] }[];
  expect(some).toMatchObject({ status: 'ok', feeds: [{ status: 'ok' }, { status: null, error: null }] });
  api.health('binance', { source: 'binance:premium', ...idle });
  api.clock.advance(2_000);
  const [, none] = (await api.get('/sources')).body.data as { status: unknown }[];
  expect(none?.status).toBe(null);
});

it('reports nothing about a source that is not polled', async () => {
  const other = await startTestApi({ publishers: [] });
  try {
    const { body } = await other.get('/sources');
    expect(body.data).toMatchObject([{ status: null, feeds: [] }, {}]);
  } finally {
    await other.close();
  }
});
