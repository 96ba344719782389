import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isLong } from './long.ts';
import { Program } from './program.ts';
import { coinsOfVenues } from './world-coins.ts';

/** What is needed here of a capture's lines. */
interface Line {
  readonly t: number;
  readonly type: string;
  readonly id?: number;
  readonly socket?: number;
  readonly venue?: string;
  readonly source?: string;
  readonly feed?: string;
  readonly path?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly text: string };
}

interface Report {
  readonly isComplete: boolean;
  readonly sources: readonly {
    readonly source: string;
    readonly payloads: number;
    readonly accepted: number;
    readonly refused: number;
    readonly refusedRows: number;
    readonly errors: number;
    readonly reasons: readonly { readonly reason: string; readonly count: number }[];
    readonly newFields: readonly string[];
    readonly missingFields: readonly string[];
  }[];
}

const KEY = 'capture-test-key';
/** As long as a service that replays it needs to subscribe, and some trades. */
const LASTS_MS = isLong ? 20_000 : 2_000;
const SOURCES_MIN = 60;
/** What is asked on demand, and the order book of BTC. */
const onDemand = [
  'hyperliquid:books',
  'deribit:btc-book-summary',
  'deribit:index-price',
  'deribit:option-trades',
  'polymarket:events',
  'polymarket-clob:book',
  'binance:globalLongShortAccountRatio-1h',
  'okx:long-short-position-ratio-contract-top-trader-4h',
  'coingecko:bitcoin-treasury',
  'bitcoindata:mvrv-zscore',
  'coinalyze:liquidation-history',
  'okx:liquidation-orders',
  'farside:bitcoin-etf-flows',
];
const wait = { timeout: 60_000, interval: 200 };
let folder: string;
let file: string;
let simulator: Simulator;
let capturing: Program;
const running: Program[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-capture-'));
  file = join(folder, 'capture.ndjson.gz');
  const market = { seed: 5, rate: isLong ? 5 : 1, coins: coinsOfVenues };
  simulator = await startSimulator({ port: 0, clock: systemClock, ...market });
  const flags = `--upstream sim --sim-url ${simulator.url} --minutes 10 --out ${file}`;
  capturing = start(['capture', ...flags.split(' ')], { COINALYZE_API_KEY: KEY });
  // Until it holds what waits for other tables and the pings of most feeds, ended as a person would.
  await vi.waitUntil(() => capturing.error.includes('Capturing'), wait);
  await vi.waitUntil(holdsAll, { ...wait, interval: 3_000 });
  capturing.kill('SIGINT');
  await capturing.exitCode();
  await simulator.close();
});

