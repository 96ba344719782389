import { notionalUsdOf, type SpotTrade, type VenueTrade } from '@crosstape/core';
import type { Publisher } from '@crosstape/venues';
import type { Bus } from '../../platform/bus.ts';
import { spotTradeTopic } from '../../topics.ts';
import type { FeedSink } from '../../ingest/feed-sink.ts';

export interface SpotTapeOptions {
  readonly bus: Bus;
  /** The spot markets whose trades are taken. */
  readonly venues: readonly Publisher[];
}

/** Position in the trades of one coin on one venue. Bounded by the coins of feeds. */
interface Line {
  readonly tid: number;
  readonly ts: number;
  readonly taker?: string | undefined;
  /** Missed since the last trade that was sent. */
  readonly missed: number;
}

/**
 * The trades of spot venues, published once and in order, and not stored: the tape of the primary venue is separate.
 * Ids are counted without gaps there, so that missed ones are known.
 */
export class SpotTape {
  readonly #bus: Bus;
  /** Plain ids of the venues by those of their sources. */
  readonly #venues: ReadonlyMap<string, string>;
  readonly #lines = new Map<string, Line>();

  constructor({ bus, venues }: SpotTapeOptions) {
    this.#bus = bus;
    this.#venues = new Map(venues.map(({ id, venue = id }) => [id, venue]));
  }

  /** Takes the trades of spot venues. */
  readonly receive: FeedSink = (event) => {
    if (event.type !== 'frame' || event.frame.kind !== 'trades') return;
    const venue = this.#venues.get(event.venue);
    if (venue === undefined) return;
    const { trades, isBackfill } = event.frame;
    if (isBackfill) for (const trade of trades) this.#begin(venue, trade);
    else for (const trade of trades) this.#add(venue, trade, event.receivedAtMs);
  };

  /** A trade from before the subscription only sets the position of the count: it is not published, and may be old. */
  #begin(venue: string, { coin, tid }: VenueTrade): void {
    const line = this.#lines.get(keyOf(venue, coin));
    if (line && tid <= line.tid) return;
    // This one was missed as well, unless it is the first.
    const missed = line ? line.missed + tid - line.tid : 0;
    this.#lines.set(keyOf(venue, coin), { tid, ts: line?.ts ?? 0, missed });
  }

  #add(venue: string, trade: VenueTrade, receivedAtMs: number): void {
    const { coin, side, price, size, venueTs, tid, taker } = trade;
    const line = this.#lines.get(keyOf(venue, coin));
    if (line && tid <= line.tid) return;
    const missed = line ? line.missed + tid - line.tid - 1 : 0;
    // A clock that is ahead must not put trades into the future.
    const ts = Math.max(Math.min(venueTs, receivedAtMs), line?.ts ?? 0);
    this.#lines.set(keyOf(venue, coin), { tid, ts, taker, missed: 0 });
    const reported: SpotTrade = {
      coin,
      venue,
      side,
      price,
      size,
      notionalUsd: notionalUsdOf(price, size),
      ts,
      ...(ts === venueTs ? {} : { venueTs }),
      tid,
      sameOrder: taker !== undefined && taker === line?.taker,
      ...(missed > 0 ? { missedBefore: missed } : {}),
    };
    this.#bus.publish(spotTradeTopic(venue, coin), reported);
  }
}

function keyOf(venue: string, coin: string): string {
  return `${venue} ${coin}`;
}
