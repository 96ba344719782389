import { intervalStart, type TickColumns } from '@crosstape/core';
import { followedTape } from '../../market-tape/followed-tape.ts';
import { followTape, type TapeFollowing } from '../follow-tape.ts';
import { watchTapeOpening } from '../tape-opening.ts';
import type { Publish, Source, TopicName, Update } from '../../../gateway/gateway-channel.ts';
import { Pace } from '../../../gateway/pace.ts';
import type { ChannelContext } from '../../channel.ts';

/** Builds one bar from its trades. */
export interface BarAccumulator<Payload> {
  /** Adds trades of one bar. */
  add(columns: TickColumns, from: number, to: number): void;
  /** The current bar; there has been a trade. */
  payload(isClosed: boolean): Payload;
  /** The next bar begins. */
  clear(): void;
}

export interface BarSourceOptions<Payload> {
  readonly context: ChannelContext;
  /** The topic of the trades. */
  readonly name: TopicName;
  readonly intervalMs: number;
  /** Minimum time between updates of the bar in progress. */
  readonly everyMs: number;
  readonly bar: BarAccumulator<Payload>;
  readonly publish: Publish<Payload>;
}

/**
 * Bars of the clock, by tape time: a bar is closed by the first trade of a later one, and sent once as closed. The bar
 * in progress is read from the recorded tape before the first subscriber joins, so that the first bar sent is complete.
 */
export function openBars<Payload>(options: BarSourceOptions<Payload>): Source<Payload> {
  const { context, name, intervalMs, everyMs, bar, publish } = options;
  const { tape, coin, market } = followedTape(context, name);
  let isReady = false;
  /** Start of the bar in progress, and its newest trade. */
  let openTs: number | undefined;
  let lastTs = 0;
  const bucketOf = (ts: number): number => intervalStart(ts, intervalMs);
  const updateOf = (isClosed: boolean): Update<Payload> => ({ ts: lastTs, payload: bar.payload(isClosed) });
  const pace = new Pace(context.clock, everyMs, () => publish(updateOf(false)));

  const take = (columns: TickColumns, from: number, to: number): void => {
    for (let at = from; at < to; ) {
      const bucket = bucketOf(columns.ts[at] as number);
      if (openTs !== undefined && bucket > openTs) {
        pace.cancel();
        if (isReady) publish(updateOf(true));
        bar.clear();
      }
      openTs = bucket;
      let end = at + 1;
      while (end < to && (columns.ts[end] as number) < bucket + intervalMs) end += 1;
      bar.add(columns, at, end);
      lastTs = columns.ts[end - 1] as number;
      at = end;
    }
    if (isReady) pace.ask();
  };

  const { bus, clock } = context;
  const from = (newestTs: number | undefined): number => bucketOf(newestTs ?? clock.now());
  let following: TapeFollowing | undefined;
  const follow = async (): Promise<void> => {
    following?.close();
    pace.cancel();
    isReady = false;
    openTs = undefined;
    bar.clear();
    const begun = followTape({ tape, bus, coin, from, take });
    following = begun;
    await begun.ready;
    if (following === begun) isReady = true;
  };
  const reopen = async (): Promise<void> => {
    await follow();
    if (isReady && openTs !== undefined) publish(updateOf(false));
  };
  // A source opened before the newest recorded trades were available lacks them: it is read again when they are.
  const leave = watchTapeOpening(bus, market, () => {
    reopen().catch((error: unknown) => context.log.error({ err: error, coin }, 'bars cannot be read again'));
  });
  return {
    ready: follow(),
    snapshot: () => (isReady && openTs !== undefined ? updateOf(false) : undefined),
    close() {
      leave();
      pace.cancel();
      following?.close();
    },
  };
}
