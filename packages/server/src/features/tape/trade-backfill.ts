import type { Clock, MarketUnits } from '@crosstape/core';
import { type CoinGap, joinGaps, type TapeCoverage } from './tape-coverage.ts';
import type { TapeReader } from './tape-reader.ts';
import { readTapeTail, type TailChunk, type TapeTail, ticksOf } from './tape-tail.ts';
import type { Bus } from '../../platform/bus.ts';
import { CallerSlots } from '../../platform/caller-slots.ts';
import { Failure } from '../../platform/errors.ts';
import { HeldBytes } from '../../platform/held-bytes.ts';
import { tradePayload } from './channels/trades.ts';
import type { Since } from '../../gateway/client-frames.ts';
import { marketOf, type TopicName, type Update } from '../../gateway/gateway-channel.ts';
import type { FollowedTape } from '../market-tape/followed-tape.ts';
import type { Backfill, BackfillTarget } from '../../gateway/backfill.ts';
import { countAt, newestCursor, PAST_MS_MAX, releasedSince, tapeCursor } from './tape-cursor.ts';
import { encodeMessage } from '../../gateway/wire-frame.ts';

/** Tolerance for a cursor that was within an hour when it was sent. */
const GRACE_MS = 60_000;
/** Trades sent at a time; then others get a turn. */
const SLICE_TRADES = 256;
/** Bytes of chunks held for all clients that catch up; beyond this newcomers must wait. */
const HELD_BYTES_MAX = 128 * 1_048_576;
/**
 * Clients whose history is read at a time: what is read is held only once its size is known. Others wait, as many as may
 * have subscriptions.
 */
const reads = {
  slotsMax: 16,
  perCallerMax: 4,
  waitMs: 60_000,
  waitingPerCallerMax: Number.POSITIVE_INFINITY,
};
/** How long a client may take to read what was sent so far. */
const STALL_MS_MAX = 30_000;

/** The record after a cursor. */
export interface RecordedPast extends TapeTail {
  readonly gaps: readonly CoinGap[];
}

export interface PastOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
}

export interface TradeBackfillOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly tapeOf: (name: TopicName) => FollowedTape;
}

/** Recorded trades that a subscription to `trades` can begin with. */
export function createTradeBackfill({ clock, bus, tapeOf }: TradeBackfillOptions): Backfill {
  const held = new HeldBytes(HELD_BYTES_MAX);
  const turns = new CallerSlots({ ...reads, clock });
  return {
    cursor(name) {
      const { tape, coin } = tapeOf(name);
      return tapeCursor({ clock, bus, tape }, coin);
    },
    prepare: (name, since, address) =>
      turns.run(address, 'histories', async () => {
        const followed = tapeOf(name);
        const past = await readPast({ clock, bus, ...followed }, followed.coin, since as Since);
        const release = held.take(address, bytesOf(past));
        if (!release)
          throw new Failure('overloaded', 'Too many clients are catching up; try again in a few seconds.');
        return { replay: (target) => replayPast(past, { clock, bus, followed, ...target }), release };
      }),
  };
}

function bytesOf({ chunks }: RecordedPast): number {
  return chunks.reduce((sum, { chunk }) => sum + chunk.data.length + (chunk.ids?.length ?? 0), 0);
}

/** Reads what follows a cursor; a `Failure` names the cursors that can be used if this one cannot. */
export async function readPast(options: PastOptions, coin: string, since: Since): Promise<RecordedPast> {
  const { clock, coverage } = options;
  const oldestTs = clock.now() - PAST_MS_MAX;
  const isOld = since.ts < oldestTs - GRACE_MS;
  if (isOld && !(await hasAllUntil(options, coin, since, oldestTs)))
    throw await refusal(options, coin, 'is more than an hour back');
  const first = isOld ? { ts: oldestTs, count: 0 } : since;
  const tail = await readTapeTail(options, coin, first.ts);
  const had = countAt(tail.chunks, releasedSince(options, coin, tail), first.ts);
  // A time without trades after it is a valid cursor.
  const isAhead = first.ts > clock.now() && (newestCursor(options, coin, tail)?.ts ?? 0) < first.ts;
  if (isAhead) throw await refusal(options, coin, 'is ahead of the tape');
  if (first.count > had)
    throw await refusal(options, coin, `counts more trades than the ${had} of that millisecond`);
  const gaps = await coverage.gaps(coin, since.ts, clock.now());
  return { ...withoutFirst(tail, first), gaps };
}

