import { type BuildStats, MERGED_SIZE_DECIMALS, type MergedStats } from '@crosstape/core';
import type { Client, FollowOptions } from '../client.ts';
import type { FeedStatus, SocketItem, Trade } from '../socket/frame-types.ts';
import { type KnownGap, newestOpen } from './amended-bars.ts';

type Followed = Pick<Client, 'followBatches' | 'wait'>;

/** Trades wait once or twice this long for earlier ones of other markets. */
const HOLD_MS = 250;
/** How often trades wait, at the start and after a reconnection, for markets that have not caught up. */
const CATCH_UP_WAITS = 8;
/** Far more trades than normally wait: a reader that takes none fails. */
const HELD_MAX = 500_000;

export type MergedItem =
  | Extract<SocketItem<'trades'>, { readonly type: 'data' }>
  | (KnownGap & { readonly type: 'gap'; readonly market: string });

interface Held {
  readonly trade: Trade;
  readonly isReference: boolean;
}

/**
 * The trades of several markets of a coin as one tape, continuing a build of bars: in time order, as far as they arrive
 * within the holding time. Later ones count when they arrive. As in the build, trades count at the last price of the
 * reference market. Gaps name their market.
 */
export async function* mergedTrades(
  client: Followed,
  { reference, price, members, lastTs: builtTs }: MergedStats & Pick<BuildStats, 'lastTs'>,
  { signal, onStatus, onLimited }: FollowOptions = {},
): AsyncGenerator<readonly MergedItem[], void, undefined> {
  const ending = new AbortController();
  const stop = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  const statuses = new Map<string, FeedStatus>();
  let held: Held[] = [];
  const gaps: MergedItem[] = [];
  const followed = members.filter(({ cursor }) => cursor !== null);
  /** Markets that still have to send recorded trades. */
  const late = new Set<string>();
  let waits = 0;
  const awaitAll = (): void => {
    // Markets that rejoin repeatedly do not prolong the wait.
    if (late.size === 0) waits = 0;
    for (const { market } of followed) late.add(market);
  };
  awaitAll();
  let failure: { readonly error: unknown } | undefined;

  const follow = async (market: string, since: object): Promise<void> => {
    const options = {
      signal: ending.signal,
      onStatus: (status: FeedStatus) => {
        statuses.set(market, status);
        onStatus?.(joinedStatus([...statuses.values()]));
      },
      ...(onLimited && { onLimited }),
    };
    const params = { market, since: since as { ts: number; count: number } };
    for await (const items of client.followBatches('trades', market, params, options)) {
      if (held.length > HELD_MAX) throw new Error('Trades arrive faster than they are read.');
      for (const item of items) {
        if (item.type === 'data') held.push({ trade: item.payload, isReference: market === reference });
        else if (item.type === 'caughtUp') {
          late.delete(market);
          for (const gap of newestOpen(item.gaps)) gaps.push({ ...gap, type: 'gap', market });
        } else if (item.type === 'gap') gaps.push({ ...item, market });
        // One socket carries all of them: after a reconnection each sends what was missed, some later than others.
        else if (item.type === 'joined' && !late.has(market)) awaitAll();
      }
    }
  };

  const following = followed.map(({ market, cursor }) =>
    follow(market, cursor!).catch((error: unknown) => {
      failure ??= { error };
    }),
  );
  let newestTs = 0;
  // The tape continues where the build ended: a market that was behind comes after the others.
  let lastTs = builtTs ?? 0;
  let last = price;
  try {
    for (;;) {
      await client.wait(HOLD_MS, signal ? { signal } : {});
      if (failure) throw failure.error;
      waits += 1;
      if (late.size > 0 && waits < CATCH_UP_WAITS) continue;
      late.clear();
      const items = gaps.splice(0);
      const until = newestTs;
      for (const { trade } of held) newestTs = Math.max(newestTs, trade.ts);
      const due = held.filter(({ trade }) => trade.ts <= until).toSorted(byTime);
      held = held.filter(({ trade }) => trade.ts > until);
      for (const { trade, isReference } of due) {
        if (isReference) last = trade.price;
        lastTs = Math.max(lastTs, trade.ts);
        const payload = { ...trade, ts: lastTs, price: last, size: rounded(trade.size) };
        items.push({ type: 'data', ts: lastTs, payload });
      }
      if (items.length > 0) yield items;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    ending.abort();
    await Promise.all(following);
  }
}

/** Within one millisecond the reference market comes first: the others count at its price. */
function byTime(a: Held, b: Held): number {
  return a.trade.ts - b.trade.ts || Number(b.isReference) - Number(a.isReference);
}

const PER_COIN = 10 ** MERGED_SIZE_DECIMALS;

function rounded(size: number): number {
  return Math.round(size * PER_COIN) / PER_COIN;
}

/** Live if every market is, down if none delivers. */
function joinedStatus(statuses: readonly FeedStatus[]): FeedStatus {
  const [first, ...others] = statuses.filter(({ state }) => state !== 'live');
  if (!first) return statuses.reduce((one, next) => (next.sinceTs > one.sinceTs ? next : one));
  const failing = [first, ...others];
  const isDown = failing.length === statuses.length && failing.every(({ state }) => state === 'down');
  const reason = [...new Set(failing.map((one) => one.reason))].join(' ');
  const sinceTs = Math.min(...failing.map((one) => one.sinceTs));
  const partial = failing.length < statuses.length && { partial: true as const };
  return { state: isDown ? 'down' : 'stale', sinceTs, reason, ...partial };
}
