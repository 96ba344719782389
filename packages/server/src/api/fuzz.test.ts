import { type IncomingMessage, request as httpRequest } from 'node:http';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { seededRandom } from '@crosstape/core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type FuzzRequest, fuzzRequests } from './testing/fuzz-requests.ts';
import { publishSampleFlows, sampleFlowHistory } from './testing/sample-flows.ts';
import {
  publishSampleMarket,
  publishSamplePositioning,
  sampleHistories,
  samplePrints,
} from './testing/sample-market.ts';
import { publishSampleOnchain } from './testing/sample-onchain.ts';
import { publishSampleOptions } from './testing/sample-options.ts';
import { publishSamplePrediction, sampleTokenId } from './testing/sample-prediction.ts';
import { buildSampleBars, recordSampleTape } from './testing/sample-tape.ts';
import { startTestApi, type TestApi } from './testing/test-api.ts';
import { BASE_PATH } from '../http/route.ts';

/** `FUZZ_SEED` repeats a run. */
const seed = Number(process.env.FUZZ_SEED ?? 9);
const REQUESTS = process.env.LONG ? 50_000 : 300;
const AT_A_TIME = 25;
/**
 * Allowed heap growth between middle and end: in a long run some hundred bytes per request, in a short one what fills
 * up once.
 */
const GROWTH_BYTES_MAX = 8 * 2 ** 20;

let api: TestApi;
let known: readonly string[];
/** Count of each status, and an example request. */
const statuses = new Map<number, number>();
const asked = new Set<string>();

beforeAll(async () => {
  api = await startTestApi({
    prints: samplePrints,
    hasTape: true,
    histories: sampleHistories,
    flowHistory: sampleFlowHistory,
  });
  publishAll();
  await recordSampleTape(api);
  publishSampleFlows(api);
  const { jobId, cacheKey } = await buildSampleBars(api);
  known = [
    'BTC',
    'eth',
    'SOL',
    'kPEPE',
    'PEPE',
    'NOPE',
    jobId,
    cacheKey,
    sampleTokenId,
    'rangeTicks',
    'intervalMs',
  ];
});
afterAll(() => api.close());

/** Publishes all data, as of now. */
function publishAll(): void {
  publishSampleMarket(api);
  publishSamplePositioning(api);
  publishSampleOptions(api);
  publishSampleOnchain(api);
  publishSamplePrediction(api);
}

/** Sends a request; returns what failed, if anything. */
async function send({ method, path, search, headers, body }: FuzzRequest): Promise<string | undefined> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = { host: '127.0.0.1', port: api.port, path: `${BASE_PATH}${path}${search}` };
    // Node sends the length of a body by itself only with some methods.
    const all = body === undefined ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) };
    httpRequest({ ...url, method, headers: all, agent: false }, resolve)
      .on('error', reject)
      .end(body);
  });
  const status = response.statusCode ?? 0;
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const contentType = response.headers['content-type'];
  if (status === 200 && contentType?.startsWith('text/event-stream')) {
    response.destroy();
    return undefined;
  }
  const raw = Buffer.concat(await response.toArray());
  if (status === 500) return `${raw.toString()} ${inspect(api.errors.at(-1))}`;
  if (raw.length === 0 || status < 200) return undefined;
  const encoding = response.headers['content-encoding'];
  const plain = encoding === 'br' ? brotliDecompressSync(raw) : encoding === 'gzip' ? gunzipSync(raw) : raw;
  const isJson = contentType?.startsWith('application/json') === true;
  const value: unknown = isJson ? JSON.parse(plain.toString()) : plain.toString('latin1');
  try {
    // Too large to be read as far as its address.
    if (status === 431) api.contract.checkResource('Failure', value);
    else api.contract.checkAnswer(method, path, { status, contentType, body: value });
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

function shown(request: FuzzRequest): string {
  return JSON.stringify(request).slice(0, 500);
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it(
  `answers ${REQUESTS} requests made from its own document, valid and mutated, as the document says`,
  async () => {
    const next = fuzzRequests({ document: api.document, random: seededRandom(seed), known });
    let middleBytes = 0;
    for (let sent = 0; sent < REQUESTS; sent += AT_A_TIME) {
      if (sent === REQUESTS / 2) middleBytes = heapBytes();
      publishAll();
      const pending = new Set(Array.from({ length: AT_A_TIME }, () => next()));
      const answers = Promise.all(
        [...pending].map(async (request) => {
          const problem = await send(request).catch((error: unknown) => String(error));
          pending.delete(request);
          asked.add(request.path);
          return problem === undefined ? undefined : `${shown(request)}: ${problem}`;
        }),
      );
      // Requests that wait for missing tables wait by the clock.
      await vi
        .waitUntil(
          () => {
            if (pending.size > 0) api.clock.advance(50);
            return pending.size === 0;
          },
          { timeout: 60_000, interval: 2 },
        )
        .catch(() => expect.fail(`never answered: ${[...pending].map(shown).join('; ')}`));
      expect((await answers).filter((problem) => problem !== undefined)).toEqual([]);
    }
    expect(api.errors).toEqual([]);
    const paths = Object.keys((api.document as { paths: object }).paths);
    expect(paths.filter((path) => !asked.has(path))).toEqual([]);
    // Both valid and invalid requests were sent.
    for (const status of [200, 400]) expect(statuses.get(status)).toBeGreaterThan(REQUESTS / 5);
    expect(heapBytes() - middleBytes).toBeLessThan(GROWTH_BYTES_MAX);
  },
  process.env.LONG ? 3_600_000 : 600_000,
);
