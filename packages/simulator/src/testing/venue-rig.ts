import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach } from 'vitest';
import type { VenueMarket } from '../market/venue-market.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { viewOfVenue } from '../venue-view.ts';
import { RecordedSocket } from './recorded-socket.ts';

export const T0 = Date.UTC(2026, 10, 16, 14, 30);

export type Row = Readonly<Record<string, unknown>>;

/** A simulated venue that starts again at `T0` for each test of a file, and the market as it sees it. */
export class VenueRig {
  clock!: ManualClock;
  simulator!: Simulator;
  market!: VenueMarket;
  readonly #id: string;

  constructor(id: string, seed = 5) {
    this.#id = id;
    beforeEach(async () => {
      this.clock = new ManualClock(T0);
      this.simulator = await startSimulator({ port: 0, seed, clock: this.clock, sources: [id] });
      this.market = viewOfVenue(this.simulator.market, id) as VenueMarket;
    });
    afterEach(() => this.simulator.close());
  }

  /** The limits that were broken. */
  get violations(): Readonly<Record<string, number>> | undefined {
    return this.simulator.violations[this.#id];
  }

  async ask<Body>(path: string, headers = {}): Promise<{ readonly status: number; readonly body: Body }> {
    const response = await fetch(`${this.simulator.url}/${this.#id}${path}`, { headers });
    return { status: response.status, body: (await response.json()) as Body };
  }

  open(path: string, headers = {}): Promise<RecordedSocket> {
    return RecordedSocket.open(this.simulator.url, `/${this.#id}${path}`, headers);
  }
}

export function named(rows: readonly Row[] | undefined, symbol: string): Row {
  const row = rows?.find((one) => one['symbol'] === symbol);
  if (!row) throw new Error(`no ${symbol}`);
  return row;
}
