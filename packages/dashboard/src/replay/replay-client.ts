import {
  type AnswerOf,
  type RequestArgs,
  type RequestOptions,
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
import { isAggregate } from '../format/aggregates.ts';
import { joinCandles, joinPoints, partsOf } from './interval-in-progress.ts';
import { KeptAnswers } from './kept-answers.ts';
import { minuteInProgress } from './minute-in-progress.ts';
import { recordedFootprints } from './recorded-footprints.ts';
import { recordedSamples } from './recorded-samples.ts';
import { recordedTrades } from './recorded-trades.ts';
import { type RecordedWindows, tapeName } from './recorded-windows.ts';
import type { ReplayClock } from './replay-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Minimum interval of polls, at high speeds. */
const AGAIN_MIN_MS = 10_000;
/** Candles are final this long after they closed. */
const SETTLED_MS = 300_000;
/** Up to this long, a past is read in windows, which are then played on. */
const WINDOWED_MAX_MS = 600_000;

/**
 * The service at the time of a replay: the interface of the live client, so that the same code makes charts, tape and
 * footprints. Nothing later than that time is ever returned.
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
  override async wait(delayMs: number, options: RequestOptions = {}): Promise<void> {
    if (delayMs <= AGAIN_MIN_MS) return super.wait(delayMs, options);
    const untilMs = this.now() + delayMs;
    for (let leftMs = delayMs; leftMs > 0 && this.now() < untilMs; leftMs -= AGAIN_MIN_MS)
      await super.wait(Math.min(leftMs, AGAIN_MIN_MS), options);
  }

  override async get<Path extends GetPath>(
    path: Path,
    ...[query, options]: RequestArgs<QueryOf<Path>, RequestOptions>
  ): Promise<AnswerOf<Path>> {
    const asked = { ...(query as Record<string, unknown>) };
    // Time may pass meanwhile.
    const nowMs = this.now();
    const answer = await this.#load(path, queryAsOf(path, asked, nowMs), options);
    const inProgress = await this.#inProgress(path, asked, nowMs, answer, options);
    return withoutFuture(inProgress as AnswerOf<Path>, this.now());
  }

  override post<Path extends PostPath>(
    path: Path,
    body: PostBodyOf<Path>,
    options: RequestOptions = {},
  ): Promise<PostAnswerOf<Path>> {
    if (path !== '/perps/rotations/build') return super.post(path, body, options);
    const { days = 1, ...spec } = body as PostBodyOf<'/perps/rotations/build'>;
    const to = Math.min(spec.to ?? Infinity, this.now() + 1);
    const from = spec.from ?? to - Math.round(days * DAY_MS);
    const asOf = { ...spec, from, to, degraded: false };
    return super.post(path, asOf as PostBodyOf<Path>, options);
  }

  override async *ticks(
    coin: string,
    { start = this.now() - DAY_MS, end = Infinity, ...range }: TickRange = {},
    options: RequestOptions = {},
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

  /** Intervals of a past time are read once. */
  #load(
    path: GetPath,
    query: Record<string, unknown>,
    options: RequestOptions | undefined,
    isKept = isOfIntervals(path),
  ): Promise<unknown> {
    const args = [query, options] as unknown as RequestArgs<QueryOf<GetPath>, RequestOptions>;
    const load = (): Promise<unknown> => super.get(path, ...args);
    const isOver = isKept && (query.end as number) < this.#clock.endMs - SETTLED_MS;
    return isOver ? this.#answers.get(JSON.stringify([path, query]), load) : load();
  }

  /**
   * An answer of intervals including the one in progress: rebuilt from its finished hours and minutes, because the
   * service stores only finished intervals, and, for candles, from the trades of the current minute. Candles of one
   * market have none: trades continue them.
   */
  async #inProgress(
    path: GetPath,
    asked: Record<string, unknown>,
    nowMs: number,
    answer: unknown,
    options: RequestOptions | undefined,
  ): Promise<unknown> {
    const isOfCandles = path === '/candles' && isAggregate(String(asked.market));
    if (!isOfCandles && path !== '/flows/cvd') return answer;
    const openTs = intervalStart(nowMs, intervalMsOf(asked));
    if (((asked.end as number | undefined) ?? Infinity) <= openTs) return answer;
    const { limit: _, ...query } = asked;
    const parts = await Promise.all(
      partsOf(openTs, nowMs).map((part) =>
        // Minutes are others after the next jump.
        this.#load(path, { ...query, ...part }, options, part.interval === '1h'),
      ),
    );
    const startMs = (asked.start as number | undefined) ?? 0;
    if (isOfCandles) {
      const candles = answer as CandlesAnswer;
      const over = (parts as CandlesAnswer[]).flatMap(({ data }) => data);
      const minute = await this.#minute(candles, over, nowMs);
      return withCandle(candles, openTs, startMs, minute ? [...over, minute] : over);
    }
    return withPoint(answer as CvdAnswer, openTs, startMs, parts as CvdAnswer[]);
  }

  /** The minute in progress of several markets, from the windows that their tapes are played from. */
  async #minute({ data, meta }: CandlesAnswer, over: readonly Candle[], nowMs: number) {
    const { members = [], reference } = meta;
    if (reference === undefined) return undefined;
    const coin = meta.market.slice(meta.market.indexOf(':') + 1);
    const minuteTs = intervalStart(nowMs, MINUTE_MS);
    const minute = minuteInProgress({
      read: (market) => this.#windows.minute(tapeName(coin, market), minuteTs, nowMs),
      members: members.filter(({ since }) => since <= nowMs).map(({ market }) => market),
      reference,
      lastPrice: (over.at(-1) ?? data.at(-1))?.close,
      minuteTs,
      nowMs,
    });
    // Without it all finished minutes are still included.
    return minute.catch(() => undefined);
  }
}

