import { decodeIds, decodeReceipts, decodeTicks, HOUR_MS, type Trade } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { gunzipChunk } from '../chunk-gzip.ts';
import { tooManyJobs } from '../../../platform/jobs.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { RECEIPTS_FROM, recordSampleTape } from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

const path = '/perps/trades/history';

interface Chunk {
  readonly startTs: number;
  readonly endTs: number;
  readonly trades: number;
  readonly bytes: number;
  readonly data: string;
  readonly ids?: string;
  readonly recv?: string;
}

interface Page {
  readonly coin: string;
  readonly version: number;
  readonly chunks: readonly Chunk[];
}

let api: TestApi;
let all: readonly Trade[];
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  all = await recordSampleTape(api);
});
afterAll(() => api.close());

const inRange = (from: number, to: number) => all.filter(({ ts }) => ts >= from && ts < to);
const raw = ({ ts, price, size, side, tid }: Trade) => ({ ts, price, size, side, tid });

describe('a packed page', () => {
  it('is the default: whole chunks as they are stored, the newest trades included', async () => {
    const { status, headers, body } = await api.get(`${path}?coin=btc`);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=30');
    const { coin, version, chunks } = body.data as Page;
    expect({ coin, version }).toEqual({ coin: 'BTC', version: 1 });
    expect(chunks.map(({ trades }) => trades)).toEqual([2_000, 2_000, 2_000, all.length - 6_000]);
    expect(chunks.every((chunk) => !('ids' in chunk))).toBe(true);
    const stored = await api.tape.ticks.chunks('BTC', 0, START_MS, 3);
    expect(chunks.slice(0, 3).map(({ data }) => data)).toEqual(
      stored.map(({ data }) => Buffer.from(data).toString('base64')),
    );
    const times = chunks.flatMap(({ data, bytes }) => {
      const member = Buffer.from(data, 'base64');
      expect(member.length).toBe(bytes);
      const columns = decodeTicks(gunzipChunk(member));
      return [...columns.ts.subarray(0, columns.length)];
    });
    expect(times).toEqual(all.map(({ ts }) => ts));
  });

  it('has the ids beside the trades when requested', async () => {
    const { body } = await api.get(`${path}?coin=BTC&ids=1`);
    const tids = (body.data as Page).chunks.flatMap(({ ids = '' }) => {
      const columns = decodeIds(gunzipChunk(Buffer.from(ids, 'base64')));
      return [...columns.tid.subarray(0, columns.length)];
    });
    expect(tids).toEqual(all.map(({ tid }) => tid));
  });

  it('has the receive times beside the trades when requested, where there are any', async () => {
    const plain = ((await api.get(`${path}?coin=BTC`)).body.data as Page).chunks;
    const { body } = await api.get(`${path}?coin=BTC&recv=1`);
    const { chunks } = body.data as Page;
    expect(chunks.map(({ recv: _, ...chunk }) => chunk)).toEqual(plain);
    expect(chunks.map((chunk) => 'recv' in chunk)).toEqual([false, false, true, true]);
    const lags = chunks.slice(2).flatMap(({ recv = '' }) => {
      const { length, lagMs } = decodeReceipts(gunzipChunk(Buffer.from(recv, 'base64')));
      return [...lagMs.subarray(0, length)];
    });
    expect(lags).toEqual(all.slice(4_000).map(({ recvLagMs = Number.NaN }) => recvLagMs));
  });

  it('returns the gaps that overlap it, when recording began, and that there is no more', async () => {
    const { body } = await api.get(`${path}?coin=BTC`);
    const from = START_MS - HOUR_MS;
    expect(body.meta).toMatchObject({
      source: 'hyperliquid',
      fetchedAt: all.at(-1)?.ts,
      nextStart: null,
      recordingSince: from,
      gaps: [
        { from: START_MS - 24 * HOUR_MS, to: from, state: 'missing', reason: 'before the record begins' },
        { from: from + 8_000, to: from + 12_000, state: 'missing', reason: 'no socket to the venue was up' },
      ],
    });
    const later = await api.get(`${path}?coin=BTC&start=${from + 12_000}`);
    expect(later.body.meta.gaps).toEqual([]);
  });

  it('keeps to its range', async () => {
    const [from, to] = [START_MS - HOUR_MS + 500_000, START_MS - HOUR_MS + 600_000];
    const { body } = await api.get(`${path}?coin=BTC&start=${from}&end=${to}`);
    expect((body.data as Page).chunks).toHaveLength(1);
    const empty = await api.get(`${path}?coin=BTC&start=1&end=2`);
    expect(empty.body.data).toMatchObject({ chunks: [] });
    expect(empty.body.meta.nextStart).toBeNull();
  });
});