/** Whether nothing was released after an old cursor and before a time. */
async function hasAllUntil(
  { tape }: PastOptions,
  coin: string,
  since: Since,
  toTs: number,
): Promise<boolean> {
  const query = { coin, fromTs: since.ts, toTs, chunksMax: 1, withIds: true };
  const { chunks, nextStart } = await tape.page(query);
  const tail = chunks.map((chunk) => ({ chunk, skip: 0 }));
  if (nextStart !== undefined || countAt(tail, [], since.ts) !== since.count) return false;
  return chunks.every((chunk) => {
    const { columns } = ticksOf(chunk);
    return columns.ts.subarray(0, columns.length).every((ts) => ts <= since.ts || ts >= toTs);
  });
}

async function refusal(options: PastOptions, coin: string, why: string): Promise<Failure> {
  const { clock } = options;
  const oldestTs = clock.now() - PAST_MS_MAX;
  const tail = await readTapeTail(options, coin, oldestTs);
  const newest = newestCursor(options, coin, tail) ?? { ts: clock.now(), count: 0 };
  const text = (cursor: Since): string => `{"ts":${cursor.ts},"count":${cursor.count}}`;
  return new Failure(
    'bad_request',
    `Field \`since\` ${why}; the oldest cursor that can be used is ${text({ ts: oldestTs, count: 0 })}, the newest ${text(newest)}.`,
  );
}

/** Skips the trades of the first millisecond that the reader has: in the first chunk, then in the log. */
function withoutFirst(tail: TapeTail, { ts, count }: Since): TapeTail {
  const [first, ...rest] = tail.chunks;
  const inChunk = Math.min(count, countAt(first ? [first] : [], [], ts));
  return {
    chunks: first ? [{ chunk: first.chunk, skip: first.skip + inChunk }, ...rest] : [],
    trades: tail.trades - inChunk,
    position: tail.position + count - inChunk,
  };
}

interface ReplayOptions extends BackfillTarget {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly followed: FollowedTape;
}

/** Sends the history, then what was released meanwhile, and joins the subscription where that ends. */
async function replayPast(past: RecordedPast, options: ReplayOptions): Promise<void> {
  const { bus, outbox, subscription, followed } = options;
  const { topic } = subscription;
  const { symbol } = topic.request;
  const log = bus.log(followed.tape.topicOf(followed.coin));
  let seq = topic.seq - (log.end - past.position) - past.trades;
  const send = (updates: readonly Update[]): void => {
    if (updates.length === 0) return;
    outbox.send(topic.frames(updates, seq + 1, subscription.format), updates.length);
    seq += updates.length;
  };
  for (const { chunk, skip } of past.chunks) {
    const updates = updatesOf(chunk, skip, followed.tape.units);
    for (let at = 0; at < updates.length; at += SLICE_TRADES) {
      send(updates.slice(at, at + SLICE_TRADES));
      if (!(await keepsUp(options))) return;
    }
  }
  for (let { position } = past; ; ) {
    if (position < log.start) return options.onStall();
    const trades = log.read(position, SLICE_TRADES);
    send(trades.map((trade) => ({ ts: trade.ts, payload: tradePayload(followed.inCoins(trade)) })));
    position += trades.length;
    // Level with the tape: synchronous from here on, so that no trade arrives in between.
    if (position === log.end) break;
    if (!(await keepsUp(options))) return;
  }
  // A gap that became known meanwhile was sent to others; its fields are those of the rest.
  const late = topic.noticesAfter(options.noticed).map(({ type: _, ...gap }) => gap as unknown as CoinGap);
  const gaps = joinGaps([...past.gaps, ...late]);
  const named = { channel: topic.channel.name, symbol, ...marketOf(topic.request) };
  const caughtUp = { type: 'caughtUp', ...named, seq, gaps };
  outbox.send(encodeMessage(caughtUp, subscription.format));
  subscription.join();
}

/** Waits until the client has room, and yields to others. False if the client has gone. */
export async function keepsUp({
  clock,
  outbox,
  subscription,
  onStall,
}: BackfillTarget & { readonly clock: Clock }): Promise<boolean> {
  const timer = clock.after(STALL_MS_MAX, onStall);
  await outbox.emptied();
  timer.cancel();
  return !subscription.isOver && !outbox.isClosed;
}

function updatesOf(
  chunk: TailChunk['chunk'],
  skip: number,
  units: MarketUnits | undefined,
): readonly Update[] {
  const { columns, ids } = ticksOf(chunk, units);
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  return Array.from({ length: columns.length - skip }, (_, n) => {
    const i = skip + n;
    const ts = columns.ts[i] as number;
    const payload = tradePayload({
      price: (columns.price[i] as number) / priceScale,
      size: (columns.size[i] as number) / sizeScale,
      side: columns.isBuy[i] === 1 ? 'buy' : 'sell',
      ts,
      tid: ids.tid[i] as number,
    });
    return { ts, payload };
  });
}
