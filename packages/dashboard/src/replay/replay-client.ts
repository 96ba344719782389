import {
  type AnswerOf,
  type AskArgs,
  type AskOptions,
  type ChannelName,
  Client,
  type ClientOptions,
  type Cursor,
  type FollowOptions,
  GatewayError,
  type GetPath,
  type ParamsOf,
  type PostAnswerOf,
  type PostBodyOf,
  type PostPath,
  type QueryOf,
  type SocketItem,
  type TickPage,
  type TickRange,
} from '@crosstape/client';
import { candleIntervalsMs, intervalStart } from '@crosstape/client/bars';
import { KeptAnswers } from './kept-answers.ts';
import { recordedFootprints } from './recorded-footprints.ts';
import { recordedSamples } from './recorded-samples.ts';
import { recordedTrades } from './recorded-trades.ts';
import { type RecordedWindows, tapeName } from './recorded-windows.ts';
import type { ReplayClock } from './replay-clock.ts';

const DAY_MS = 86_400_000;
/** At high speeds nothing is requested again sooner than this. */
const AGAIN_MIN_MS = 10_000;
/** Candles are final this long after they closed. */
const SETTLED_MS = 300_000;
/** Up to this long, a past is read in windows, which are then played on. */
const WINDOWED_MAX_MS = 600_000;

/**
 * The service as it was at the time of a replay: the interface of the live client, so that the same code makes charts,
 * tape and footprints of it. Nothing later than that time is ever returned.
 */
export class ReplayClient extends Client {
  readonly #clock: ReplayClock;
  readonly #windows: RecordedWindows;
  readonly #answers: KeptAnswers;

  constructor(
    options: ClientOptions,
    clock: ReplayClock,
    windows: RecordedWindows,
    answers = new KeptAnswers(),
  ) {
    super(options);
    this.#clock = clock;
    this.#windows = windows;
    this.#answers = answers;
  }

  override now(): number {
    return this.#clock.now();
  }

  /** At most as long as live; at high speeds shorter. */
  override async wait(delayMs: number, options: AskOptions = {}): Promise<void> {
    if (delayMs <= AGAIN_MIN_MS) return super.wait(delayMs, options);
    const untilMs = this.now() + delayMs;
    for (let leftMs = delayMs; leftMs > 0 && this.now() < untilMs; leftMs -= AGAIN_MIN_MS)
      await super.wait(Math.min(leftMs, AGAIN_MIN_MS), options);
  }

  override async get<Path extends GetPath>(
    path: Path,
    ...[query, options]: AskArgs<QueryOf<Path>, AskOptions>
  ): Promise<AnswerOf<Path>> {
    const asOf = this.#asOf(path, { ...(query as object) });
    const args = [asOf, options] as unknown as AskArgs<QueryOf<Path>, AskOptions>;
    const load = (): Promise<AnswerOf<Path>> => super.get(path, ...args);
    const isOver = path === '/candles' && (asOf.end as number) < this.#clock.endMs - SETTLED_MS;
    const answer = await (isOver ? this.#answers.get(JSON.stringify([path, asOf]), load) : load());
    return withoutFuture(answer, this.now());
  }

  override post<Path extends PostPath>(
    path: Path,
    body: PostBodyOf<Path>,
    options: AskOptions = {},
  ): Promise<PostAnswerOf<Path>> {
    if (path !== '/perps/rotations/build') return super.post(path, body, options);
    const { days = 1, ...spec } = body as PostBodyOf<'/perps/rotations/build'>;
    const to = this.now() + 1;
    const asOf = { ...spec, from: to - Math.round(days * DAY_MS), to, degraded: false };
    return super.post(path, asOf as PostBodyOf<Path>, options);
  }

  override async *ticks(
    coin: string,
    { start = this.now() - DAY_MS, end = Infinity, ...range }: TickRange = {},
    options: AskOptions = {},
  ): AsyncGenerator<TickPage, void> {
    const until = Math.min(end, this.now() + 1);
    if (start >= until) return;
    if (until - start > WINDOWED_MAX_MS || range.recv)
      yield* super.ticks(coin, { ...range, start, end: until }, options);
    else yield* this.#windows.between(tapeName(coin, range.market), start, until);
  }

  override async *followBatches<Channel extends ChannelName>(
    channel: Channel,
    symbol: string,
    params?: ParamsOf<Channel>,
    { signal }: FollowOptions = {},
  ): AsyncGenerator<readonly SocketItem<Channel>[], void, undefined> {
    const given = { ...params } as ParamsOf<'footprint'> & { readonly since?: Cursor };
    // A market is followed by its id or by its coin, as live.
    const name = tapeName(symbol, given.market);
    const options = { clock: this.#clock, windows: this.#windows, name, signal };
    const since = given.since ?? { ts: this.now(), count: 0 };
    if (channel === 'trades')
      yield* recordedTrades({ ...options, since }) as AsyncGenerator<readonly SocketItem<Channel>[]>;
    else if (channel === 'footprint')
      yield* recordedFootprints({ ...options, interval: given.interval }) as AsyncGenerator<
        readonly SocketItem<Channel>[]
      >;
    else if (channel === 'openInterest' || channel === 'funding')
      yield* recordedSamples({
        channel,
        coin: symbol,
        clock: this.#clock,
        client: this.#windows.client,
        signal,
      }) as AsyncGenerator<readonly SocketItem<Channel>[]>;
    else throw new GatewayError('not_recorded', `The channel ${channel} is not recorded.`);
  }

  /** A query that asks for nothing after the time of the replay; of candles and deltas for none that was still growing. */
  #asOf(path: GetPath, query: Record<string, unknown>): Record<string, unknown> {
    const isOfIntervals = path === '/candles' || path === '/flows/cvd';
    if (!isOfIntervals && path !== '/perps/liquidations/events') return query;
    const interval = (query.interval ?? '1m') as keyof typeof candleIntervalsMs;
    const untilMs = isOfIntervals ? intervalStart(this.now(), candleIntervalsMs[interval]) : this.now() + 1;
    const end = Math.min((query.end as number | undefined) ?? Infinity, untilMs);
    const start = query.start as number | undefined;
    return { ...query, end, ...(start !== undefined && { start: Math.min(start, end - 1) }) };
  }
}

/** An answer of recorded samples, up to a time; any other as it is. */
function withoutFuture<Answer>(answer: Answer, nowMs: number): Answer {
  const { data } = answer as { readonly data?: { readonly points?: readonly { t?: number; ts?: number }[] } };
  if (!data?.points) return answer;
  const points = data.points.filter(({ t, ts }) => (t ?? ts ?? 0) <= nowMs);
  return { ...answer, data: { ...data, points } };
}
