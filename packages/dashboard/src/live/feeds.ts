import {
  ApiError,
  type ChannelName,
  type Client,
  type Cursor,
  followBook,
  GatewayError,
  type Trade,
} from '@crosstape/client';
import { liveBars, liveFootprints } from '@crosstape/client/bars';
import type {
  Bar,
  BarsTopic,
  BookTopic,
  BuildTopic,
  ChannelTopic,
  FootprintTopic,
  RestTopic,
  ServiceTopic,
  ServiceWord,
  StreamTopic,
  Topic,
  Update,
} from './topic.ts';

/** What a feed says; when is added where it is passed on. */
export type Word = Omit<Update, 'atMs' | 'state'> & { readonly state?: 'up' | 'down' };

export interface FeedOptions<T extends Topic> {
  readonly client: Client;
  readonly topic: T;
  readonly signal: AbortSignal;
  readonly tell: (word: Word) => void;
}

/** A refusal is not asked for again sooner. */
const REFUSED_WAIT_MS = 30_000;
const FAILED_WAIT_MS = 5_000;
/** What the service fetches only while somebody asks is old at first, and new by then. */
const FETCHED_WAIT_MS = 4_000;

/** The result of a build is kept for a day. */
const OVER_MS = 86_400_000;

/** How many items somebody who comes later is told. */
export function keptMax(topic: Topic): number {
  if (topic.from === 'bars') return 50_000;
  if (topic.from === 'stream' || topic.from === 'footprints') return 200;
  if (topic.from === 'service') return 60;
  if (topic.from === 'channel' && topic.channel === 'trades') return 1_000;
  const lists: readonly ChannelName[] = ['liquidations', 'flowSignals'];
  return topic.from === 'channel' && lists.includes(topic.channel) ? 200 : 1;
}

