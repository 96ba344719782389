import { HOUR_MS, type Trade } from '@crosstape/core';
import { type TestRequest, START_MS, type TestApi } from './test-api.ts';

/** Trades of BTC, two a second, that wander up and down by whole dollars. */
export function sampleTrades(fromTs: number, count: number, firstTid = 0): readonly Trade[] {
  return Array.from({ length: count }, (_, i) => {
    const tid = firstTid + i;
    const price = 100_000 + Math.round(40 * Math.sin(tid / 25)) + (tid % 3);
    const size = (1 + (tid % 7)) / 1_000;
    const side = tid % 2 === 0 ? 'buy' : 'sell';
    const notionalUsd = price * size;
    return {
      coin: 'BTC',
      venue: 'hyperliquid',
      side,
      price,
      size,
      notionalUsd,
      ts: fromTs + i * 500,
      tid,
      sameOrder: false,
    };
  });
}

/** The receive times of earlier trades are unknown. */
export const RECEIPTS_FROM = 4_100;

/** An hour of BTC, with a gap of 4 s: three sealed chunks, a tail, and trades that are only in memory. */
export async function recordSampleTape({ tape }: TestApi): Promise<readonly Trade[]> {
  const from = START_MS - HOUR_MS;
  const all = sampleTrades(from, 7_200)
    .filter(({ ts }) => ts < from + 8_000 || ts >= from + 12_000)
    .map((trade, i) => (i < RECEIPTS_FROM ? trade : { ...trade, recvLagMs: (trade.tid % 90) - 2 }));
  await tape.record(all.slice(0, 2_000), 'sealed');
  await tape.record(all.slice(2_000, 4_000), 'sealed');
  await tape.record(all.slice(4_000, 6_000), 'sealed');
  await tape.record(all.slice(6_000, 7_000), 'tail');
  await tape.record(all.slice(6_500), 'memory');
  const gap = { coin: 'BTC', from: from + 8_000, to: from + 12_000 };
  await tape.connected(from, START_MS, { ...gap, state: 'missing', reason: 'no socket to the venue was up' });
  return all;
}

export function buildRequest(body: object): TestRequest {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

export const sampleBuild = buildRequest({ coin: 'btc', kind: 'range', params: { rangeTicks: 20 } });

/** Submits a build, and waits until it has ended. */
export async function buildSampleBars(
  api: TestApi,
  ask: TestRequest = sampleBuild,
): Promise<{ readonly jobId: string; readonly cacheKey: string }> {
  const { status, text, body } = await api.get('/perps/rotations/build', ask);
  if (status !== 200) throw new Error(text);
  const build = body.data as { jobId: string; cacheKey: string };
  await buildEnd(api, build.jobId);
  return build;
}

/** Waits until a build has ended. */
export async function buildEnd({ tape: { rotations } }: TestApi, jobId: string): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const leave = rotations.watch(jobId, ({ status }) => {
      if (status !== 'done' && status !== 'error') return;
      leave();
      resolve();
    });
  });
  const job = await rotations.job(jobId);
  if (job?.status !== 'done' && job?.status !== 'error') await ended;
}
