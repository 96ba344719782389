import { createServer, type RequestListener } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { itLong } from './it-long.ts';
import { isLong } from './long.ts';
import { Program } from './program.ts';
import { SseTail } from './sse-tail.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('serves without network or keys, says where, and drains on SIGTERM', async () => {
  // A closed port stands in for a venue that cannot be reached.
  const program = new Program([
    '--port',
    '0',
    '--data',
    folder,
    '--sim-history-days',
    '0',
    '--hyperliquid-rest-url',
    'http://127.0.0.1:1',
  ]);
  const url = await program.listening();
  expect(program.out).toMatch(
    /^crosstape listening on http:\/\/127\.0\.0\.1:\d+ \(upstream: sim, store: .+\)\n$/,
  );
  expect(program.error).toContain('SIMULATED');
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: 'ok', upstream: 'sim' });
  await vi.waitUntil(async () => (await fetch(`${url}/api/v1/perps/oi`)).status === 200, { timeout: 60_000 });
  const tail = await SseTail.open(`${url}/api/v1/streams/whales?minUsd=0`);
  await vi.waitUntil(() => tail.named('whale').length > 0, { timeout: 60_000 });
  program.kill('SIGTERM');
  expect(await program.exitCode()).toBe(0);
  await vi.waitUntil(() => !tail.isOpen, { timeout: 60_000 });
  expect(tail.events.at(-1)).toMatchObject({ name: 'bye', data: { reason: 'shutdown' } });
});

/** The words themselves: packages/server/src/settings/settings.test.ts. */
const mistakes = [
  [
    ['--prot', '1'],
    {},
    'crosstape: unknown flag --prot; did you mean --port? crosstape help all lists them\n',
  ],
  [['serfe'], {}, 'crosstape: unknown command serfe; did you mean serve? run crosstape help for a list\n'],
  [[], { PORT: 'x' }, 'crosstape: PORT must be a whole number from 0 to 65535, not "x"\n'],
  [['--role', 'ingest'], {}, 'crosstape: --role ingest requires --redis\n'],
  [['sim', '--scenario', 'no-such'], {}, /^crosstape: .*no-such.*\n$/],
  [['sim', '--size', 'huge'], {}, 'crosstape: --size must be one of everyday, real, not "huge"\n'],
  [
    ['sim', '--size', 'real', '--rate', '3'],
    {},
    'crosstape: --rate must be at most 2 with --size real, not 3\n',
  ],
  [['--sim-size', 'huge'], {}, 'crosstape: --sim-size must be one of everyday, real, not "huge"\n'],
] as const;
it.each(isLong ? mistakes : mistakes.slice(0, 1))(
  'ends with one clear line and exit code 2 for %j %j',
  async (args, environment, line) => {
    const program = new Program(args, environment as Record<string, string>);
    expect(await program.exitCode()).toBe(2);
    if (typeof line === 'string') expect(program.error).toBe(line);
    else expect(program.error).toMatch(line);
  },
);

// Without a process: store/data-folder.test.ts, settings/settings.test.ts of the server.
itLong('refuses a data folder of another format in one line', async () => {
  writeFileSync(join(folder, 'format.json'), '{"version":99}');
  const program = new Program(['--port', '0', '--upstream', 'sim', '--data', folder, '--log', 'silent']);
  expect(await program.exitCode()).toBe(1);
  expect(program.error).toMatch(/^crosstape: .*format version 99.*\n$/);
});

itLong('prints its settings with their origin, secrets masked', async () => {
  const program = new Program(['config', '--port', '1'], { COINALYZE_API_KEY: 'hush' });
  expect(await program.exitCode()).toBe(0);
  expect(program.out).toMatch(/--port +PORT +1 +flag\n/);
  expect(program.out).not.toContain('hush');
});

it('runs the simulator alone', async () => {
  const sim = new Program(['sim', '--port', '0', '--seed', '42']);
  const simUrl = await sim.listening();
  expect(await (await fetch(`${simUrl}/sim`)).json()).toMatchObject({ seed: 42, size: 'everyday' });
  sim.kill('SIGTERM');
  expect(await sim.exitCode()).toBe(0);
});

if (isLong) {
  it('runs the simulator for a service elsewhere', async () => {
    const sim = new Program(['sim', '--port', '0', '--seed', '42']);
    const simUrl = await sim.listening();
    const flags = `--port 0 --upstream sim --sim-url ${simUrl} --sim-history-days 0 --log error --data`;
    // An empty variable is as good as none: the default is recorded, the markets of all venues.
    const service = new Program([...flags.split(' '), folder], { RECORD_MARKETS: '' });
    const url = await service.listening();
    expect(service.out).toContain('sim/42)');
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, { timeout: 60_000 });
    const recordedVenues = async (): Promise<number> => {
      const { data } = (await (await fetch(`${url}/api/v1/markets/recorded?coin=BTC`)).json()) as {
        data?: { venue: string; kind: string }[];
      };
      return new Set(data?.map(({ venue, kind }) => `${venue} ${kind}`)).size;
    };
    await vi.waitUntil(async () => (await recordedVenues()) === 14, { timeout: 60_000 });
    service.kill('SIGINT');
    expect(await service.exitCode()).toBe(0);
    sim.kill('SIGTERM');
    expect(await sim.exitCode()).toBe(0);
  });
}

if (isLong) {
  it.each(['get', 'serve', 'sim', 'keys'])('prints the usage of %s in place', async (name) => {
    const program = new Program([name, '--port', '1', '-h']);
    expect(await program.exitCode()).toBe(0);
    expect(program.out).toMatch(new RegExp(`^crosstape ${name}: `));
  });
}

describe('into a pipe', () => {
  async function serving(answer: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  it('a long answer is written to its end', async () => {
    const body = JSON.stringify({ data: 'x'.repeat(4_000_000), meta: {} });
    await serving(
      (_, response) => response.end(body),
      async (url) => {
        const program = new Program(['get', 'perps/oi', '--json', '--url', url]);
        expect(await program.exitCode()).toBe(0);
        expect(program.out.length).toBe(body.length + 1);
      },
    );
  });

  it('whose reader has seen enough, the end is quiet', async () => {
    const trade = { coin: 'BTC', side: 'buy', price: 1, size: 1, notionalUsd: 1, ts: 1 };
    let tid = 0;
    await serving(
      (request, response) => {
        if (request.url === '/healthz') {
          response.end('{"status":"ok"}');
          return;
        }
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        const more = (): void => {
          tid += 1;
          const isGoing = response.write(`event: trade\ndata: ${JSON.stringify({ ...trade, tid })}\n\n`);
          if (isGoing && !response.destroyed) setImmediate(more);
          else response.once('drain', more);
        };
        more();
      },
      async (url) => {
        const program = new Program(['tail', 'trades', 'BTC', '--url', url]);
        await vi.waitUntil(() => program.out !== '', { timeout: 60_000 });
        program.stopReading();
        expect(await program.exitCode()).toBe(0);
        expect(program.error).toBe('connected; waiting for trades of BTC (Ctrl+C stops)\n');
      },
    );
  });

  itLong('whose stderr is not read, a command still ends normally', async () => {
    const program = new Program(['no-such-command']);
    program.stopReading('stderr');
    expect(await program.exitCode()).toBe(2);
  });
});
