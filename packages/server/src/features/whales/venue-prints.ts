import {
  type Clock,
  coinUnitsOf,
  type CoinUnits,
  type Market,
  notionalUsdOf,
  roundTo,
  type Trade,
} from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { marketKey } from '../../store/market-key.ts';
import { printTopic, recordedMarketsTopic, VENUE_PRINT_MIN_USD, venuePrintTopic } from '../../topics.ts';
import { usdRateNow } from '../rates/usd-rate-now.ts';
import { Prints } from './prints.ts';

export interface VenuePrintsOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly primaryVenue: string;
}

interface Known {
  readonly market: Market;
  readonly units: CoinUnits;
}

/** Publishes the larger taker orders of every recorded market, those of the primary venue included. */
export class VenuePrints {
  readonly #markets = new Map<string, Known>();
  /** By the id of the market. */
  readonly #prints: Prints;
  readonly #leave: () => void;

  constructor({ clock, bus, primaryVenue }: VenuePrintsOptions) {
    this.#prints = new Prints({
      clock,
      emit: ({ coin: id, ...print }) => {
        const market = this.#markets.get(id)?.market;
        if (!market) return;
        const notionalUsd = roundTo(print.notionalUsd * usdRateNow(bus, market.quote), 2);
        if (notionalUsd < VENUE_PRINT_MIN_USD) return;
        const grouping = groupingOf(bus, id);
        bus.publish(venuePrintTopic, {
          ...print,
          coin: market.coin,
          notionalUsd,
          market: id,
          ...(grouping && { grouping }),
        });
      },
    });
    this.#leave = bus.subscribe(printTopic, (print) => {
      if (print.notionalUsd >= VENUE_PRINT_MIN_USD)
        bus.publish(venuePrintTopic, { ...print, market: marketKey(primaryVenue, print.coin) });
    });
  }

  /** A trade of another than the primary venue, in its own unit. */
  add(market: Market, trade: Trade): void {
    const { id } = market;
    let known = this.#markets.get(id);
    // A market that is listed again may count in another unit.
    if (known?.market !== market) this.#markets.set(id, (known = { market, units: coinUnitsOf(market) }));
    const price = known.units.price(trade.price);
    const size = known.units.size(trade.size);
    this.#prints.add({ ...trade, coin: id, price, size, notionalUsd: notionalUsdOf(price, size) });
  }

  stop(): void {
    this.#leave();
    this.#prints.flush();
  }
}

function groupingOf(bus: Bus, id: string): 'order' | 'time' | undefined {
  return bus.latest(recordedMarketsTopic)?.message.find((market) => market.id === id)?.grouping;
}
