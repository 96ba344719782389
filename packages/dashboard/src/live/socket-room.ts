import { isAggregate } from '../format/aggregates.ts';
import type { BarsTopic, Topic } from './topic.ts';

/** Subscriptions that the gateway allows a socket without a key. */
const SUBSCRIPTIONS_MAX = 20;
/**
 * Maximum members of bars over several markets, which follow the trades of each: the number of perpetual and spot
 * venues.
 */
const MEMBERS_MAX = 14;

/** Whether a topic is followed over a socket: each takes at most one subscription of it, but for bars of several markets. */
export function isSocket(topic: Topic): boolean {
  if (topic.from === 'bars' && isPast(topic.spec)) return false;
  return !['rest', 'stream', 'service'].includes(topic.from);
}

/** Whether bars are of a time that has an end: they are built once, and not carried on. */
export function isPast(spec: BarsTopic['spec']): boolean {
  return 'to' in spec && spec.to !== undefined;
}

/** The coin of bars that are made from the trades of several markets. */
function mergedCoin(topic: Topic): string | undefined {
  if (topic.from !== 'bars' || 'interval' in topic.spec) return undefined;
  const { market } = topic.spec;
  return market !== undefined && isAggregate(market) ? market.slice(market.indexOf(':') + 1) : undefined;
}

/** The coin of a topic of trades. */
function tradedCoin(topic: Topic): string | undefined {
  return topic.from === 'channel' && topic.channel === 'trades' ? topic.symbol : undefined;
}

/** Subscriptions that these topics of one socket take: readers of the same trades share one. */
function loadOf(topics: readonly Topic[]): number {
  const merged = new Set(topics.flatMap((topic) => mergedCoin(topic) ?? []));
  const isShared = (topic: Topic): boolean =>
    mergedCoin(topic) !== undefined || merged.has(tradedCoin(topic) ?? '');
  return merged.size * MEMBERS_MAX + topics.filter((topic) => !isShared(topic)).length;
}

/**
 * The socket for a topic, given what each carries: one that shares trades with it, or else the first with room; -1 if
 * none has.
 */
export function socketFor(topic: Topic, sockets: readonly (readonly Topic[])[]): number {
  const coin = tradedCoin(topic);
  const merged = mergedCoin(topic);
  const sharedBy = (topics: readonly Topic[]): number =>
    topics.filter((one) =>
      merged === undefined
        ? coin !== undefined && mergedCoin(one) === coin
        : tradedCoin(one) === merged || mergedCoin(one) === merged,
    ).length;
  return sockets
    .map((topics, i) => ({ i, load: loadOf([...topics, topic]), shared: sharedBy(topics) }))
    .filter(({ load }) => load <= SUBSCRIPTIONS_MAX)
    .toSorted((a, b) => b.shared - a.shared || a.i - b.i)
    .map(({ i }) => i)
    .concat(-1)[0] as number;
}
