import { HOUR_MS, intervalStart, ManualClock } from '@crosstape/core';
import { type Simulator, startSimulator } from '@crosstape/simulator';
import { type Known, type RatioKind, type VenueSample, venues } from '@crosstape/venues';
import type { Exchange } from 'ccxt';
import { afterAll, beforeAll, expect } from 'vitest';
import { ourLookup, ourTables } from './our-tables.ts';

export const T0 = Date.UTC(2026, 10, 16, 14, 30);
const SIX_HOURS_MS = 6 * 3_600_000;

interface WitnessOptions {
  readonly venue: string;
  readonly client: Exchange;
  /** The client's addresses, of the venue's address in the simulator. */
  readonly api: (url: string) => Exchange['urls']['api'];
  readonly startMs?: number;
  /** Passes after the client has read the list of contracts, and before our connector does. */
  readonly pauseMs?: number;
}

/** A client of ccxt and our connector on the same simulated venue, whose limits neither may break. */
export class Witness {
  clock!: ManualClock;
  simulator!: Simulator;
  /** What our connector reads. */
  ours!: Known;
  readonly #venue: string;

  constructor({ venue, client, api, startMs = T0, pauseMs = 0 }: WitnessOptions) {
    this.#venue = venue;
    beforeAll(async () => {
      this.clock = new ManualClock(startMs);
      this.simulator = await startSimulator({ port: 0, seed: 77, clock: this.clock, sources: [venue] });
      client.urls['api'] = api(`${this.simulator.url}/${venue}`);
      client.has['fetchCurrencies'] = false;
      await client.loadHttpProxyAgent();
      await client.loadMarkets();
      this.clock.advance(pauseMs);
      await this.#read();
    });
    afterAll(async () => {
      await client.close();
      expect(this.simulator.violations[venue]).toEqual({});
      await this.simulator.close();
    });
  }

  async #read(): Promise<void> {
    this.ours = await ourTables(this.simulator.url, this.#venue, this.clock.now());
  }

  /** What our connector makes of the answer for one key. */
  lookup(name: string, key: string): Promise<Known> {
    return ourLookup(this.simulator.url, this.#venue, name, this.ours, this.clock.now(), [key]);
  }

  /** What our connector makes of the venue's own history: the share that was long at each of the last full hours. */
  async pastLongs(kind: RatioKind, symbol: string, hours: number): Promise<readonly VenueSample[]> {
    const { connector } = venues.find(({ id }) => id === this.#venue) ?? {};
    const history = connector?.histories?.find((one) => one.kind === kind);
    if (!history) throw new Error(`${this.#venue} has no ${kind}`);
    const toMs = intervalStart(this.clock.now(), HOUR_MS) + HOUR_MS;
    const span = { market: { symbol }, fromMs: toMs - hours * HOUR_MS, toMs };
    const answer = await fetch(`${this.simulator.url}/${this.#venue}${history.request(span).path}`);
    return history.parse(await answer.json(), span).samples;
  }

  /** Reads six hours later, when one contract has another period of funding: its symbol. */
  async passPeriodChange(): Promise<string | undefined> {
    const before = new Map(this.ours.funding?.map(({ symbol, periodHours }) => [symbol, periodHours]));
    this.clock.advance(SIX_HOURS_MS);
    await this.#read();
    const changed = (this.ours.funding ?? []).filter(
      ({ symbol, periodHours }) => before.get(symbol) !== periodHours,
    );
    expect(changed).toHaveLength(1);
    return changed[0]?.symbol;
  }
}
