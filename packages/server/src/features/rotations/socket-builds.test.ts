import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RotationJob } from './rotation-job.ts';
import { Builds } from './socket-builds.ts';
import { GatewayService, START_MS } from '../../gateway/testing/gateway-service.ts';
import type { Frame, WsClient } from '../../gateway/testing/ws-client.ts';

let service: GatewayService;
afterEach(() => service.close());

const build = { op: 'build', coin: 'BTC', kind: 'tick', params: { trades: 10 }, days: 1 };
const answersTo = (client: WsClient, id: unknown): readonly Frame[] =>
  client.frames.filter((frame) => frame.id === id);
const lastOf = (client: WsClient, id: unknown) => answersTo(client, id).at(-1)?.type;
const isOver = (client: WsClient, id: unknown): boolean =>
  ['build:done', 'build:error'].includes(String(lastOf(client, id)));

describe('over a real tape', () => {
  beforeEach(async () => {
    service = await GatewayService.start({ hasTape: true });
    const trades = Array.from({ length: 95 }, (_, n) => service.trade({ ts: START_MS - 1_000 + n }));
    await service.tape.record(trades, 'sealed');
    await service.tape.connected(START_MS - 86_400_000, START_MS);
    service.table(
      'prices',
      ['BTC', 'ETH'].map((coin) => ({ coin, symbol: coin, mark: 100_000, index: 100_000 })),
    );
  });

  it('is accepted, done, and found under its key', async () => {
    const client = await service.connect();
    client.send({ ...build, id: 'b' });
    await client.until(() => isOver(client, 'b'), 20_000);
    const [accepted, ...rest] = answersTo(client, 'b');
    expect(accepted).toMatchObject({ type: 'build:accepted', cached: false });
    expect(rest.at(-1)).toMatchObject({
      type: 'build:done',
      resultKey: accepted?.cacheKey,
      cached: false,
      stats: { trades: 95, bars: 9 },
    });
    expect(await service.tape.rotations.result(String(accepted?.cacheKey))).toBeDefined();
  });

  it('is answered at once when it is known, and several continue at a time', async () => {
    const client = await service.connect();
    for (const trades of [10, 20]) client.send({ ...build, params: { trades }, id: trades });
    await client.until(() => isOver(client, 10) && isOver(client, 20), 20_000);
    client.send({ ...build, id: 'again' });
    await client.until(() => isOver(client, 'again'));
    expect(answersTo(client, 'again').map(({ type, cached }) => [type, cached])).toEqual([
      ['build:accepted', true],
      ['build:done', true],
    ]);
  });

  it.each([
    ['an unknown kind', { kind: 'renko' }, 'bad_request', /`kind`/],
    ['an unknown parameter', { params: { trades: 10, x: 1 } }, 'bad_request', /params/],
    ['a parameter out of range', { params: { trades: 0 } }, 'bad_request', /params\.trades/],
    ['too many days', { days: 8 }, 'bad_request', /`days`/],
    ['an unknown field', { hours: 1 }, 'bad_request', /`hours`/],
    ['an unknown coin', { coin: 'NOPE' }, 'unknown_symbol', /NOPE/],
  ])('is refused with %s', async (_, change, code, message) => {
    const client = await service.connect();
    client.send({ ...build, ...change, id: 'b' });
    await client.until(() => isOver(client, 'b'));
    expect(answersTo(client, 'b')).toMatchObject([{ type: 'build:error', code }]);
    expect(answersTo(client, 'b')[0]?.message).toMatch(message);
  });

  it('that fails is reported', async () => {
    const client = await service.connect();
    client.send({ ...build, coin: 'ETH', degraded: false, id: 'b' });
    await client.until(() => isOver(client, 'b'), 20_000);
    expect(answersTo(client, 'b').at(-1)).toMatchObject({ type: 'build:error', code: 'build_failed' });
  });
});

it('is not begun for a socket that is gone', async () => {
  service = await GatewayService.start();
  const never = () => {
    throw new Error('this failure must not be lost');
  };
  const rotations = { submit: never, job: never, watch: never };
  const builds = new Builds({ clock: service.clock, rotations, send: never });
  builds.close();
  await expect(builds.start(never, { caller: 'me', address: 'me' }, {})).resolves.toBeUndefined();
});

