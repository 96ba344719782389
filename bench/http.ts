import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { cpuUsPerRequest, type MeasuredServer, startServer } from './http-load.ts';
import { median } from './part.ts';

/**
 * The cost of a cached answer: processor time per request of the whole service on `/perps/oi` (full universe, every
 * header, quota counted) against a bare `node:http` server that sends the same headers and bytes. The two take turns,
 * so that a slower machine slows both; medians are compared.
 */
const path = '/api/v1/perps/oi';
const connections = 32;
const rounds = Number(process.env.ROUNDS ?? 5);
const requests = Number(process.env.REQUESTS ?? 40_000);
/** Turns that the two take within a round. */
const TURNS = 3;

/** Microseconds of processor time per request. */
function measure(server: MeasuredServer, acceptEncoding: string, count: number): Promise<number> {
  return cpuUsPerRequest(server, { path, acceptEncoding, connections, requests: count });
}

interface Sample {
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** An answer as the service gives it, without the headers that Node adds by itself. */
async function sampleOf({ port }: MeasuredServer, acceptEncoding: string): Promise<Sample> {
  const question = request({ port, path, host: '127.0.0.1', headers: { 'Accept-Encoding': acceptEncoding } });
  question.end();
  const [response] = (await once(question, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray());
  const own = new Set(['date', 'connection', 'keep-alive']);
  const headers: string[] = [];
  for (let i = 0; i + 1 < response.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = response.rawHeaders.slice(i, i + 2);
    if (!own.has(name.toLowerCase())) headers.push(name, value);
  }
  return { headers, body };
}

/** Each round starts its own processes: memory layout at the start changes the result by a tenth or more, on either side. */
async function round(acceptEncoding: string): Promise<{ sample: Sample; bare: number; service: number }> {
  const subject = await startServer('http-subject.mjs');
  const sample = await sampleOf(subject, acceptEncoding);
  const baseline = await startServer('http-baseline.mjs', [
    JSON.stringify(sample.headers),
    sample.body.toString('base64'),
  ]);
  const turns = { bare: [] as number[], service: [] as number[] };
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const bare = await measure(baseline, acceptEncoding, requests / TURNS);
    const service = await measure(subject, acceptEncoding, requests / TURNS);
    // The first turn warms both up.
    if (turn === 0) continue;
    turns.bare.push(bare);
    turns.service.push(service);
  }
  baseline.child.disconnect();
  subject.child.disconnect();
  return { sample, bare: median(turns.bare), service: median(turns.service) };
}

const ratios: number[] = [];
for (const acceptEncoding of ['br, gzip', 'identity']) {
  const done: Awaited<ReturnType<typeof round>>[] = [];
  while (done.length < rounds) done.push(await round(acceptEncoding));
  const costs = { bare: done.map(({ bare }) => bare), service: done.map(({ service }) => service) };
  const ratio = median(costs.service) / median(costs.bare);
  ratios.push(ratio);
  const { body, headers } = (done[0] as (typeof done)[number]).sample;
  console.log(`\nAccept-Encoding: ${acceptEncoding} (${body.length} bytes, ${headers.length / 2} headers)`);
  console.table(
    Object.fromEntries(
      Object.entries(costs).map(([name, values]) => [
        name,
        {
          'median µs/request': median(values).toFixed(2),
          rounds: values.map((value) => value.toFixed(1)).join(' '),
        },
      ]),
    ),
  );
  console.log(`ratio ${ratio.toFixed(3)} (at most 1.3; goal 1.05)`);
}
if (ratios.some((ratio) => ratio > 1.3)) process.exitCode = 1;
