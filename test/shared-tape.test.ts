import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@crosstape/core';
import { readSettings, type Service, startService } from '@crosstape/server';
import { createMarket, type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { allPublishers } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WsClient } from '../packages/server/src/gateway/testing/ws-client.ts';
import { hasRedis, TestRedis } from '../packages/server/src/cluster/testing/redis-server.ts';
import { isLong } from './long.ts';
import { Program } from './program.ts';
import { SseTail } from './sse-tail.ts';
import { traded } from './traded.ts';

const SEED = 23;
/** A burst: about eight trades a second of the coin alone. */
const RATE = 10;
const COIN = 'BTC';
/** Everything is started from its sources, on a machine that may be busy. */
const PATIENCE_MS = 120_000;
/** Within which streams continue after the publisher is gone: a busy machine takes longer, and proves the rest all the same. */
const TAKEOVER_MS = isLong ? 10_000 : 30_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Row {
  readonly ts: number;
  readonly tid: number;
}

/** One of the ingesters, as a process that can be killed. */
interface Ingester {
  readonly program: Program;
  readonly url: string;
}

describe.runIf(hasRedis)('two ingesters and two gateways on a Redis', () => {
  let folder: string;
  let redis: TestRedis;
  let simulator: Simulator;
  let gateways: [Service, Service];
  let builder: Service | undefined;
  let ingesters: Ingester[] = [];
  const programs: Program[] = [];
  let beganMs: number;

  const flags = (role: string): readonly string[] => {
    const given = {
      port: '0',
      upstream: 'sim',
      'sim-url': simulator.url,
      'sim-history-days': '0',
      data: folder,
      redis: redis.url,
      quota: 'off',
      log: 'warn',
      role,
    };
    return Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  };
  const startRole = (role: string): Promise<Service> => {
    const { settings } = readSettings(flags(role), {}, allPublishers);
    return startService({ settings, log: quiet });
  };
  const startIngester = async (): Promise<Ingester> => {
    const program = new Program(flags('ingest'));
    programs.push(program);
    const ingester = { program, url: await program.listening(PATIENCE_MS) };
    ingesters.push(ingester);
    return ingester;
  };
  const until = (holds: () => boolean | Promise<boolean>, timeout = PATIENCE_MS): Promise<unknown> =>
    vi.waitUntil(
      async () => {
        try {
          return await holds();
        } catch (error) {
          // A process that is killed or stopped may break off a connection.
          if (error instanceof TypeError && error.message === 'fetch failed') return false;
          throw error;
        }
      },
      { timeout, interval: 50 },
    );
  const isLeading = async ({ url }: Ingester): Promise<boolean> => {
    const health = (await (await fetch(`${url}/healthz`)).json()) as { leading: boolean };
    return health.leading;
  };
  const tail = (service: Service, id?: string): Promise<SseTail> =>
    SseTail.open(
      `${service.url}/api/v1/streams/trades?coin=${COIN}`,
      id === undefined ? {} : { 'last-event-id': id },
    );
  const rowsOf = (one: SseTail): Row[] => one.named('trade').map(({ data }) => data as unknown as Row);
  const port = ({ url }: Service): number => Number(new URL(url).port);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
    redis = await TestRedis.start();
    simulator = await startSimulator({
      port: 0,
      seed: SEED,
      rate: RATE,
      clock: systemClock,
      sources: ['hyperliquid', 'bitcoindata'],
      coins: [COIN, 'ETH'],
    });
    await Promise.all([startIngester(), startIngester()]);
    await until(async () => (await Promise.all(ingesters.map(isLeading))).includes(true));
    await until(async () => {
      const answers = await Promise.all(ingesters.map(({ url }) => fetch(`${url}/readyz`)));
      return answers.every(({ status }) => status === 200);
    });
    gateways = await Promise.all([startRole('gateway'), startRole('gateway')]);
    builder = await startRole('build');
    await until(async () => {
      const answers = await Promise.all(gateways.map(({ url }) => fetch(`${url}/readyz`)));
      return answers.every(({ status }) => status === 200);
    });
    beganMs = systemClock.now();
  }, 2 * PATIENCE_MS);

  afterAll(async () => {
    redis.signal('SIGCONT');
    for (const program of programs) program.kill('SIGKILL');
    await Promise.all((gateways ?? []).map((gateway) => gateway.stop()));
    await builder?.stop();
    await simulator.close();
    await redis.close();
    rmSync(folder, { recursive: true });
  }, PATIENCE_MS);

  /** Everything recorded of the coin since a time, paged over HTTP. */
  async function recorded(service: Service, fromMs: number): Promise<Row[]> {
    const rows: Row[] = [];
    for (let start: number | null = fromMs; start !== null; ) {
      const path = `/api/v1/perps/trades/history?coin=${COIN}&format=json&start=${start}`;
      const page = (await (await fetch(service.url + path)).json()) as {
        data: Row[];
        meta: { nextStart: number | null };
      };
      rows.push(...page.data);
      start = page.meta.nextStart;
    }
    return rows;
  }

  /** Received trades are a part of the record, in its order; the newest may have come after the record was read. */
  function expectSame(received: readonly number[], record: readonly number[]): void {
    const from = record.indexOf(received[0] as number);
    expect(from).toBeGreaterThanOrEqual(0);
    const wanted = record.slice(from, from + received.length);
    const firstOther = wanted.findIndex((tid, i) => tid !== received[i]);
    expect(firstOther, `of ${wanted.length}, ${received.length} were received`).toBe(-1);
  }

  /** Nothing is missing and nothing is there twice, in the record and in what a stream brought. */
  async function expectWhole(stream: SseTail): Promise<void> {
    const untilMs = systemClock.now();
    const path = `/api/v1/coverage?coin=${COIN}&from=${beganMs}&to=${untilMs}`;
    const states = async (): Promise<readonly string[]> => {
      const answer = await fetch(gateways[0].url + path);
      return ((await answer.json()) as { data: { state: string }[] }).data.map(({ state }) => state);
    };
    // The newest is written within a second or two; a gap would never be called complete.
    await until(async () => (await states()).join() === 'complete');
    const market = createMarket({ seed: SEED, rate: RATE });
    const due = traded(market, COIN, beganMs + 100, untilMs).map(({ tid }) => tid);
    let rows: readonly Row[] = [];
    // While the feed is up its last second counts as complete before a busy machine has received all of it.
    await until(async () => {
      rows = await recorded(gateways[1], beganMs);
      return rows.some(({ tid }) => tid === due.at(-1));
    });
    const tids = new Set(rows.map(({ tid }) => tid));
    expect(tids.size, 'doubles in the record').toBe(rows.length);
    const missing = due.filter((tid) => !tids.has(tid)).map((tid) => due.indexOf(tid));
    expect(missing, `gaps in the record, of ${due.length}`).toEqual([]);
    // The first that is streamed may have been traded just before the record is read from.
    const streamed = rowsOf(stream).filter(({ ts }) => ts >= beganMs);
    expectSame(
      streamed.map(({ tid }) => tid),
      rows.map(({ tid }) => tid),
    );
  }

  it(
    'continues soon when the publisher is killed in a burst, without a gap and without a double',
    async () => {
      // Five of the eight requests that its source allows in an hour.
      const valuation = (service: Service): Promise<Response> =>
        fetch(`${service.url}/api/v1/onchain/valuation`);
      await until(async () => (await valuation(gateways[0])).status === 200);
      const before = await (await valuation(gateways[0])).text();
      const stream = await tail(gateways[0]);
      await until(() => rowsOf(stream).length > 30);
      const [a, b] = ingesters as [Ingester, Ingester];
      const [leader, standby] = (await isLeading(a)) ? [a, b] : [b, a];
      const killedMs = systemClock.now();
      leader.program.kill('SIGKILL');
      ingesters = [standby];
      await until(() => (rowsOf(stream).at(-1)?.ts ?? 0) > killedMs + 500, TAKEOVER_MS + 5_000);
      expect(systemClock.now() - killedMs).toBeLessThan(TAKEOVER_MS);
      await expectWhole(stream);
      stream.close();
      await until(async () => (await valuation(gateways[1])).status === 200);
      expect(simulator.violations['bitcoindata']).toEqual({});
      await until(async () => (await (await valuation(gateways[1])).text()) === before, TAKEOVER_MS);
    },
    2 * PATIENCE_MS,
  );

  // Without processes: cluster/shared-bus.test.ts, cluster/lease.test.ts of the server.
  if (isLong) {
    it(
      'refuses a publisher that was held up past its lease, which steps down and stands by',
      async () => {
        const leader = ingesters[0] as Ingester;
        const standby = await startIngester();
        const stream = await tail(gateways[1]);
        // A standby that received nothing cannot take over without a gap.
        await until(async () => (await fetch(`${standby.url}/readyz`)).status === 200);
        await sleep(systemClock, 2_000);
        leader.program.kill('SIGSTOP');
        await until(() => isLeading(standby), TAKEOVER_MS + 5_000);
        const newest = rowsOf(stream).length;
        await until(() => rowsOf(stream).length > newest + 30);
        leader.program.kill('SIGCONT');
        await until(async () => !(await isLeading(leader)));
        expect(await isLeading(standby)).toBe(true);
        await expectWhole(stream);
        stream.close();
      },
      2 * PATIENCE_MS,
    );
  }

  it(
    'lets a client that was cut from one gateway continue at the other, by event id and by cursor',
    async () => {
      const first = await tail(gateways[0]);
      const socket = await WsClient.open(port(gateways[0]));
      socket.send({ op: 'subscribe', channel: 'trades', symbol: COIN });
      await until(() => rowsOf(first).length > 20 && socket.data('trades').length > 20);
      const had = rowsOf(first);
      const received = socket.data('trades').map(({ payload }) => payload as unknown as Row);
      first.close();
      await socket.end();
      const id = first.events.findLast((event) => event.name === 'trade')?.id;
      const second = await tail(gateways[1], id);
      const last = received.at(-1) as Row;
      const since = { ts: last.ts, count: received.filter(({ ts }) => ts === last.ts).length };
      const other = await WsClient.open(port(gateways[1]));
      other.send({ op: 'subscribe', channel: 'trades', symbol: COIN, since });
      await until(() => rowsOf(second).length > 20 && other.data('trades').length > 20);
      expect(second.events[0]?.data).toMatchObject({ resumed: true });
      let rows: readonly number[] = [];
      // It is written within a second or two, and all this may have taken less.
      await until(async () => {
        rows = (await recorded(gateways[1], beganMs)).map(({ tid }) => tid);
        return [had, received].every(([row]) => rows.includes(row?.tid ?? -1));
      });
      // At least once, from the first event of that time on.
      const seen = new Set(had.map(({ tid }) => tid));
      const joined = [...had, ...rowsOf(second).filter(({ tid }) => !seen.has(tid))].map(({ tid }) => tid);
      expectSame(joined, rows);
      const all = [...received, ...other.data('trades').map(({ payload }) => payload as unknown as Row)];
      expectSame(
        all.map(({ tid }) => tid),
        rows,
      );
      second.close();
      await other.end();
    },
    PATIENCE_MS,
  );

  // Without processes: cluster/shared-bus.test.ts, cluster/lease.test.ts of the server.
  if (isLong) {
    it(
      'loses nothing for a client that resumes while everything is restarted, one after the other',
      async () => {
        let stream = await tail(gateways[0]);
        const had: Row[] = [];
        /** To the other gateway, by the id of the last event. */
        const resumeAt = async (at: 0 | 1): Promise<void> => {
          await until(() => !stream.isOpen);
          const known = new Set(had.map(({ tid }) => tid));
          had.push(...rowsOf(stream).filter(({ tid }) => !known.has(tid)));
          stream = await tail(gateways[at], stream.events.findLast(({ id }) => id !== undefined)?.id);
          await until(() => stream.events.length > 0);
          expect(stream.events[0]?.data).toMatchObject({ resumed: true });
        };
        const more = (): Promise<unknown> => until(() => rowsOf(stream).length > 15);
        await more();
        await gateways[0].stop();
        await resumeAt(1);
        gateways[0] = await startRole('gateway');
        const fresh = await startIngester();
        await until(async () => (await fetch(`${fresh.url}/readyz`)).status === 200);
        await more();
        for (const { program } of ingesters.filter((one) => one !== fresh)) {
          program.kill('SIGTERM');
          expect(await program.exitCode()).toBe(0);
        }
        ingesters = [fresh];
        await until(() => isLeading(fresh));
        const stoppedMs = systemClock.now();
        await until(() => (rowsOf(stream).at(-1)?.ts ?? 0) > stoppedMs);
        await gateways[1].stop();
        await resumeAt(0);
        gateways[1] = await startRole('gateway');
        await more();
        stream.close();
        await resumeAt(1);
        stream.close();
        const rows = (await recorded(gateways[0], beganMs)).map(({ tid }) => tid);
        expectSame(
          had.map(({ tid }) => tid),
          rows,
        );
        expect(new Set(rows).size).toBe(rows.length);
      },
      2 * PATIENCE_MS,
    );
  }

  it(
    'builds once what both gateways are requested, and either reports it',
    async () => {
      const body = JSON.stringify({ coin: COIN, kind: 'tick', params: { trades: 10 }, days: 1 });
      const ask = async ({ url }: Service): Promise<{ jobId: string; cached: boolean }> => {
        const headers = { 'content-type': 'application/json' };
        const path = `${url}/api/v1/perps/rotations/build`;
        const answer = await (await fetch(path, { method: 'POST', headers, body })).json();
        return (answer as { data: { jobId: string; cached: boolean } }).data;
      };
      const first = await ask(gateways[0]);
      const second = await ask(gateways[1]);
      expect([first.cached, second.cached]).toEqual([false, true]);
      expect(second.jobId).toBe(first.jobId);
      let job: { status: string; resultKey?: string; stats?: { bars: number } } | undefined;
      await until(async () => {
        const answer = await fetch(`${gateways[1].url}/api/v1/perps/rotations/job?id=${first.jobId}`);
        job = ((await answer.json()) as { data: typeof job }).data;
        return job?.status === 'done';
      });
      const key = encodeURIComponent(job?.resultKey ?? '');
      const result = await fetch(`${gateways[1].url}/api/v1/perps/rotations/result?key=${key}&format=json`);
      const { data } = (await result.json()) as { data: { bars: unknown[] } };
      expect(data.bars.length).toBe(job?.stats?.bars);
      expect(data.bars.length).toBeGreaterThan(5);
    },
    PATIENCE_MS,
  );

  it(
    'says so while Redis does not answer, and recovers by itself',
    async () => {
      const isReady = async ({ url }: Service): Promise<boolean> =>
        (await fetch(`${url}/readyz`)).status === 200;
      const isStale = async ({ url }: Service): Promise<boolean> => {
        const answer = (await (await fetch(`${url}/api/v1/perps/oi`)).json()) as {
          meta: { stale?: boolean };
        };
        return answer.meta.stale === true;
      };
      redis.signal('SIGSTOP');
      await until(async () => (await isStale(gateways[0])) && !(await isReady(gateways[0])));
      redis.signal('SIGCONT');
      await until(async () => !(await isStale(gateways[0])) && (await isReady(gateways[0])));
    },
    2 * PATIENCE_MS,
  );
});
