import type { ParsedTables, SpotTicker } from '@crosstape/core';
import type { Resource } from '@crosstape/venues';
import type { Demand } from '../topics.ts';
import { type KeptAnswers, keeperOf } from './kept-answer.ts';
import { LookupPoller } from './lookup-poller.ts';
import { Poller } from './poller.ts';
import type { VenueSetup } from './venue-setup.ts';
import type { ParseDetails, TableSource } from './venue-tables.ts';

/**
 * Whether only one of several engines polls it, because it allows few requests. A list of instruments is polled by all:
 * nothing else of its venue works without it.
 */
export function isPolledByOne({ retryMs, gives }: Resource): boolean {
  return retryMs !== undefined && !gives.includes('instruments');
}

export interface VenuePollersOptions {
  /** State that survives a restart. */
  readonly kept?: KeptAnswers | undefined;
  /** Called with polled prices of pairs, and the time of each. */
  readonly onTickers: (rows: readonly SpotTicker[], atMsOf: (i: number) => number) => void;
}

/** Polls the resources and lookups of a venue, and publishes their tables. */
export class VenuePollers {
  readonly #setup: VenueSetup;
  readonly #options: VenuePollersOptions;
  readonly #pollers: readonly Poller[];
  readonly #lookups: readonly LookupPoller[];

  constructor(setup: VenueSetup, options: VenuePollersOptions) {
    this.#setup = setup;
    this.#options = options;
    const { connector, polling, tables } = setup;
    this.#pollers = connector.resources.map(
      (resource) =>
        new Poller({
          ...polling,
          ...this.#partsOf(resource),
          resource,
          isListed: () => tables.isListed,
          canListNothing: () => tables.canListNothing(resource.name),
          ...this.#keeperOf(resource),
        }),
    );
    this.#lookups = (connector.lookups ?? []).map((lookup) => {
      const { fallbackFor, gives } = lookup;
      const [table] = gives;
      return new LookupPoller({
        ...polling,
        ...this.#partsOf(lookup),
        lookup,
        ...(fallbackFor !== undefined &&
          table !== undefined && { covered: () => tables.freshSymbols(fallbackFor, table) }),
      });
    });
  }

  /** Starts all but those that only one of several engines may poll. */
  start(): void {
    const { resources } = this.#setup.connector;
    for (const [i, resource] of resources.entries()) if (!isPolledByOne(resource)) this.#pollers[i]?.start();
    for (const lookup of this.#lookups) lookup.start();
  }

  /** Starts the others. */
  begin(): void {
    const { resources } = this.#setup.connector;
    for (const [i, resource] of resources.entries()) if (isPolledByOne(resource)) this.#pollers[i]?.start();
  }

  want({ table, keys = [], isOnce }: Demand): void {
    const { resources, lookups = [] } = this.#setup.connector;
    for (const [i, { gives }] of resources.entries())
      if (gives.includes(table)) this.#pollers[i]?.want(isOnce);
    for (const [i, { gives }] of lookups.entries()) if (gives.includes(table)) this.#lookups[i]?.want(keys);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#pollers, ...this.#lookups].map((poller) => poller.stop()));
  }

  #partsOf(source: TableSource) {
    const { health, tables } = this.#setup;
    return {
      openMeter: () => health.source(source.name, source.gives),
      publish: (parsed: ParsedTables, fetchedAtMs: number, details?: ParseDetails) => {
        tables.put(source, parsed, fetchedAtMs, details);
        const { times, checkedAtMs = fetchedAtMs } = details ?? {};
        const { spotTickers = [] } = parsed;
        this.#options.onTickers(spotTickers, (i) => times?.spotTickers?.[i] ?? checkedAtMs);
        for (const poller of [...this.#pollers, ...this.#lookups]) poller.tablesChanged();
      },
    };
  }

  #keeperOf({ name, retryMs, request: { origin, path } }: Resource) {
    const { kept } = this.#options;
    if (!kept || retryMs === undefined) return {};
    // An answer stored from one address is not used for another.
    const address = origin === undefined ? '' : ` ${origin}${path}`;
    return { keeper: keeperOf(kept, `${this.#setup.publisher.id}:${name}${address}`) };
  }
}
