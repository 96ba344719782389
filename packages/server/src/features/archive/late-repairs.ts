import { createHash } from 'node:crypto';
import { DAY_MS } from '@crosstape/core';
import type { Store } from '../../store/store.ts';
import { marketKey } from '../../store/market-key.ts';
import { RepairedTable } from '../audit/repaired-table.ts';
import { dateOf, SEAL_AFTER_MS, startOfDate } from '../lake/lake-key.ts';
import type { LakeMarket } from '../lake/lake-markets.ts';

/** Repairs arrive within hours of the end of a day; older days are read once per process. */
const RECENT_MS = 3 * DAY_MS;

/** A day of a market with repaired trades that may not be archived. */
export interface LateDay {
  readonly date: string;
  readonly market: LakeMarket;
  /** A hash of the identities of the trades in the store. */
  readonly fingerprint: string;
}

/** Repaired trades of days that are over: the audit compares the last hours of a day when it may be sealed already. */
export class LateRepairs {
  readonly #table: RepairedTable;
  /** Fingerprints of archived repairs. */
  readonly #archived = new Map<string, string>();
  /** Everything before is archived. */
  #settledTs = 0;

  constructor(store: Store) {
    this.#table = new RepairedTable(store);
  }

  /** The days whose trades are not known to be archived. */
  async find(markets: readonly LakeMarket[], nowMs: number): Promise<readonly LateDay[]> {
    const endTs = Math.floor((nowMs - SEAL_AFTER_MS) / DAY_MS) * DAY_MS;
    const days: LateDay[] = [];
    for (const market of markets) {
      const id = marketKey(market.venue, market.symbol);
      let ts = await this.#table.firstTs(id, this.#settledTs, endTs);
      while (ts !== undefined) {
        const date = dateOf(ts);
        const toTs = startOfDate(date) + DAY_MS;
        const day = { date, market, fingerprint: await this.#fingerprint(id, ts, toTs) };
        if (this.#archived.get(nameOf(day)) !== day.fingerprint) days.push(day);
        ts = await this.#table.firstTs(id, toTs, endTs);
      }
    }
    return days;
  }

  /** Records that a day's repairs are archived. */
  note(day: LateDay): void {
    this.#archived.set(nameOf(day), day.fingerprint);
  }

  /** Everything that was found at a time is archived. */
  settle(nowMs: number): void {
    this.#settledTs = Math.floor((nowMs - RECENT_MS) / DAY_MS) * DAY_MS;
    const oldest = dateOf(this.#settledTs);
    for (const name of this.#archived.keys()) if (name < oldest) this.#archived.delete(name);
  }

  async #fingerprint(id: string, fromTs: number, toTs: number): Promise<string> {
    const hash = createHash('sha256');
    for await (const page of this.#table.identities(id, fromTs, toTs)) hash.update(`${page.join('\n')}\n`);
    return hash.digest('hex');
  }
}

function nameOf({ date, market }: LateDay): string {
  return `${date} ${market.id}`;
}
