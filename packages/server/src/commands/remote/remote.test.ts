import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { allPublishers } from '@crosstape/venues';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fewCoins } from '../../../../../test/world-coins.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { readSettings, UsageError } from '../../settings/read-settings.ts';
import { type Service, startService } from '../../service.ts';
import { commands } from '../index.ts';
import { mcpAddress } from './mcp.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** The sources that the commands use. */
const sources = ['hyperliquid', 'binance', 'okx'];
const wait = { timeout: 60_000, interval: 100 };

let folder: string;
let simulator: Simulator;
let service: Service;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  const market = { seed: 3, rate: 8, coins: fewCoins, sources };
  simulator = await startSimulator({ port: 0, clock: systemClock, ...market });
  const flags = `--port 0 --upstream sim --sim-url ${simulator.url} --sim-history-days 0 --backfill off --quota off`;
  const { settings } = readSettings(
    [...flags.split(' '), '--data', folder],
    { RECORD_MARKETS: 'primary' },
    allPublishers,
  );
  service = await startService({ settings: { ...settings, sources }, log: quiet });
  await vi.waitUntil(async () => (await fetch(`${service.url}/readyz`)).status === 200, wait);
  const history = `${service.url}/api/v1/perps/trades/history?coin=BTC&format=json`;
  const count = async () => ((await (await fetch(history)).json()) as { data: unknown[] }).data.length;
  await vi.waitUntil(async () => (await count()) > 40, wait);
});

afterAll(async () => {
  await service.stop();
  await simulator.close();
  rmSync(folder, { recursive: true });
});

/** A running command: its output so far, and a way to stop it. */
class Run {
  out = '';
  error = '';
  readonly code: Promise<number>;
  readonly #stop = new AbortController();

  constructor([name, ...args]: readonly string[], screen: Partial<WriteStream> = {}) {
    const stdout = Object.assign(new PassThrough(), screen);
    stdout.on('data', (part: Buffer) => {
      this.out += part.toString();
    });
    const command = commands.find((one) => one.name === name);
    if (!command) throw new Error(`there is no command ${name}`);
    const ending = command.run(args, {
      environment: { CROSSTAPE_URL: service.url },
      out: (text) => void stdout.write(`${text}\n`),
      error: (text) => {
        this.error += `${text}\n`;
      },
      stdout: stdout as unknown as WriteStream,
      stderr: new PassThrough() as unknown as WriteStream,
      stopSignal: async () => {
        await once(this.#stop.signal, 'abort');
        return 'SIGTERM';
      },
    });
    this.code = ending.catch((reason: Error) => {
      this.error += `crosstape: ${reason.message}\n`;
      return reason instanceof UsageError ? 2 : 1;
    });
  }

  stop(): void {
    this.#stop.abort();
  }
}

async function run(...args: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const running = new Run(args);
  const code = await running.code;
  return { code, out: running.out, error: running.error };
}

describe('crosstape get', () => {
  it('prints records as a table, with times as times', async () => {
    const { code, out } = await run('get', 'perps/oi', '--coins', 'BTC,ETH');
    expect(code).toBe(0);
    const [head, ...lines] = out.trimEnd().split('\n');
    expect(head).toMatch(/^coin +venue +oiUsd +oiContracts +fetchedAt/);
    expect(lines.map((line) => line.split(/ +/)[0])).toEqual(['BTC', 'ETH']);
    expect(lines[0]).toMatch(/\d{4}-\d\d-\d\dT[\d:.]+Z/);
  });

  it('passes the answer through as JSON, and takes flags in either spelling', async () => {
    const { code, out } = await run('get', '/perps/whales', '--min-usd=5000', '--limit', '3', '--json');
    expect(code).toBe(0);
    const { data, meta } = JSON.parse(out) as { data: { notionalUsd: number }[]; meta: object };
    expect(data.length).toBeLessThanOrEqual(3);
    expect(data.every(({ notionalUsd }) => notionalUsd >= 5_000)).toBe(true);
    expect(meta).toMatchObject({ source: 'sim:hyperliquid' });
  });

  it('prints the warnings of an answer on stderr', async () => {
    const { code, out, error } = await run('get', 'perps/oi', '--coins', 'BTC,NOSUCH');
    expect(code).toBe(0);
    expect(out).toContain('BTC');
    expect(error).toBe('unknown: ["NOSUCH"]\n');
  });

  it('asks for several values of one parameter', async () => {
    const venues = ['--exchange', 'binance', '--exchange', 'okx'];
    const { code, out, error } = await run('get', 'points', '--type', 'OI_AGG', ...venues, '--coins', 'BTC');
    expect(code, error).toBe(0);
    expect(out).toMatch(/binance/);
    expect(out).toMatch(/okx/);
  });

  it('prints what has no envelope as it is', async () => {
    const { code, out } = await run('get', 'openapi');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ openapi: expect.any(String) as string });
  });

