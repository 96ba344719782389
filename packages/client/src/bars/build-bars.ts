import { decodePack, type ResultPack } from '@crosstape/core';
import type { PostBodyOf, Schemas } from '../api-types.ts';
import type { RequestOptions, Client } from '../client.ts';
import { gunzip } from '../gunzip.ts';

/** What to build: coin, kind, params, days and so on, as in the API. */
export type BuildSpec = PostBodyOf<'/perps/rotations/build'>;

export interface BuildOptions extends RequestOptions {
  /** Called after each poll of the job. */
  readonly onProgress?: (job: Schemas['RotationJob']) => void;
}

/** A build that failed, with its reason. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}

const LOOK_FIRST_MS = 50;
const LOOK_EVERY_MS = 2_000;

/** Builds bars from recorded ticks on the service, and waits for them. */
export async function buildBars(
  client: Client,
  spec: BuildSpec,
  { onProgress, ...options }: BuildOptions = {},
): Promise<ResultPack> {
  const { data: build } = await client.post('/perps/rotations/build', spec, options);
  for (let delayMs = LOOK_FIRST_MS; ; delayMs = Math.min(delayMs * 2, LOOK_EVERY_MS)) {
    const { data: job } = await client.get('/perps/rotations/job', { id: build.jobId }, options);
    onProgress?.(job);
    if (job.status === 'error') throw new BuildFailed(job.error ?? 'The service gave no reason.');
    if (job.status === 'done') break;
    await client.wait(delayMs, options);
  }
  return readBars(client, build.cacheKey, options);
}

/** The result of a finished build: bars in columns, the bar in progress, and the state to continue from. */
export async function readBars(
  client: Client,
  key: string,
  options: RequestOptions = {},
): Promise<ResultPack> {
  return decodePack(await gunzip(await client.result(key, options)));
}
