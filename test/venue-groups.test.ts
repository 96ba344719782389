import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type Service, startService } from '@crosstape/server';
import { type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { allPublishers } from '@crosstape/venues';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasRedis, TestRedis } from '../packages/server/src/cluster/testing/redis-server.ts';
import { Program } from './program.ts';
import { SseTail } from './sse-tail.ts';

/** Of the primary group, and of the other one. Both venues number their trades without a gap. */
const OWN = 'gate:BTC_USDT';
const OTHER = 'binance:BTCUSDT';
/** Programs start on a machine that may be busy. */
const PATIENCE_MS = 120_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Row {
  readonly ts: number;
  readonly tid: number;
}

interface Stretch {
  readonly recordedTrades: number;
  readonly expectedTrades?: number;
}

interface Ingester {
  readonly program: Program;
  readonly url: string;
}

const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  vi.waitUntil(
    async () => {
      try {
        return await holds();
      } catch (error) {
        // A process that is killed may break off a connection.
        if (error instanceof TypeError && error.message === 'fetch failed') return false;
        throw error;
      }
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );

async function json<Answer>(url: string): Promise<Answer> {
  return (await (await fetch(url)).json()) as Answer;
}

describe.runIf(hasRedis)('two groups of ingesters on a Redis', () => {
  let folder: string;
  let redis: TestRedis;
  let simulator: Simulator;
  let primary: Service;
  let gateway: Service;
  let [leader, standby]: Ingester[] = [];
  const programs: Program[] = [];

  const flags = (given: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries({
      port: '0',
      upstream: 'sim',
      'sim-url': simulator.url,
      'sim-history-days': '0',
      data: folder,
      redis: redis.url,
      'record-markets': `${OWN},${OTHER}`,
      backfill: 'off',
      quota: 'off',
      log: 'warn',
      ...given,
    }).flatMap(([name, value]) => [`--${name}`, value]);
  const startHere = (given: Readonly<Record<string, string>>): Promise<Service> => {
    const { settings } = readSettings(flags(given), {}, allPublishers);
    return startService({ settings, log: quiet });
  };
  const startOther = async (): Promise<Ingester> => {
    const program = new Program(flags({ role: 'ingest', venues: 'binance' }));
    programs.push(program);
    return { program, url: await program.listening(PATIENCE_MS) };
  };
  const isReady = async ({ url }: { readonly url: string }): Promise<boolean> =>
    (await fetch(`${url}/readyz`)).status === 200;
  const isLeading = async ({ url }: Ingester): Promise<boolean> =>
    (await json<{ leading: boolean }>(`${url}/healthz`)).leading;
  const untilGroups = (own: string, other: string): Promise<unknown> => {
    const expected = JSON.stringify([
      { venues: ['hyperliquid', 'gate'], status: own },
      { venues: ['binance'], status: other },
    ]);
    return until(async () => {
      const { ingesters } = await json<{ ingesters?: unknown }>(`${gateway.url}/healthz`);
      return JSON.stringify(ingesters) === expected;
    });
  };
  const tail = (market: string): Promise<SseTail> =>
    SseTail.open(`${gateway.url}/api/v1/streams/trades?market=${market}`);
  const tidsOf = (stream: SseTail): number[] => stream.named('trade').map(({ data }) => Number(data['tid']));

  async function recorded(market: string, fromMs: number, toMs: number): Promise<readonly number[]> {
    const tids: number[] = [];
    for (let start: number | null = fromMs; start !== null; ) {
      const query = `market=${market}&format=json&start=${start}&end=${toMs}`;
      const page: { data: Row[]; meta: { nextStart: number | null } } = await json(
        `${gateway.url}/api/v1/perps/trades/history?${query}`,
      );
      tids.push(...page.data.map(({ tid }) => tid));
      start = page.meta.nextStart;
    }
    return tids;
  }

  /** What the numbers of the recorded trades say is missing among them, and what the ledger says. */
  async function missing(market: string, fromMs: number, toMs: number) {
    const rows = await json<{ data: Stretch[] }>(
      `${gateway.url}/api/v1/coverage?market=${market}&from=${fromMs}&to=${toMs}`,
    );
    const tids = await recorded(market, fromMs, toMs);
    expect(new Set(tids).size, 'doubles in the record').toBe(tids.length);
    const expected = Math.max(...tids) - Math.min(...tids) + 1;
    const ledger = rows.data.map((row) => (row.expectedTrades ?? Number.NaN) - row.recordedTrades);
    return { byNumber: expected - tids.length, byLedger: ledger.reduce((a, b) => a + b, 0) };
  }

  /** The count closes: as many trades are missing as the ledger says. What was missed is requested again and again. */
  const untilCounted = (market: string, fromMs: number, toMs: number): Promise<unknown> =>
    until(async () => {
      const { byNumber, byLedger } = await missing(market, fromMs, toMs);
      return byNumber === byLedger;
    });
  const untilWhole = (market: string, fromMs: number, toMs: number): Promise<unknown> =>
    until(async () => {
      const { byNumber, byLedger } = await missing(market, fromMs, toMs);
      return byNumber === 0 && byLedger === 0;
    });

  /** Waits for trades of a market that came after now, and gives the time. */
  async function more(market: string): Promise<number> {
    const sinceMs = systemClock.now();
    await until(async () => (await recorded(market, sinceMs, sinceMs + 600_000)).length > 10);
    return systemClock.now();
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
    redis = await TestRedis.start();
    const sources = ['hyperliquid', 'gate', 'binance'];
    simulator = await startSimulator({ port: 0, seed: 23, rate: 1, clock: systemClock, sources });
    primary = await startHere({ role: 'ingest', venues: 'hyperliquid,gate' });
    [leader, standby] = await Promise.all([startOther(), startOther()]);
    gateway = await startHere({ role: 'gateway' });
    const all = [primary, gateway, leader, standby] as readonly { readonly url: string }[];
    await until(async () => (await Promise.all(all.map(isReady))).every(Boolean));
    await until(async () => {
      if (await isLeading(leader as Ingester)) return true;
      [leader, standby] = [standby, leader];
      return false;
    });
  }, 4 * PATIENCE_MS);

  afterAll(async () => {
    for (const program of programs) program.kill('SIGKILL');
    await gateway?.stop();
    await primary?.stop();
    await simulator?.close();
    await redis?.close();
    if (folder) rmSync(folder, { recursive: true });
  }, PATIENCE_MS);

  it(
    'are one service; when the leader of one is killed its standby takes over, and the other is not interrupted',
    async () => {
      const ids = async (): Promise<readonly string[]> => {
        const { data } = await json<{ data: { market: string }[] }>(`${gateway.url}/api/v1/markets/recorded`);
        return data.map(({ market }) => market);
      };
      await until(async () => {
        const recording = await ids();
        return [OWN, OTHER].every((id) => recording.includes(id));
      });
      const streams = await Promise.all([OWN, OTHER].map(tail));
      const [own, other] = streams as [SseTail, SseTail];
      await until(() => streams.every((stream) => tidsOf(stream).length > 10));
      await untilGroups('ok', 'ok');
      const beganMs = systemClock.now();
      await more(OTHER);
      (leader as Ingester).program.kill('SIGKILL');
      const killedMs = systemClock.now();
      await until(() => isLeading(standby as Ingester));
      await until(() => other.named('trade').some(({ data }) => Number(data['ts']) > killedMs + 500));
      const untilMs = Math.max(await more(OTHER), await more(OWN));
      await untilCounted(OTHER, beganMs, untilMs);
      // The other group was never without a leader: nothing is missing, and no stream of it was ended.
      await untilWhole(OWN, beganMs, untilMs);
      expect(own.isOpen).toBe(true);
      for (const stream of streams) {
        const streamed = tidsOf(stream);
        expect(new Set(streamed).size, 'doubles in the stream').toBe(streamed.length);
      }
      await until(() => {
        const streamed = tidsOf(own);
        return Math.max(...streamed) - Math.min(...streamed) + 1 === streamed.length;
      });
      for (const stream of streams) stream.close();
    },
    4 * PATIENCE_MS,
  );

  it(
    'are reported one by one: one without any ingester is silent, and continues where it was when there is one again',
    async () => {
      const fromMs = systemClock.now();
      await more(OTHER);
      (standby as Ingester).program.kill('SIGKILL');
      await untilGroups('ok', 'silent');
      const stale = async (): Promise<readonly string[]> => {
        const sources = await (await fetch(`${gateway.url}/api/v1/sources`)).text();
        return [...new Set(sources.match(/from the ingesters?[^.]*/g))];
      };
      // The answer is kept for some seconds.
      await until(async () => (await stale()).join() === 'from the ingesters of binance for a while');
      await more(OWN);
      await startOther();
      const untilMs = Math.max(await more(OTHER), await more(OWN));
      await untilCounted(OTHER, fromMs, untilMs);
      await untilWhole(OWN, fromMs, untilMs);
      await until(() => isReady(gateway));
    },
    4 * PATIENCE_MS,
  );

  it(
    'share no venue: an ingester that names one of another group ends with a line that names both',
    async () => {
      const program = new Program(flags({ role: 'ingest', venues: 'bybit,binance' }));
      programs.push(program);
      expect(await program.exitCode()).not.toBe(0);
      expect(program.error).toContain(
        'this ingester is to record bybit, binance, and another group records binance',
      );
    },
    PATIENCE_MS,
  );
});
