import type { Timer, VenueIdentity } from '@crosstape/core';
import type { Static, TObject } from 'typebox';
import { type Attribution, withAttribution } from '../../http/attribution.ts';
import type { Answer } from '../../http/answer.ts';
import type { AnswerCache } from '../../http/answer-cache.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { SerializedJson } from '../../http/endpoint.ts';
import { readBody } from '../../http/read-body.ts';
import { readQuery } from '../../http/read-query.ts';
import type { SocketCaller } from '../../http/gate.ts';
import type { OpenApiDocument } from '../../http/openapi.ts';
import { type Requester, RequestContext } from '../../http/request-context.ts';
import type { Resources } from '../context.ts';
import type { LakeFile } from '../lake/lake-folder.ts';
import { chosenTape } from '../market-tape/chosen-tape.ts';
import type { RotationJob } from '../rotations/rotation-job.ts';
import { Failure } from '../../platform/errors.ts';
import type { Tier } from '../../platform/key-store.ts';
import { tapeOf } from './inputs.ts';

export interface RestMeta {
  readonly fetchedAt: number;
  readonly source: string;
  readonly stale?: boolean;
  readonly partial?: boolean;
  readonly ageMs?: number;
  readonly attribution?: Static<typeof Attribution>;
  readonly [field: string]: unknown;
}

interface RestAnswer<Data> {
  readonly data: Data;
  readonly meta: RestMeta;
}

export type RestQuery = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface RestOptions {
  /** Counts a build like one over HTTP; returns why it is refused. */
  readonly countBuild: (caller: SocketCaller) => Failure | undefined;
  readonly endpoints: readonly Endpoint[];
  readonly answers: AnswerCache;
  readonly resources: Resources;
}

/** The REST interface within the process: the same validation, the same stored answers, the same failures. */
export class Rest {
  readonly #options: RestOptions;
  readonly #requester: Requester;
  readonly #tier: Tier | undefined;
  readonly #signal: AbortSignal | undefined;

  /** Reading stops when `signal` is aborted: the client has gone. */
  constructor(
    options: RestOptions,
    caller: Omit<Requester, 'accept'>,
    { tier, signal }: { readonly tier?: Tier | undefined; readonly signal?: AbortSignal },
  ) {
    this.#options = options;
    this.#requester = { ...caller, accept: 'application/json' };
    this.#tier = tier;
    this.#signal = signal;
  }

  get document(): OpenApiDocument {
    return this.#options.resources.document;
  }

  get nowMs(): number {
    return this.#options.resources.clock.now();
  }

  get venues(): readonly VenueIdentity[] {
    return this.#options.resources.venues;
  }

  /** Coins whose flows are followed. */
  get flowCoins(): readonly string[] {
    return this.#options.resources.flowCoins;
  }

  /** The result of `work`, or a `Failure` when it takes longer than that. */
  async within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = this.#options.resources.clock.after(limitMs, () =>
        reject(new Failure('overloaded', `The call took longer than ${limitMs / 1_000} seconds.`)),
      );
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      timer?.cancel();
    }
  }

  /** Throws the `Failure` that the endpoint would answer with. */
  async get<Data>(path: string, query: RestQuery = {}): Promise<RestAnswer<Data>> {
    if (this.#signal?.aborted) throw new Failure('overloaded', 'The client has gone.');
    const endpoint = this.#endpoint('GET', path);
    if (endpoint.cacheSeconds > 0) {
      const { parts } = await this.answer(path, query);
      return JSON.parse(parts.body.toString()) as RestAnswer<Data>;
    }
    return this.#make(endpoint, this.#valuesOf(endpoint, query), {});
  }

  /** The cached answer itself, which may be too large to be parsed on the event loop. Throws as `get` does. */
  answer(path: string, query: RestQuery): Promise<Answer> {
    const endpoint = this.#endpoint('GET', path);
    const values = this.#valuesOf(endpoint, query);
    const key = `${endpoint.path} ${JSON.stringify(values)}`;
    return this.#options.answers.answer(key, endpoint, values, this.#requester.address);
  }

  #valuesOf(endpoint: Endpoint, query: RestQuery) {
    return readQuery(endpoint.query, searchOf(query), this.#options.resources.venues);
  }

  /** Submits a build of bars, at its cost in the quota. */
  build<Data>(body: object): Promise<RestAnswer<Data>> {
    const { caller, address } = this.#requester;
    const tier = this.#tier;
    const refusal = this.#options.countBuild({ caller, address, ...(tier && { tier }) });
    if (refusal) throw refusal;
    const endpoint = this.#endpoint('POST', '/perps/rotations/build');
    const values = readQuery(endpoint.query, '', this.#options.resources.venues);
    return this.#make(endpoint, values, readBody(endpoint.body as TObject, body));
  }

  /** State of a build when it has ended, or after a time. */
  async ended(jobId: string, waitMs: number): Promise<RotationJob> {
    const { rotations, clock } = this.#options.resources;
    const signal = this.#signal;
    await new Promise<void>((resolve, reject) => {
      const timer = clock.after(waitMs, finish);
      const leave = rotations.watch(jobId, finishIfEnded);
      signal?.addEventListener('abort', finish);
      function finish(): void {
        timer.cancel();
        signal?.removeEventListener('abort', finish);
        leave();
        resolve();
      }
      function finishIfEnded(job: RotationJob | undefined): void {
        if (job?.status !== 'queued' && job?.status !== 'running') finish();
      }
      rotations.job(jobId).then(finishIfEnded, reject);
    });
    const job = await rotations.job(jobId);
    if (!job) throw new Failure('not_found', `There is no build ${jobId}.`);
    return job;
  }

  /** Files of the lake, by key. */
  get lakeFiles(): readonly LakeFile[] {
    return this.#options.resources.lake?.files ?? [];
  }

  /** Under which name changes of a market's tape are published. Throws a `Failure` for an unknown market. */
  async tapeName(market: string): Promise<string> {
    const context = new RequestContext(this.#options.resources, this.#requester);
    const { coin, secondary } = await chosenTape(context, tapeOf(market).query);
    return secondary ? secondary.market.id : coin;
  }

  #endpoint(method: string, path: string): Endpoint {
    const found = this.#options.endpoints.find((one) => one.path === path && one.method === method);
    if (!found) throw new Error(`there is no endpoint ${method} ${path}`);
    return found;
  }

  async #make<Data>(
    endpoint: Endpoint,
    values: Parameters<Endpoint['handle']>[0],
    body: Readonly<Record<string, unknown>>,
  ): Promise<RestAnswer<Data>> {
    const context = new RequestContext(this.#options.resources, this.#requester);
    const reply = await endpoint.handle(values, context, body);
    if ('blob' in reply) throw new Error(`${endpoint.path} does not answer with JSON`);
    const data =
      reply.data instanceof SerializedJson ? JSON.parse(Buffer.from(reply.data.json).toString()) : reply.data;
    return { data: data as Data, meta: withAttribution(reply, this.#options.resources).meta };
  }
}

function searchOf(query: RestQuery): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}
