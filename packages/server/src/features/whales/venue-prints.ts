import {
  type Clock,
  coinUnitsOf,
  type CoinUnits,
  type Market,
  notionalUsdOf,
  type Print,
  roundTo,
  type Trade,
} from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { marketKey } from '../../store/market-key.ts';
import {
  printTopic,
  type RecordedMarket,
  recordedMarketsTopic,
  VENUE_PRINT_MIN_USD,
  type VenuePrint,
  venuePrintTopic,
} from '../../topics.ts';
import { usdRateNow } from '../rates/usd-rate-now.ts';
import { lastOrdersOf, printName, Prints } from './prints.ts';

/** Prints of the primary venue of this long before may not have been published here by the ingester before. */
const TAKEN_UP_MS = 60_000;

export interface VenuePrintsOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly primaryVenue: string;
  /** With several ingesters: resolves when this one publishes. Nothing may be added before. */
  readonly led?: Promise<void> | undefined;
}

type Grouping = RecordedMarket['grouping'];

interface Known {
  readonly market: Market;
  readonly units: CoinUnits;
}

/** Publishes the larger taker orders of every recorded market, those of the primary venue included. */
export class VenuePrints {
  readonly #markets = new Map<string, Known>();
  /** By the id of the market. */
  readonly #prints: Prints;
  /** Prints that the previous ingester has published. */
  readonly #published = new Set<string>();
  /** The list of recorded markets that the groupings are of. */
  #recorded: readonly RecordedMarket[] | undefined;
  #groupings: ReadonlyMap<string, Grouping> = new Map();
  #leave: () => void = () => undefined;
  #isStopped = false;

  constructor({ clock, bus, primaryVenue, led }: VenuePrintsOptions) {
    const publish = (print: VenuePrint): void => {
      // Empty but in an ingester that took over from another.
      const isKnown = this.#published.size > 0 && this.#published.delete(nameOf(print));
      if (!isKnown) bus.publish(venuePrintTopic, print);
    };
    this.#prints = new Prints({
      clock,
      // Half of it: the exact value is rounded.
      isSkipped: (id, notional) => {
        const quote = this.#markets.get(id)?.market.quote ?? '';
        return notional * usdRateNow(bus, quote) < VENUE_PRINT_MIN_USD / 2;
      },
      unitsOf: (id) => this.#markets.get(id)?.units,
      emit: (print) => {
        const id = print.coin;
        const market = this.#markets.get(id)?.market;
        if (!market) return;
        const notionalUsd = roundTo(print.notionalUsd * usdRateNow(bus, market.quote), 2);
        if (notionalUsd < VENUE_PRINT_MIN_USD) return;
        const grouping = this.#groupingOf(bus, id);
        publish({ ...print, coin: market.coin, notionalUsd, market: id, ...(grouping && { grouping }) });
      },
    });
    const addPrimary = (print: Print): void => {
      if (print.notionalUsd >= VENUE_PRINT_MIN_USD)
        publish({ ...print, market: marketKey(primaryVenue, print.coin) });
    };
    const begin = (): void => {
      if (!this.#isStopped) this.#leave = bus.subscribe(printTopic, addPrimary);
    };
    const takeUp = (): void => {
      // All: the trades that are taken up of a quiet market may be as old.
      for (const print of bus.log(venuePrintTopic).since(0)) this.#published.add(nameOf(print));
      for (const print of bus.log(printTopic).since(clock.now() - TAKEN_UP_MS)) addPrimary(print);
      begin();
    };
    if (led) void led.then(takeUp);
    else begin();
  }

  /** A trade of another than the primary venue, in its own unit. */
  add(market: Market, trade: Trade): void {
    const { id } = market;
    let known = this.#markets.get(id);
    // A market that is listed again may count in another unit.
    if (known?.market !== market) this.#markets.set(id, (known = { market, units: coinUnitsOf(market) }));
    // Equal to the value from coins, which takes longer to compute: most prints are small and are dropped.
    const notional = notionalUsdOf(trade.price * market.contractSize, trade.size);
    this.#prints.add(trade, id, notional);
  }

  /** Trades of a market that the ingester before published, maybe without the prints of the last. */
  takeUp(market: Market, published: readonly Trade[]): void {
    for (const trade of lastOrdersOf(published)) this.add(market, trade);
  }

  #groupingOf(bus: Bus, id: string): Grouping | undefined {
    const recorded = bus.latest(recordedMarketsTopic)?.message;
    if (recorded !== this.#recorded) {
      this.#recorded = recorded;
      this.#groupings = new Map(recorded?.map((market) => [market.id, market.grouping]));
    }
    return this.#groupings.get(id);
  }

  stop(): void {
    this.#isStopped = true;
    this.#leave();
    this.#prints.flush();
  }
}

function nameOf(print: VenuePrint): string {
  return `${print.market} ${printName(print)}`;
}
