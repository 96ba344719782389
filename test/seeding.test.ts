import type { BuildStats } from '@crosstape/core';
import { TradeColumns } from '@crosstape/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Of the world's time, while threads write the history in their own. */
const SEEDING_MAX_MS = 60 * MINUTE_MS;

/** The tests follow one world from its first moment on: to give it a history is what takes long. */
let world: World;
let startMs: number;
beforeAll(async () => {
  world = await World.open({ historyDays: 2, rate: 0.1, isHistoryHeld: true, coins: ['BTC', 'LINK'] });
  startMs = world.clock.now();
});
afterAll(() => world.close());

interface Readiness {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
}

async function readiness(): Promise<Readiness> {
  return (await (await world.get('/readyz')).json()) as Readiness;
}

/** The market's own trades of a range. */
function generated(coin: string, fromMs: number, toMs: number): TradeColumns {
  const trades = new TradeColumns(1 << 17);
  expect(world.simulator.market.fill(coin, fromMs, toMs, trades)).toBe(toMs);
  return trades;
}

async function recorded(coin: string, fromMs: number, toMs: number): Promise<readonly unknown[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (let start: number | null = fromMs; start !== null; ) {
    const range = `start=${start}&end=${toMs}`;
    const { body } = await world.json(`/perps/trades/history?coin=${coin}&format=json&${range}`);
    rows.push(...body.data);
    start = body.meta['nextStart'] as number | null;
  }
  return rows.map(({ ts, tid }) => [ts, tid]);
}

async function coverage(fromMs: number, toMs: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await world.json(`/coverage?coin=BTC&from=${fromMs}&to=${toMs}`)).body.data;
}

/** The frames of one topic of the gateway. */
async function follow(ask: object): Promise<{ frames: Record<string, unknown>[]; close(): void }> {
  const socket = new WebSocket(`${world.service.url.replace('http', 'ws')}/ws/v1`);
  const frames: Record<string, unknown>[] = [];
  socket.on('message', (data) => frames.push(JSON.parse((data as Buffer).toString())));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ op: 'subscribe', id: 1, ...ask }));
  return { frames, close: () => socket.terminate() };
}

it('is not ready, and calls nothing complete, before the history is there; what was opened then is right afterwards', async () => {
  const { status, checks } = await readiness();
  expect(status).toBe('starting');
  expect(checks.find(({ name }) => name === 'history')).toMatchObject({ ok: false });
  const stretches = await world.meanwhile(coverage(startMs - 2 * DAY_MS, startMs + MINUTE_MS));
  expect(stretches.length).toBeGreaterThan(0);
  expect(stretches.map(({ state }) => state)).not.toContain('complete');
  const candles = await world.meanwhile(follow({ channel: 'candles', symbol: 'BTC', interval: '4h' }));
  const build = await world.meanwhile(
    world.get('/api/v1/perps/rotations/build', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        coin: 'BTC',
        kind: 'time',
        params: { intervalMs: MINUTE_MS },
        days: 1.5,
        tick: 1,
      }),
    }),
  );
  const { data: submitted } = (await build.json()) as {
    data: { jobId: string; cacheKey: string; degraded: boolean };
  };
  const submittedMs = world.clock.now();
  expect((await readiness()).status).toBe('starting');
  expect(submitted.degraded).toBe(false);

  world.releaseHistory();
  await world.until(() => world.isReady(), SEEDING_MAX_MS);
  const job = async (): Promise<Record<string, unknown>> =>
    (await world.json(`/perps/rotations/job?id=${submitted.jobId}`)).body.data as never;
  await world.until(async () => (await job())['status'] === 'done', 10 * MINUTE_MS);
  const stats = (await job())['stats'] as BuildStats;
  const fromMs = submittedMs - 1.5 * DAY_MS;
  expect(stats).toMatchObject({ degraded: false, gaps: [] });
  expect(stats.trades).toBeGreaterThan(generated('BTC', fromMs, startMs).length - 1);

  type Frame = {
    readonly type: string;
    readonly ts: number;
    readonly payload: Readonly<Record<string, unknown>>;
  };
  const bars = (): readonly Frame[] =>
    (candles.frames as unknown as readonly Frame[]).filter(({ type }) => type === 'data');
  const isRight = ({ ts, payload }: Frame): boolean =>
    payload['trades'] === generated('BTC', payload['openTs'] as number, ts + 1).length;
  // Noon is where a bar of four hours begins. The last trade of the history may be of the bar before.
  const isNewest = (frame: Frame): boolean => frame.payload['openTs'] === startMs && isRight(frame);
  await world.until(() => bars().slice(-1).some(isNewest), MINUTE_MS);
  // Where several processes share the work, a trade may overtake the message that the history is there.
  if (process.env.ON_REDIS !== '1') expect(bars()[0]).toSatisfy(isRight);
  candles.close();

  const minutes = (await world.json('/flows/history?coin=BTC&metric=flowPressureScore')).body;
  expect((minutes.data as never as { points: unknown[] }).points.length).toBeGreaterThan(2_800);
  const samples = (await world.json('/perps/oi/history?coin=BTC')).body;
  expect((samples.data as never as { points: unknown[] }).points.length).toBeGreaterThan(280);
}, 600_000);

it('gives a simulated market a history that joins the present without a gap or a repeat', async () => {
  await world.until(() => world.isReady(), SEEDING_MAX_MS);
  await world.until(() => world.clock.now() > startMs + MINUTE_MS, 2 * MINUTE_MS);
  const toMs = startMs + 30_000;
  expect(await coverage(startMs - 2 * DAY_MS + HOUR_MS, toMs)).toMatchObject([{ state: 'complete' }]);
  for (const coin of ['BTC', 'LINK']) {
    // Around the present, and where the newest day, which is recorded first, joins the previous one.
    for (const [from, to] of [
      [startMs - HOUR_MS, toMs],
      [startMs - DAY_MS - 2 * HOUR_MS, startMs - DAY_MS + HOUR_MS],
    ] as const) {
      const truth = generated(coin, from, to);
      expect(await recorded(coin, from, to)).toEqual(
        Array.from({ length: truth.length }, (_, i) => [truth.ts[i], truth.tid[i]]),
      );
    }
  }
}, 600_000);
