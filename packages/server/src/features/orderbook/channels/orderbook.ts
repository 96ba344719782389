import { type Book, type BookLevel, bookDelta } from '@crosstape/core';
import { Type } from 'typebox';
import { bookTopic } from '../../../topics.ts';
import { Failure } from '../../../platform/errors.ts';
import { choice, defaulted } from '../../../http/parameter.ts';
import { timeMs } from '../../../http/field.ts';
import type { TopicName } from '../../../gateway/gateway-channel.ts';
import { type ChannelContext, gatewayChannel } from '../../channel.ts';
import { followableMarket } from '../../market-tape/followed-tape.ts';
import type { FollowedBook } from '../followed-books.ts';

const KEYFRAME_EVERY_MS = 30_000;
/**
 * The book keeper marks a book as stale 10 seconds after the venue's last message, give or take one; the rest is for
 * latency and clocks. If nothing was received for this long, the keeper or the connection to it has failed.
 */
const SILENT_MAX_MS = 15_000;
const WATCH_EVERY_MS = 1_000;
/** A new subscriber waits this long for a fresh book before an old one is sent. */
const FRESH_WAIT_MS = 3_000;

function levels(description: string) {
  const level = Type.Array(Type.Number(), { minItems: 3, maxItems: 3 });
  return Type.Unsafe<readonly BookLevel[]>(
    Type.Array(level, {
      description: `${description} Each \`[price, size, count]\`, best first; a count of 0 is not known.`,
    }),
  );
}

export const orderbook = gatewayChannel({
  name: 'orderbook',
  summary: 'Order book, at most 20 levels a side',
  description:
    "The book of the primary venue. Its best levels are updated twice a second, the deeper ones every few seconds: these stay as they were at `deepTs` until the price passes them. Whole each time (`full`), or a keyframe on joining and every 30 seconds with the changed levels in between (`delta`), where a size of 0 removes a level. With `market` the book of that market, from the venue's own feed, at most five times a second: sizes in coins, prices in its quote currency.",
  params: {
    mode: defaulted(
      choice(['full', 'delta'], { description: 'The whole book each time, or what has changed of it.' }),
      'full',
    ),
  },
  payload: Type.Object(
    {
      kind: Type.Optional(
        choice(['snapshot', 'delta'], {
          description: 'Delta mode only: `snapshot` is the whole book, `delta` the changed levels.',
        }),
      ),
      bids: levels('Buy orders.'),
      asks: levels('Sell orders.'),
      ts: timeMs("The venue's time of the best levels."),
      deepTs: Type.Optional(timeMs('Time of the deeper levels; absent while only the best are known.')),
      stale: Type.Optional(
        Type.Literal(true, {
          description: 'True while the venue does not send the book: this is the last received one.',
        }),
      ),
    },
    {
      examples: [
        {
          kind: 'delta',
          bids: [
            [105_931, 2.5, 7],
            [105_917, 0, 0],
          ],
          asks: [[105_932, 0.75, 3]],
          ts: 1_790_000_000_500,
          deepTs: 1_790_000_000_000,
        },
      ],
    },
  ),
  markets: 'one',
  isState: true,
  sources: ({ market: id }, { bus, primaryVenue }) => {
    const market = id === undefined ? undefined : followableMarket(bus, id);
    const publisher = market?.publisher ?? primaryVenue;
    return [[{ publisher, gives: market ? 'market-books' : 'books', isOnDemand: true }]];
  },
  open({ symbol, market, mode }, publish, context) {
    const { bus, clock } = context;
    const isDelta = mode === 'delta';
    const followed = follow({ symbol, market }, context);
    const topic = bookTopic(market ?? symbol);
    const whole = (of: Book) => ({
      ts: of.ts,
      payload: { ...(isDelta && { kind: 'snapshot' as const }), ...payloadOf(of) },
    });
    let received = bus.latest(topic)?.message;
    let lastReceivedMs = received ? Math.max(received.ts, received.confirmedTs ?? 0) : 0;
    const isSilent = (): boolean => clock.now() - lastReceivedMs > SILENT_MAX_MS;
    // A book that was not followed for a while is old, and one that outlived its keeper was not marked.
    let book = received?.stale || isSilent() ? undefined : received;
    const publishBook = (next: Book): void => {
      const before = book;
      book = next;
      if (!isDelta || !before) return publish(whole(next));
      publish({ ts: next.ts, payload: { kind: 'delta', ...payloadOf(next), ...bookDelta(before, next) } });
    };
    const leave = bus.subscribe(topic, (next) => {
      // After an outage the bus delivers its newest messages again, however old they are.
      const isRepeat = received !== undefined && isSame(received, next);
      const isConfirmed = isRepeat && received?.confirmedTs !== next.confirmedTs;
      if (!isRepeat || isConfirmed) lastReceivedMs = clock.now();
      received = next;
      if (isConfirmed && book && !book.stale) return;
      if (!isRepeat || !isSilent()) publishBook(next);
    });
    const openedMs = clock.now();
    const watch = clock.every(WATCH_EVERY_MS, () => {
      if (book && !book.stale && isSilent()) publishBook({ ...book, stale: true });
      if (!book && received && clock.now() - openedMs >= FRESH_WAIT_MS)
        publishBook({ ...received, stale: true });
    });
    const keyframes = isDelta
      ? clock.every(KEYFRAME_EVERY_MS, () => book && publish(whole(book)))
      : undefined;
    return {
      snapshot: () => book && whole(book),
      passTo: followed.passTo,
      close: () => {
        watch.cancel();
        keyframes?.cancel();
        leave();
        followed.leave();
      },
    };
  },
});

/** Follows the book of a coin of the primary venue, or of a market. Throws a `Failure` if there is none. */
function follow(
  { symbol, market: id }: TopicName,
  { bus, books, marketBooks, primaryVenue, caller }: ChannelContext,
): FollowedBook {
  if (id === undefined) return books.follow({ venue: primaryVenue, name: symbol }, caller);
  const market = followableMarket(bus, id);
  if (!market) throw new Failure('not_found', `Market ${id} is no longer recorded.`);
  return marketBooks.follow({ venue: market.publisher, name: market.symbol }, caller);
}

/** The published fields of a book. */
function payloadOf({ bids, asks, ts, deepTs, stale }: Book) {
  return { bids, asks, ts, ...(deepTs !== undefined && { deepTs }), ...(stale && { stale }) };
}

function isSame(a: Book, b: Book): boolean {
  if (a.ts !== b.ts || a.deepTs !== b.deepTs || a.stale !== b.stale) return false;
  const { bids, asks } = bookDelta(a, b);
  return bids.length + asks.length === 0;
}