  it.each([
    [
      ['get', 'streams/trades', '--coin', 'BTC'],
      2,
      /^crosstape: streams\/trades is an endless stream.*help tail/,
    ],
    [['help', 'nope'], 2, 'crosstape: unknown command nope; run crosstape help for a list\n'],
    [['tail', 'trades', 'BTC', '--min-usd', '1', '--min-usd', '2'], 2, /--min-usd was given twice/],
    [['build', 'BTC', 'tick', '--degraded', 'yes'], 2, /--degraded must be true or false, not "yes"/],
    [['get'], 2, 'crosstape: get needs a path; see crosstape help get\n'],
    [['get', 'perps/oi', '--coins'], 2, 'crosstape: --coins needs a value\n'],
    [
      ['get', 'perps/oi', '--url', 'ftp://x'],
      2,
      'crosstape: --url must be an http or https address, not "ftp://x"\n',
    ],
    [['get', 'perps/oi', '--coin', 'BTC'], 1, /^crosstape: .*`coin`/],
    [['get', 'no/such'], 1, /^crosstape: .*no\/such/],
    [
      ['tail', 'trades', 'BTC', '--url', 'http://127.0.0.1:1'],
      1,
      /^crosstape: .*127\.0\.0\.1:1 cannot be reached/,
    ],
    [['tail'], 2, /^crosstape: tail needs one of trades, whales, funding/],
    [['build', 'BTC'], 2, /^crosstape: build needs a coin or --market, and a kind/],
    [['build', 'BTC', 'range'], 1, /^crosstape: .*rangeTicks/],
    [['build', '--market', 'okx:BTC-USDT-SWAP'], 2, /^crosstape: build needs a coin or --market, and a kind/],
    [['build', '--market', 'okx:BTC-USDT-SWAP', 'BTC', 'tick'], 2, /^crosstape: unexpected argument tick/],
    [['build', '--market', 'okx:NO-SUCH', 'tick', '--trades', '5'], 1, /okx:NO-SUCH is not recorded/],
    [['build', '--market', 'nowhere:BTC', 'tick', '--trades', '5'], 1, /nowhere is not a venue/],
    [
      ['build', 'BTC', 'tick', '--format', 'xls'],
      2,
      /^crosstape: --format must be one of csv, ndjson, json, parquet/,
    ],
  ] as const)('ends with one clear line for %j', async (args, code, line) => {
    const ended = await run(...args);
    expect(ended).toMatchObject({ code, out: '' });
    if (typeof line === 'string') expect(ended.error).toBe(line);
    else expect(ended.error).toMatch(line);
    expect(ended.error.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('crosstape top', () => {
  it('prints one frame when piped, and names unknown coins', async () => {
    const { code, out } = await run('top', '--coins', 'btc,NOSUCH', '--min-usd', '1000');
    expect(code).toBe(0);
    expect(out).toContain('sim:hyperliquid');
    expect(out).toContain('! not known here: NOSUCH');
    expect(out).toMatch(/^BTC +[\d,.]+ +\d+\.\d s .*bn USD$/m);
    expect(out).toContain('Orders of 1.00k USD and more');
    expect(out).not.toContain('\u001B');
  });

  it('continues drawing on a terminal until it is stopped, and leaves it as it was', async () => {
    const program = new Run(['top', '--coins', 'BTC'], { isTTY: true, columns: 100, rows: 20 });
    await vi.waitUntil(() => /BTC +[\d,.]+ +\d+\.\d s/.test(program.out), wait);
    expect(program.out.startsWith('\u001B[?1049h')).toBe(true);
    program.stop();
    expect(await program.code).toBe(0);
    expect(program.out.endsWith('\u001B[?1049l')).toBe(true);
  });

  it.each([
    [['top', '--coins', 'BTC,,ETH'], /--coins takes 1 to 20 tickers/],
    [['top', '--min-usd', 'many'], /--min-usd must be a number above 0, not "many"/],
    [['top', 'BTC'], /top does not take BTC/],
    [['top', '--depth', '3'], /top does not take --depth/],
  ] as const)('refuses %j', async (args, line) => {
    const { code, error } = await run(...args);
    expect(code).toBe(2);
    expect(error).toMatch(line);
  });
});

describe('crosstape tail', () => {
  it('prints trades as they happen until it is stopped', async () => {
    const program = new Run(['tail', 'trades', 'btc', '--json']);
    await vi.waitUntil(() => program.out.split('\n').length > 5, { timeout: 60_000 });
    program.stop();
    expect(await program.code).toBe(0);
    const trades = program.out.trimEnd().split('\n').slice(0, 5);
    for (const line of trades) expect(JSON.parse(line)).toMatchObject({ coin: 'BTC', venue: 'hyperliquid' });
    expect(program.error).toBe('connected; waiting for trades of btc (Ctrl+C stops)\n');
  });

  it('prints lines for people without colours into a pipe', async () => {
    const program = new Run(['tail', 'trades', 'BTC', '--min-usd', '1']);
    await vi.waitUntil(() => program.out.includes('\n'), { timeout: 60_000 });
    program.stop();
    await program.code;
    expect(program.out.split('\n')[0]).toMatch(/^\S+Z {2}BTC +(buy|sell) +[\d.]+ +[\d.]+ +[\d,]+ USD$/);
  });
});

describe('crosstape build', () => {
  it('writes the same bars as csv to a pipe and as parquet to a file', async () => {
    const spec = ['build', 'BTC', 'tick', '--trades', '5', '--days', '0.5'];
    const file = join(folder, 'bars.parquet');
    const csv = await run(...spec);
    const named = await run('build', '--market', 'hl:btc', ...spec.slice(2));
    expect(named.out.slice(0, 60)).toBe(csv.out.slice(0, 60));
    const parquet = await run(...spec, '--out', file);
    expect(csv.code, csv.error).toBe(0);
    expect(parquet.error).toMatch(/^\d+ bars from \d+ trades in .*bars\.parquet\n/);
    const [head = '', ...lines] = csv.out.trimEnd().split('\n');
    expect(head.split(',').slice(0, 4)).toEqual(['index', 'openTs', 'closeTs', 'open']);
    const bytes = readFileSync(file);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    });
    expect(rows.map((row) => Object.values(row).join(','))).toEqual(lines);
    expect(lines.length).toBeGreaterThan(5);
    expect([rows[0]?.openTs, rows[0]?.trades, rows[0]?.open].map((value) => typeof value)).toEqual([
      'bigint',
      'bigint',
      'number',
    ]);
  });

  it('writes the head of a table without a bar in it', async () => {
    const { code, out } = await run('build', 'BTC', 'tick', '--trades', '1000000', '--days', '0.5');
    expect(code).toBe(0);
    expect(out).toMatch(/^index,openTs,[^\n]*complete[^\n]*\n$/);
  });
});

describe('crosstape mcp', () => {
  it.each([
    ['https://tape.example.org', 'https://tape.example.org/mcp'],
    ['https://example.org/tape', 'https://example.org/tape/mcp'],
    ['https://example.org/tape/', 'https://example.org/tape/mcp'],
  ])('of %s posts to %s', (url, address) => {
    expect(mcpAddress(url).href).toBe(address);
  });
});