/** Runs the source of a topic until it is told to stop; failures are told, and tried again. */
export async function runFeed({ client, topic, signal, tell }: FeedOptions<Topic>): Promise<void> {
  while (!signal.aborted) {
    let waitMs = FAILED_WAIT_MS;
    try {
      if (topic.from === 'rest') await poll({ client, topic, signal, tell });
      else if (topic.from === 'channel') await followChannel({ client, topic, signal, tell });
      else if (topic.from === 'book') await keepBook({ client, topic, signal, tell });
      else if (topic.from === 'stream') await followStream({ client, topic, signal, tell });
      else if (topic.from === 'service') await askService({ client, topic, signal, tell });
      else if (topic.from === 'build') await followBuild({ client, topic, signal, tell });
      else if (topic.from === 'bars') await carryBars({ client, topic, signal, tell });
      else await carryFootprints({ client, topic, signal, tell });
    } catch (error) {
      if (signal.aborted) return;
      const isLimited = error instanceof ApiError && error.status === 429;
      if (isRefusal(error)) waitMs = REFUSED_WAIT_MS;
      if (error instanceof ApiError && error.retryAfterMs !== undefined)
        waitMs = isLimited ? error.retryAfterMs : Math.max(waitMs, error.retryAfterMs);
      const until = isLimited && { limitedUntilMs: client.now() + waitMs };
      tell({ items: [], state: 'down', trouble: sentenceOf(error), ...until });
    }
    await client.wait(waitMs, { signal }).catch(() => {});
  }
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500;
  return error instanceof GatewayError;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function poll({ client, topic, signal, tell }: FeedOptions<RestTopic>): Promise<void> {
  let wasStale = false;
  for (;;) {
    // Each path takes its own query; that they belong together was checked where the topic was made.
    const answer = await client.get(topic.path, topic.query, { signal });
    tell({ items: [answer], isWhole: true });
    const isStale = (answer as { meta?: { stale?: boolean } }).meta?.stale === true;
    const waitMs = isStale && !wasStale ? Math.min(FETCHED_WAIT_MS, topic.everyMs) : topic.everyMs;
    wasStale = isStale;
    await client.wait(waitMs, { signal });
  }
}

/** The round trip is that of the lighter of the two questions. */
async function askService({ client, topic, signal, tell }: FeedOptions<ServiceTopic>): Promise<void> {
  for (;;) {
    const sentMs = performance.now();
    const health = await client.health({ signal });
    const roundTripMs = performance.now() - sentMs;
    const word: ServiceWord = { health, readiness: await client.readiness({ signal }), roundTripMs };
    tell({ items: [word] });
    await client.wait(topic.everyMs, { signal });
  }
}

/** Trades of the tape begin with those of the last minutes. */
const TAPE_PAST_MS = 300_000;

async function followChannel({ client, topic, signal, tell }: FeedOptions<ChannelTopic>): Promise<void> {
  const { channel, symbol } = topic;
  const params = channel === 'trades' ? await readPast({ client, topic, signal, tell }) : topic.params;
  for await (const items of client.followBatches(channel, symbol, params, { signal })) {
    const payloads: unknown[] = [];
    for (const item of items) {
      if (item.type === 'data') payloads.push(item.payload);
      // What the venue told again is on the tape.
      else if (item.type === 'gap' && item.state !== 'refilled')
        tell({ items: payloads.splice(0), gap: item });
      else if (item.type === 'joined') tell({ items: payloads.splice(0), isWhole: false });
    }
    tell({ items: payloads });
  }
}

/** Tells the newest recorded trades, and from where on to follow. */
async function readPast({
  client,
  topic,
  signal,
  tell,
}: FeedOptions<ChannelTopic>): Promise<{ since: Cursor }> {
  const start = client.now() - TAPE_PAST_MS;
  let since: Cursor = { ts: start, count: 0 };
  let newest: Trade[] = [];
  for await (const { ticks } of client.ticks(topic.symbol, { start }, { signal })) {
    const { ts, price, size, isBuy, length, priceDecimals, sizeDecimals } = ticks;
    const from = Math.max(0, length - keptMax(topic));
    const trades = Array.from({ length: length - from }, (_, i): Trade => {
      const at = from + i;
      return {
        ts: ts[at] as number,
        price: (price[at] as number) / 10 ** priceDecimals,
        size: (size[at] as number) / 10 ** sizeDecimals,
        side: isBuy[at] === 1 ? 'buy' : 'sell',
      };
    });
    newest = [...newest, ...trades].slice(-keptMax(topic));
    for (let i = 0; i < length; i += 1) {
      const at = ts[i] as number;
      since = { ts: at, count: since.ts === at ? since.count + 1 : 1 };
    }
  }
  tell({ items: newest, isWhole: true });
  return { since };
}

async function keepBook({ client, topic, signal, tell }: FeedOptions<BookTopic>): Promise<void> {
  for await (const { bids, asks, ts, isStale, proofs, breaks } of followBook(client, topic.symbol, {
    signal,
  })) {
    tell({ items: [{ bids, asks, ts, isStale, proofs, breaks }], isWhole: true });
  }
}

async function followStream({ client, topic, signal, tell }: FeedOptions<StreamTopic>): Promise<void> {
  tell({ items: [] });
  for await (const item of client.stream(topic.path, topic.query, { signal })) {
    if (item.event === 'gap') tell({ items: [], gap: item.data });
    else tell({ items: [item] });
  }
}

async function carryBars({ client, topic, signal, tell }: FeedOptions<BarsTopic>): Promise<void> {
  const bars: Bar[] = [];
  let isFirst = true;
  for await (const { closed, open, amended } of liveBars(client, topic.spec, { signal })) {
    // Where a hole became known after its bars were told, all are told anew.
    const firstIndex = bars[0]?.index ?? 0;
    for (const bar of amended) if (bar.index >= firstIndex) bars[bar.index - firstIndex] = bar;
    for (const bar of closed) bars.push(bar);
    if (bars.length > 2 * keptMax(topic)) bars.splice(0, bars.length - keptMax(topic));
    const isWhole = isFirst || amended.length > 0;
    tell({ items: isWhole ? bars.slice(-keptMax(topic)) : closed, open, isWhole });
    isFirst = false;
  }
}

/** A build that is over stays so: it is not asked for again. */
async function followBuild({ client, topic, signal, tell }: FeedOptions<BuildTopic>): Promise<void> {
  try {
    for await (const item of client.followBuild(topic.spec, { signal })) tell({ items: [item] });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'build_failed') throw error;
    tell({ items: [{ type: 'build:error', message: error.message }] });
  }
  await client.wait(OVER_MS, { signal });
}

async function carryFootprints({ client, topic, signal, tell }: FeedOptions<FootprintTopic>): Promise<void> {
  let isFirst = true;
  for await (const bars of liveFootprints(client, topic.spec, { signal })) {
    tell({ items: bars, isWhole: isFirst });
    isFirst = false;
  }
}
