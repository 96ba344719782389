/**
 * Processor time of a range of a lake file, against a plain server that streams the same range. Server, plain server and
 * clients are separate processes and take turns; each round starts them again, and medians are compared.
 *
 *     npm run bench:lake
 */
import { createHash, randomFillSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load } from './http-load.ts';
import { answer, judge, median, start } from './part.ts';

const FILE_BYTES = 64 * 2 ** 20;
/** About a column of a row group. */
const RANGE_BYTES = 2 ** 19;
const REQUESTS = 600;
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const TURNS = 3;
const RATIO_MAX = 1.3;
const key = 'trades/venue=hyperliquid/symbol=BTC/date=2026-11-09/part-0.parquet';

const folder = await mkdtemp(join(tmpdir(), 'crosstape-bench-ranges-'));
const body = randomFillSync(Buffer.alloc(FILE_BYTES));
await mkdir(dirname(join(folder, key)), { recursive: true });
await writeFile(join(folder, key), body);
const hash = (name: string): string => createHash(name).update(body).digest('hex');
const times = { minTs: 0, maxTs: 1, madeAtMs: 0 };
const facts = { rows: 1, complete: true, market: 'hyperliquid:BTC', coin: 'BTC', ...times };
const file = { key, bytes: FILE_BYTES, sha256: hash('sha256'), md5: hash('md5'), ...facts };
await writeFile(join(folder, 'manifest.json'), JSON.stringify({ version: 1, files: [file] }));

const ratios: number[] = [];
try {
  for (let round = 0; round < ROUNDS; round += 1) {
    const servers = ['bare', 'service'].map((kind) => start('lake-ranges-subject.ts', folder, key, kind));
    const ports = await Promise.all(
      servers.map(async (child) => (await answer<{ port: number }>(child)).port),
    );
    const costs: [number[], number[]] = [[], []];
    for (let turn = 0; turn <= TURNS; turn += 1)
      for (const [i, child] of servers.entries()) {
        const usage = async (): Promise<number> => {
          child.send('usage');
          return (await answer<{ cpuUs: number }>(child)).cpuUs;
        };
        const before = await usage();
        await load({
          port: ports[i] ?? 0,
          path: `/lake/${key}`,
          acceptEncoding: 'identity',
          headers: { Range: `bytes=${RANGE_BYTES}-${2 * RANGE_BYTES - 1}` },
          connections: 8,
          requests: REQUESTS,
        });
        // The first turn warms both up.
        if (turn > 0) costs[i as 0 | 1].push(((await usage()) - before) / REQUESTS);
      }
    const [bare, service] = [median(costs[0]), median(costs[1])];
    ratios.push(service / bare);
    console.log(
      `a range of ${RANGE_BYTES} bytes: plain ${bare.toFixed(0)} µs, lake ${service.toFixed(0)} µs`,
    );
    for (const child of servers) child.disconnect();
  }
} finally {
  await rm(folder, { recursive: true });
}
judge('a range of a lake file, against a plain stream', median(ratios), RATIO_MAX);