describe('under way', () => {
  let listeners: Map<string, (job: RotationJob) => void>;
  let jobs: number;
  let found: RotationJob | Error;
  const running = { status: 'running', totalTrades: 1_000, bars: 1, submittedAt: START_MS } as const;
  const move = (id: string, pct: number): void =>
    listeners.get(id)?.({ ...running, pct, trades: pct * 1_000 });

  beforeEach(async () => {
    listeners = new Map();
    found = { ...running, status: 'queued', pct: 0, trades: 0 };
    jobs = 0;
    service = await GatewayService.start({
      coins: [],
      rotations: {
        submit: async () => {
          jobs += 1;
          return { jobId: `j${jobs}`, cacheKey: `rot:res:${jobs}`, cached: false, degraded: false };
        },
        job: async () => {
          if (found instanceof Error) throw found;
          return found;
        },
        watch: (id, listener) => {
          listeners.set(id, listener);
          return () => listeners.delete(id);
        },
      },
    });
  });
  const list = (): void => service.table('instruments', [{ symbol: 'BTC', coin: 'BTC', sizeDecimals: 5 }]);

  it('reports its progress for every tenth, and no more than ten times a second', async () => {
    list();
    const client = await service.connect();
    client.send({ ...build, id: 'b' });
    await client.until(() => listeners.size === 1);
    for (let step = 0; step < 1_000; step += 1) move('j1', step / 1_000);
    await client.ask({ op: 'auth', id: 1 });
    const reported = client.of('build:progress').map(({ pct }) => Number(pct));
    expect(reported).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
  });

  it('reports that it is alive once a second when it is slow', async () => {
    list();
    const client = await service.connect();
    client.send({ ...build, id: 'b' });
    await client.until(() => listeners.size === 1);
    for (let step = 0; step < 100; step += 1) {
      service.clock.advance(50);
      move('j1', 0.01 + step / 100_000);
    }
    await client.ask({ op: 'auth', id: 1 });
    expect(client.of('build:progress')).toHaveLength(5);
  });

  it('is reported as failed when its builder is gone without a report', async () => {
    list();
    const client = await service.connect();
    client.send({ ...build, id: 'b' });
    await client.until(() => listeners.size === 1);
    found = new Error('the store is away');
    service.clock.advance(5_000);
    await client.ask({ op: 'auth', id: 1 });
    found = { ...running, status: 'error', error: 'It is lost.', pct: 0, trades: 0 };
    service.clock.advance(5_000);
    await client.until(() => isOver(client, 'b'));
    expect(answersTo(client, 'b').at(-1)).toMatchObject({ code: 'build_failed', message: 'It is lost.' });
    expect(listeners.size).toBe(0);
  });

  it('is bounded in number, and is released with the socket', async () => {
    list();
    const client = await service.connect();
    for (let n = 0; n < 17; n += 1) client.send({ ...build, id: n });
    await client.until(() => isOver(client, 16));
    expect(answersTo(client, 16)).toMatchObject([{ type: 'build:error', code: 'rate_limited' }]);
    await client.until(() => listeners.size === 16);
    await client.end();
    await client.until(() => listeners.size === 0);
  });
  it('is counted, and released with the socket, also while the coins are unknown', async () => {
    const client = await service.connect();
    for (let n = 0; n < 17; n += 1) client.send({ ...build, id: n });
    await client.until(() => isOver(client, 16));
    expect(answersTo(client, 16)).toMatchObject([{ type: 'build:error', code: 'rate_limited' }]);
    expect(client.frames).toHaveLength(1);
    await client.end();
    await client.until(() => service.gateway.counts().open === 0);
    list();
    // A caller that also waited for the coins is served after them.
    const other = await service.connect();
    other.send({ ...build, id: 'b' });
    await other.until(() => lastOf(other, 'b') === 'build:accepted');
    expect(jobs).toBe(1);
  });
});
