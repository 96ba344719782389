import {
  ApiError,
  type ChannelName,
  type Client,
  type Cursor,
  type FeedStatus,
  followBook,
  type FollowOptions,
  GatewayError,
  type ParamsOf,
  type Trade,
} from '@crosstape/client';
import { liveBars, liveCandles, liveFootprints } from '@crosstape/client/bars';
import { isAggregate } from '../format/aggregates.ts';
import { builtBars } from './built-bars.ts';
import type { Pause } from './pause.ts';
import { polledCandles } from './polled-candles.ts';
import { BATCHES_MAX, followPrints } from './prints.ts';
import { isPast } from './socket-room.ts';
import { tradeAt } from './tick-trades.ts';
import type {
  Bar,
  BarsTopic,
  BookTopic,
  BuildTopic,
  ChannelTopic,
  FootprintTopic,
  PrintsTopic,
  RestTopic,
  ServiceTopic,
  ServiceWord,
  StreamTopic,
  Topic,
  Update,
} from './topic.ts';

/** A feed's message; the time is added when it is passed on. */
export type Word = Omit<Update, 'atMs' | 'state'> & { readonly state?: 'up' | 'down' };

export interface FeedOptions<T extends Topic> {
  readonly client: Client;
  readonly topic: T;
  readonly signal: AbortSignal;
  readonly send: (word: Word) => void;
  /** Between two requests; cut short when there is a reason to request sooner. */
  readonly pause: Pause;
}

/** A source that has not delivered yet counts as loading for this long, then as an outage. */
const LOADING_MS = 10_000;
/** Minimum interval of extra requests, however often a source fails and recovers. */
const HURRIED_MIN_MS = 30_000;

/** Minimum delay after a refusal. */
const REFUSED_WAIT_MS = 30_000;
const FAILED_WAIT_MS = 5_000;
/** Data fetched on demand are old at first, and fresh by then. */
const FETCHED_WAIT_MS = 4_000;

/** The result of a build is kept for a day. */
const OVER_MS = 86_400_000;

/** How many items a later subscriber gets. */
export function keptMax(topic: Topic): number {
  if (topic.from === 'bars') return 50_000;
  if (topic.from === 'prints') return BATCHES_MAX;
  if (topic.from === 'stream' || topic.from === 'footprints') return 200;
  if (topic.from === 'service') return 60;
  if (topic.from === 'channel' && topic.channel === 'trades') return 1_000;
  const lists: readonly ChannelName[] = ['liquidations', 'flowSignals'];
  return topic.from === 'channel' && lists.includes(topic.channel) ? 200 : 1;
}

/** Runs the source of a topic until the signal aborts; failures are reported, and tried again. */
export async function runFeed(options: FeedOptions<Topic>): Promise<void> {
  const { client, signal, pause } = options;
  const loadingUntilMs = client.now() + LOADING_MS;
  let hasDelivered = false;
  const send = (word: Word): void => {
    hasDelivered ||= word.items.length > 0 || word.isWhole === true;
    options.send(word);
  };
  while (!signal.aborted) {
    let waitMs = FAILED_WAIT_MS;
    try {
      await run({ ...options, send });
    } catch (error) {
      if (signal.aborted) return;
      const isLimited = error instanceof ApiError && error.status === 429;
      const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
      const leftMs = loadingUntilMs - client.now();
      const isLoading = !hasDelivered && leftMs > 0 && isNotYet(error);
      if (isRefusal(error)) waitMs = REFUSED_WAIT_MS;
      if (retryAfterMs !== undefined)
        waitMs = isLimited || isLoading ? retryAfterMs : Math.max(waitMs, retryAfterMs);
      if (isLoading) {
        // The loading state is shown until its time is over.
        const quietMs = Math.min(waitMs, leftMs);
        await client.wait(quietMs, { signal }).catch(() => {});
        if (quietMs === waitMs) continue;
        waitMs -= quietMs;
      }
      const until = isLimited && { limitedUntilMs: client.now() + waitMs };
      const code = error instanceof ApiError && { code: error.code };
      send({ items: [], state: 'down', problem: sentenceOf(error), status: null, ...code, ...until });
      if (!isRefusal(error)) {
        await pause.for(client, waitMs, signal).catch(() => {});
        continue;
      }
    }
    await client.wait(waitMs, { signal }).catch(() => {});
  }
}