function isOfIntervals(path: GetPath): boolean {
  return path === '/candles' || path === '/flows/cvd';
}

/** A query limited to the time of the replay; for candles and deltas without the one in progress. */
function queryAsOf(path: GetPath, query: Record<string, unknown>, nowMs: number): Record<string, unknown> {
  if (!isOfIntervals(path) && path !== '/perps/liquidations/events') return query;
  const untilMs = isOfIntervals(path) ? intervalStart(nowMs, intervalMsOf(query)) : nowMs + 1;
  const end = Math.min((query.end as number | undefined) ?? Infinity, untilMs);
  const start = query.start as number | undefined;
  return { ...query, end, ...(start !== undefined && { start: Math.min(start, end - 1) }) };
}

function intervalMsOf({ interval = '1m' }: Record<string, unknown>): number {
  return candleIntervalsMs[interval as keyof typeof candleIntervalsMs];
}

type CandlesAnswer = AnswerOf<'/candles'>;
type Candle = CandlesAnswer['data'][number];
type CvdAnswer = AnswerOf<'/flows/cvd'>;

function withCandle(
  answer: CandlesAnswer,
  openTs: number,
  startMs: number,
  parts: readonly Candle[],
): CandlesAnswer {
  const open = joinCandles(openTs, parts);
  const closed = answer.data.filter(({ ts }) => ts >= startMs);
  return { ...answer, data: open ? [...closed, open] : closed };
}

function withPoint(
  answer: CvdAnswer,
  openTs: number,
  startMs: number,
  parts: readonly CvdAnswer[],
): CvdAnswer {
  const closed = answer.data.points.filter(({ ts }) => ts >= startMs);
  const of = parts.flatMap(({ data }) => data.points);
  const open = joinPoints(openTs, of, closed.at(-1));
  const start = Math.max(answer.data.start, startMs);
  return { ...answer, data: { ...answer.data, start, points: open ? [...closed, open] : closed } };
}

/** An answer of recorded samples, up to a time; any other as it is. */
function withoutFuture<Answer>(answer: Answer, nowMs: number): Answer {
  const { data } = answer as { readonly data?: { readonly points?: readonly { t?: number; ts?: number }[] } };
  if (!data?.points) return answer;
  const points = data.points.filter(({ t, ts }) => (t ?? ts ?? 0) <= nowMs);
  return { ...answer, data: { ...data, points } };
}