describe('a JSON page', () => {
  it('has the trades of three chunks, and the next page continues behind them', async () => {
    const first = await api.get(`${path}?coin=BTC&format=json`);
    expect(first.body.data).toEqual(all.slice(0, 6_000).map(raw));
    const { nextStart } = first.body.meta;
    expect(nextStart).toBe((all[6_000] as Trade).ts);
    const second = await api.get(`${path}?coin=BTC&format=json&start=${String(nextStart)}`);
    expect(second.body.data).toEqual(all.slice(6_000).map(raw));
    expect(second.body.meta.nextStart).toBeNull();
  });

  it('is refused without decoding anything when too many jobs wait', async () => {
    // Decoding it fails.
    const member = new Uint8Array([1]);
    const chunk = { coin: 'BTC', startTs: 1, endTs: 2, trades: 5_000, data: member, ids: member };
    vi.spyOn(api.tape.tape, 'page').mockResolvedValueOnce({ chunks: [chunk] });
    const run = vi.spyOn(api.tape.jobs, 'run').mockRejectedValueOnce(tooManyJobs());
    const { status, body } = await api.get(`${path}?coin=BTC&format=json&start=${START_MS - HOUR_MS + 1}`);
    expect(run).toHaveBeenCalledOnce();
    expect({ status, error: body.error }).toEqual({ status: 503, error: 'Too many jobs are queued.' });
    vi.restoreAllMocks();
  });

  it('says when each trade was received when requested, and null where that is not known', async () => {
    const { body } = await api.get(`${path}?coin=BTC&format=json&recv=1&start=${all[RECEIPTS_FROM - 1]?.ts}`);
    const expected = all.slice(RECEIPTS_FROM - 1).map((trade) => ({
      ...raw(trade),
      recvMs: trade.recvLagMs === undefined ? null : trade.ts + trade.recvLagMs,
    }));
    expect(body.data).toEqual(expected);
    expect(expected.slice(0, 2).map(({ recvMs }) => recvMs === null)).toEqual([true, false]);
    expect((await api.get(`${path}?coin=BTC&recv=yes`)).status).toBe(400);
  });

  it('leaves out what lies outside the range, whose end is not part of it', async () => {
    const [from, to] = [START_MS - 30_000, START_MS - 29_000];
    const { body } = await api.get(`${path}?coin=BTC&format=json&start=${from}&end=${to}`);
    expect(body.data).toEqual(inRange(from, to).map(raw));
    expect(body.data).toHaveLength(2);
  });
});

describe('the range', () => {
  it.each([
    `start=${START_MS}&end=${START_MS}`,
    `start=2&end=1`,
    `start=${START_MS}`,
    `end=0`,
    `end=${START_MS - 25 * HOUR_MS}`,
  ])('%s is refused: its start is not before its end', async (search) => {
    const { status, body } = await api.get(`${path}?coin=BTC&${search}`);
    expect(status).toBe(400);
    expect(body.error).toMatch(/`start` must be less than `end`/);
  });

  it('may reach into the future', async () => {
    const { status, body } = await api.get(`${path}?coin=BTC&end=${START_MS + HOUR_MS}`);
    expect(status).toBe(200);
    expect(body.meta.nextStart).toBeNull();
  });
});

describe('while the feed is away', () => {
  it('recorded trades are served unchanged, and the outage is reported as a gap', async () => {
    const later = await startTestApi({ hasTape: true });
    publishSampleMarket(later);
    await recordSampleTape(later);
    later.clock.advance(HOUR_MS);
    const received = { gives: ['trades'], lastGoodMs: START_MS, error: 'The socket is closed.' };
    later.health('hyperliquid', { source: 'hyperliquid:trades', status: 'down', ...received });
    const past = await later.get(`${path}?coin=BTC&end=${START_MS - 1_000}`);
    expect(past.body.meta).not.toHaveProperty('stale');
    const { status, body } = await later.get(`${path}?coin=BTC`);
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({ stale: true, ageMs: HOUR_MS });
    expect(body.meta.gaps).toContainEqual({
      from: START_MS,
      to: START_MS + HOUR_MS,
      state: 'missing',
      reason: 'The socket is closed.',
    });
    await later.close();
  });
});
