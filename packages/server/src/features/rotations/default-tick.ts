import { coinUnitsOf, type Market } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import type { Bus } from '../../platform/bus.ts';
import { snapshotTopic, tradeTopic } from '../../topics.ts';

const RETRY_AFTER_SECONDS = 5;

export interface DefaultTickOptions {
  readonly bus: Bus;
  readonly venue: string;
  /** The venue's rule. */
  readonly tickAt: (price: number, sizeDecimals: number) => number;
}

/** The price increment that a market's venue lists, in coins of the primary venue. */
export function marketTick(market: Market): number {
  if (market.tick !== undefined) return coinUnitsOf(market).price(market.tick);
  throw new Failure(
    'bad_request',
    `Field \`tick\` is missing: ${market.venue} does not list that of ${market.id}.`,
  );
}

/** The venue's price increment for a coin at its last price. */
export function defaultTick({ bus, venue, tickAt }: DefaultTickOptions, coin: string): number {
  const rows = bus.latest(snapshotTopic(venue, 'instruments'))?.message.rows ?? [];
  const instrument = rows.find((row) => row.coin === coin);
  const price = lastPrice(bus, venue, coin);
  if (instrument?.sizeDecimals === undefined || price === undefined) {
    throw new Failure(
      'upstream_unavailable',
      `No price of ${coin} is known yet; give \`tick\`, or ask again.`,
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  }
  return tickAt(price, instrument.sizeDecimals);
}

function lastPrice(bus: Bus, venue: string, coin: string): number | undefined {
  const log = bus.log(tradeTopic(coin));
  const trade = log.at(log.end - 1);
  if (trade) return trade.price;
  return bus.latest(snapshotTopic(venue, 'prices'))?.message.rows.find((row) => row.coin === coin)?.mark;
}