function run(options: FeedOptions<Topic>): Promise<void> {
  const { topic } = options;
  if (topic.from === 'rest') return poll({ ...options, topic });
  if (topic.from === 'channel') return followChannel({ ...options, topic });
  if (topic.from === 'book') return keepBook({ ...options, topic });
  if (topic.from === 'stream') return followStream({ ...options, topic });
  if (topic.from === 'service') return askService({ ...options, topic });
  if (topic.from === 'build') return followBuild({ ...options, topic });
  if (topic.from === 'bars') return carryBars({ ...options, topic });
  if (topic.from === 'prints') return carryPrints({ ...options, topic });
  return carryFootprints({ ...options, topic });
}

/** The service has just started fetching an idle source, and says when to retry. */
function isNotYet(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 503 &&
    error.code === 'upstream_unavailable' &&
    error.retryAfterMs !== undefined
  );
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500;
  return error instanceof GatewayError;
}

function sentenceOf(error: unknown): string {
  if (error instanceof GatewayError && error.code === 'rate_limited')
    return `Live updates rejected: ${error.message} Close other charts, browsers or programs that use this service. Retrying every ${REFUSED_WAIT_MS / 1_000} s.`;
  return error instanceof Error ? error.message : String(error);
}

async function poll({ client, topic, signal, send, pause }: FeedOptions<RestTopic>): Promise<void> {
  let wasStale = false;
  for (;;) {
    const askedMs = client.now();
    // Each path takes its own query; that they belong together was checked where the topic was made.
    const answer = await client.get(topic.path, topic.query, { signal });
    send({ items: [answer], isWhole: true, askedMs });
    const isStale = (answer as { meta?: { stale?: boolean } }).meta?.stale === true;
    const waitMs = isStale && !wasStale ? Math.min(FETCHED_WAIT_MS, topic.everyMs) : topic.everyMs;
    wasStale = isStale;
    const isHurried = await pause.for(client, waitMs, signal);
    const earlyMs = askedMs + HURRIED_MIN_MS - client.now();
    if (isHurried && earlyMs > 0) await client.wait(earlyMs, { signal });
  }
}

/** The round trip is that of the lighter of the two questions. */
async function askService({ client, topic, signal, send }: FeedOptions<ServiceTopic>): Promise<void> {
  for (;;) {
    const sentMs = performance.now();
    const health = await client.health({ signal });
    const roundTripMs = performance.now() - sentMs;
    const word: ServiceWord = { health, readiness: await client.readiness({ signal }), roundTripMs };
    send({ items: [word] });
    await client.wait(topic.everyMs, { signal });
  }
}

/** Passes on the status of a topic's sources, and until when its subscription is refused. */
function callbacksTo(send: (word: Word) => void) {
  return {
    onStatus: (status: FeedStatus): void => send({ items: [], status }),
    onLimited: (limitedUntilMs: number): void => send({ items: [], state: 'down', limitedUntilMs }),
  };
}

/** Trades of the tape begin with those of the last minutes. */
const TAPE_PAST_MS = 300_000;

async function followChannel({ client, topic, signal, send }: FeedOptions<ChannelTopic>): Promise<void> {
  const { channel, symbol } = topic;
  const follow = { signal, ...callbacksTo(send) };
  const past = channel === 'trades' && (await readPast({ client, topic, signal, send }));
  const params = { ...topic.params, ...past };
  for await (const items of client.followBatches(channel, symbol, params, follow)) {
    const payloads: unknown[] = [];
    for (const item of items) {
      if (item.type === 'data') payloads.push(item.payload);
      // Trades that the venue sent again are on the tape.
      else if (item.type === 'gap' && item.state !== 'refilled')
        send({ items: payloads.splice(0), gap: item });
      else if (item.type === 'joined') send({ items: payloads.splice(0), isWhole: false });
    }
    send({ items: payloads });
  }
}