afterEach(async () => {
  for (const program of running.splice(0)) {
    program.kill('SIGKILL');
    await program.exitCode();
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(args: readonly string[], environment = {}): Program {
  const program = new Program(args, environment);
  running.push(program);
  return program;
}

function linesOf(path: string): readonly Line[] {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Whether the capture that is being written has all that is looked for in it, and has gone on for a while. */
function holdsAll(): boolean {
  const bytes = readFileSync(file);
  if (bytes.length < 100) return false;
  // Its end is not there yet, and its last line may be half there.
  const text = gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  const lines = text.split('\n').slice(1, -1);
  const beganMs = (JSON.parse(lines[0] ?? '{"t":0}') as Line).t;
  const lastMs = (JSON.parse(lines.at(-1) ?? '{"t":0}') as Line).t;
  if (lastMs - beganMs < LASTS_MS) return false;
  const answered = lines.map((line) => JSON.parse(line) as Line);
  const ids = new Set(answered.filter(({ type }) => type === 'answer').map(({ id }) => id));
  const sockets = new Set(answered.filter(({ type }) => type === 'in').map(({ socket }) => socket));
  const sources = new Set(
    answered
      .filter(({ id, socket }) => ids.has(id) || sockets.has(socket))
      .map(({ venue, source, feed }) => `${venue}:${source ?? feed}`),
  );
  const hasTrade = answered.some(({ type, body }) => type === 'in' && body?.text.includes('"side":"B"'));
  return hasTrade && sources.size > SOURCES_MIN && onDemand.every((source) => sources.has(source));
}

async function check(path: string): Promise<{ readonly code: unknown; readonly report: Report }> {
  const program = start(['capture', 'check', path, '--json']);
  const code = await program.exitCode();
  return { code, report: JSON.parse(program.out) as Report };
}

/** The same capture with some lines changed: `request` and `connect` are those that a line belongs to. */
function changed(
  name: string,
  change: (line: Line, request: Line | undefined, connect: Line | undefined) => Line,
): string {
  const path = join(folder, name);
  const lines = linesOf(file);
  const requests = new Map(lines.filter(({ type }) => type === 'request').map((line) => [line.id, line]));
  const connects = new Map(lines.filter(({ type }) => type === 'connect').map((line) => [line.socket, line]));
  const text = lines
    .map((line) => `${JSON.stringify(change(line, requests.get(line.id), connects.get(line.socket)))}\n`)
    .join('');
  writeFileSync(path, gzipSync(text));
  return path;
}

/** Requests that were never answered, by source. */
function failuresBySource(lines: readonly Line[]): ReadonlyMap<string, number> {
  const requests = new Map(lines.filter(({ type }) => type === 'request').map((line) => [line.id, line]));
  const counts = new Map<string, number>();
  for (const { type, id } of lines) {
    if (type !== 'failure') continue;
    const { venue, source } = requests.get(id) ?? {};
    counts.set(`${venue}:${source}`, (counts.get(`${venue}:${source}`) ?? 0) + 1);
  }
  return counts;
}

/** Answers of a source, in order. */
function answersOf(venue: string, source: string): readonly { readonly t: number; readonly body: unknown }[] {
  const lines = linesOf(file);
  const asked = new Set(
    lines.filter((one) => one.venue === venue && one.source === source).map(({ id }) => id),
  );
  return lines
    .filter(({ type, id }) => type === 'answer' && asked.has(id))
    .map(({ t, body }) => ({ t, body: JSON.parse(body?.text ?? '') as unknown }));
}

describe('a capture of the simulated venues', () => {
  it('ends in order when it is interrupted, and says what it holds', async () => {
    expect(await capturing.exitCode()).toBe(0);
    const [header, ...lines] = linesOf(file);
    expect(header).toMatchObject({ capture: 1, upstream: 'sim', startedAtMs: expect.any(Number) as number });
    expect(lines.at(-1)).toMatchObject({ type: 'end', reason: 'it was interrupted' });
    // Two sockets, and those that replace one which a busy machine was too slow for.
    expect(capturing.out).toMatch(/^hyperliquid:trades +\w+ +- +- +(?:[2-9]|\d\d+) +\d+\b/m);
    expect(capturing.out).toMatch(/^bybit:tickers +\w+ +\d+ +\d+/m);
    expect(capturing.out).toContain('it ended because it was interrupted');
  });

  it('holds what is asked on demand, and the order book of BTC', () => {
    const lines = linesOf(file);
    const sources = new Set(lines.flatMap(({ venue, source, feed }) => `${venue}:${source ?? feed}`));
    for (const source of onDemand) expect(sources).toContain(source);
  });

  it('holds no key', () => {
    const text = gunzipSync(readFileSync(file)).toString();
    expect(text).toContain('coinalyze');
    expect(text).not.toContain(KEY);
    expect(text).toContain('[removed]');
  });

  it('is accepted by every parser, all of it', async () => {
    const { code, report } = await check(file);
    expect(report.isComplete).toBe(true);
    // A busy machine answers some requests too late, and others are under way when it ends: they have nothing to parse.
    const failed = failuresBySource(linesOf(file));
    const odd = report.sources.filter(
      ({ source, refused, refusedRows, errors }) =>
        refused + refusedRows > 0 || errors > (failed.get(source) ?? 0),
    );
    expect(odd).toEqual([]);
    expect(report.sources.length).toBeGreaterThan(SOURCES_MIN);
    for (const { payloads, accepted } of report.sources) expect(accepted).toBe(payloads);
    expect(code).toBe(0);
  });
});

describe('a capture that differs', () => {
  it('is reported precisely: what is refused and why, new fields and missing ones', async () => {
    const path = changed('changed.ndjson.gz', (line, request, connected) => {
      const text = line.body?.text ?? '';
      if (line.type === 'answer' && request?.venue === 'bybit' && request.source === 'tickers') {
        const renamed = text.replaceAll('"singleOpenInterest":', '"oneSidedInterest":');
        return { ...line, body: { text: renamed } };
      }
      if (line.type === 'answer' && request?.venue === 'gate' && request.source === 'contracts')
        return { ...line, body: { text: '{"rows":[]}' } };
      if (line.type === 'answer' && request?.venue === 'dunamu') return { ...line, status: 403 };
      if (line.type === 'in' && connected?.venue === 'hyperliquid' && connected.feed === 'trades')
        return { ...line, body: { text: text.replaceAll('"side":"B"', '"side":"Buy"') } };
      return line;
    });
    const { code, report } = await check(path);
    expect(code).toBe(1);
    const of = (name: string) => report.sources.find(({ source }) => source === name);
    expect(of('bybit:tickers')).toMatchObject({
      refused: 0,
      newFields: ['result.list[].oneSidedInterest (string)'],
    });
    expect(of('gate:contracts')?.refused).toBe(of('gate:contracts')?.payloads);
    expect(of('dunamu:forex')).toMatchObject({ payloads: 0, refused: 0 });
    expect(of('hyperliquid:trades')?.reasons[0]?.reason).toMatch(/trade\.side is neither B nor A/);
    const refusing = report.sources.filter(({ refused, refusedRows }) => refused + refusedRows > 0);
    // Without Gate's list nothing else of Gate is read; everything else is as it was.
    expect(refusing.map(({ source }) => source)).toEqual(['gate:contracts', 'hyperliquid:trades']);
  });

  it('is a plain message when it is no capture', async () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'hello\n');
    const program = start(['capture', 'check', path]);
    expect(await program.exitCode()).toBe(1);
    expect(program.error).toBe(
      `crosstape: ${path} is not a capture: its first line is not a capture's header\n`,
    );
  });
});

// Without a service: packages/server/src/replay.
if (isLong) {
  describe('a replay', () => {
    it('serves a whole service, whose figures are those that were captured', async () => {
      const replay = start(['replay', file, '--port', '0']);
      const url = await replay.listening();
      const flags = `--port 0 --upstream sim --sim-url ${url} --log error --data ${join(folder, 'data')}`;
      const service = start(flags.split(' '));
      const address = await service.listening();
      expect(service.out).toContain('(upstream: replay, store: ');
      const get = async (path: string) =>
        (await (await fetch(`${address}/api/v1${path}`)).json()) as {
          data: readonly Readonly<Record<string, unknown>>[];
          meta: Readonly<Record<string, unknown>>;
        };
      const [, ...lines] = linesOf(file);
      const endMs = lines.at(-1)?.t ?? 0;
      const position = async () =>
        ((await (await fetch(`${url}/sim`)).json()) as { replay: { nowMs: number } }).replay.nowMs;
      await vi.waitUntil(async () => (await position()) > endMs + 1_000, wait);

      const oi = await get('/perps/oi?coins=BTC');
      expect(oi.meta['source']).toBe('replay:hyperliquid');
      const contexts = answersOf('hyperliquid', 'metaAndAssetCtxs') as readonly {
        t: number;
        body: [{ universe: { name: string }[] }, { openInterest: string }[]];
      }[];
      const newest = contexts.at(-1);
      const i = newest?.body[0].universe.findIndex(({ name }) => name === 'BTC') ?? -1;
      expect(oi.data[0]).toMatchObject({
        coin: 'BTC',
        oiCoin: Number(newest?.body[1][i]?.openInterest),
      });
      // The time is that of the capture, which began to be played again only after it had ended.
      expect(oi.meta['fetchedAt']).toBeLessThan(systemClock.now() - LASTS_MS);

      const sockets = new Set(
        lines
          .filter(({ venue, feed }) => venue === 'hyperliquid' && feed === 'trades')
          .map(({ socket }) => socket),
      );
      const traded = new Map<number, { coin: string; px: string; sz: string; side: string; time: number }>();
      for (const { type, socket, body } of lines) {
        // The greeting is a plain text.
        if (type !== 'in' || !sockets.has(socket) || !body?.text.startsWith('{')) continue;
        const frame = JSON.parse(body.text) as { channel: string; data: readonly never[] };
        if (frame.channel !== 'trades') continue;
        for (const trade of frame.data as readonly {
          coin: string;
          tid: number;
          px: string;
          sz: string;
          side: string;
          time: number;
        }[])
          if (trade.coin === 'BTC') traded.set(trade.tid, trade);
      }
      const readTape = async () =>
        (await get(`/perps/trades/history?coin=BTC&format=json&start=0&end=${endMs + 60_000}`))
          .data as readonly { tid: number; price: number; size: number; side: string }[];
      // Both captured sockets carry all trades: once the service has subscribed, none may be missing.
      const missing = (recorded: readonly { tid: number }[]): readonly number[] => {
        const tids = new Set(recorded.map(({ tid }) => tid));
        const sinceMs = Math.min(...[...tids].map((tid) => traded.get(tid)?.time ?? 0));
        return [...traded].flatMap(([tid, { time }]) => (time > sinceMs && !tids.has(tid) ? [tid] : []));
      };
      await vi.waitFor(async () => expect(missing(await readTape())).toEqual([]), wait);
      const recorded = await readTape();
      expect(recorded.length).toBeGreaterThan(20);
      for (const { tid, price, size, side } of recorded) {
        const { px, sz, side: taker } = traded.get(tid) ?? {};
        expect({ price, size, side }).toEqual({
          price: Number(px),
          size: Number(sz),
          side: taker === 'B' ? 'buy' : 'sell',
        });
      }

      replay.kill('SIGINT');
      expect(await replay.exitCode()).toBe(0);
    });
  });
}