/** Sends the newest recorded trades, and returns the cursor to follow from. */
async function readPast({
  client,
  topic,
  signal,
  send,
}: Omit<FeedOptions<ChannelTopic>, 'pause'>): Promise<{ since: Cursor }> {
  const start = client.now() - TAPE_PAST_MS;
  let since: Cursor = { ts: start, count: 0 };
  let newest: Trade[] = [];
  const { market } = topic.params as ParamsOf<'trades'>;
  for await (const { ticks } of client.ticks(topic.symbol, { start, market }, { signal })) {
    const { ts, length } = ticks;
    const from = Math.max(0, length - keptMax(topic));
    const trades = Array.from({ length: length - from }, (_, i) => tradeAt(ticks, from + i));
    newest = [...newest, ...trades].slice(-keptMax(topic));
    for (let i = 0; i < length; i += 1) {
      const at = ts[i] as number;
      since = { ts: at, count: since.ts === at ? since.count + 1 : 1 };
    }
  }
  send({ items: newest, isWhole: true });
  return { since };
}

async function keepBook({ client, topic, signal, send }: FeedOptions<BookTopic>): Promise<void> {
  const { market } = topic;
  const options = { signal, ...callbacksTo(send), ...(market !== undefined && { market }) };
  for await (const { bids, asks, ts, isStale, proofs, breaks } of followBook(client, topic.symbol, options)) {
    send({ items: [{ bids, asks, ts, isStale, proofs, breaks }], isWhole: true });
  }
}

async function followStream({ client, topic, signal, send }: FeedOptions<StreamTopic>): Promise<void> {
  const options = { signal, ...callbacksTo(send) };
  send({ items: [] });
  for await (const item of client.stream(topic.path, topic.query, options)) {
    if (item.event === 'gap') send({ items: [], gap: item.data });
    else send({ items: [item] });
  }
}

function liveOf(client: Client, spec: BarsTopic['spec'], follow: FollowOptions & { signal: AbortSignal }) {
  if (!('interval' in spec))
    return isPast(spec) ? builtBars(client, spec, follow) : liveBars(client, spec, follow);
  return isAggregate(spec.market) ? polledCandles(client, spec, follow) : liveCandles(client, spec, follow);
}

async function carryBars({ client, topic, signal, send }: FeedOptions<BarsTopic>): Promise<void> {
  const bars: Bar[] = [];
  let isFirst = true;
  const { spec } = topic;
  const follow = { signal, ...callbacksTo(send) };
  const live = liveOf(client, spec, follow);
  for await (const { closed, open, amended } of live) {
    // Where a gap became known after its bars were sent, all are sent again.
    const firstIndex = bars[0]?.index ?? 0;
    for (const bar of amended) if (bar.index >= firstIndex) bars[bar.index - firstIndex] = bar;
    for (const bar of closed) bars.push(bar);
    if (bars.length > 2 * keptMax(topic)) bars.splice(0, bars.length - keptMax(topic));
    const isWhole = isFirst || amended.length > 0;
    send({ items: isWhole ? bars.slice(-keptMax(topic)) : closed, open, isWhole });
    isFirst = false;
  }
  // Those of a past time do not change.
  await client.wait(OVER_MS, { signal });
}

/** A finished build is not requested again. */
async function followBuild({ client, topic, signal, send }: FeedOptions<BuildTopic>): Promise<void> {
  try {
    for await (const item of client.followBuild(topic.spec, { signal })) send({ items: [item] });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'build_failed') throw error;
    send({ items: [{ type: 'build:error', message: error.message }] });
  }
  await client.wait(OVER_MS, { signal });
}

async function carryFootprints({ client, topic, signal, send }: FeedOptions<FootprintTopic>): Promise<void> {
  let isFirst = true;
  for await (const bars of liveFootprints(client, topic.spec, {
    signal,
    ...callbacksTo(send),
  })) {
    send({ items: bars, isWhole: isFirst });
    isFirst = false;
  }
}

/** Trades of a past time do not change. */
async function carryPrints({ client, topic, signal, send }: FeedOptions<PrintsTopic>): Promise<void> {
  for await (const news of followPrints(client, topic.spec, { signal, ...callbacksTo(send) })) send(news);
  await client.wait(OVER_MS, { signal });
}
