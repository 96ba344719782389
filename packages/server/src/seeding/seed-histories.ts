import { type Funding, HOUR_MS, type OpenInterest } from '@crosstape/core';
import { createMarket, type Market, type VenueMarket, viewOfVenue } from '@crosstape/simulator';
import { historyVenues, sampleHistory, type HistoryInputs } from '../features/perps/history-samples.ts';
import type { Task } from '../platform/jobs.ts';
import type { SeedOrder } from './seed-order.ts';
import { throwIfGivenUp } from '../platform/thread-tasks.ts';
import { HISTORY_CADENCE_MS, type HistorySample, HistoryTable } from '../features/perps/history-table.ts';
import { openPlace } from '../cluster/open-place.ts';

/** Samples committed at a time, so that memory stays bounded. */
const BATCH_SAMPLES = 4_000;
/** Decimals of a rate on the wire. */
const RATE_DECIMALS = 10;
/** A sample at the time of a payment has the rate that was paid, which a poll right before it receives. */
const POLLED_BEFORE_MS = 1;

/** Records what a simulated market would have sent every ten minutes; `worker.ts` exports the function. */
export const seedHistoriesTask: Task<SeedOrder, { readonly samples: number }> = { name: 'seedHistories' };

export async function seedHistories(options: SeedOrder): Promise<{ samples: number }> {
  const { folder, venue, fromMs, toMs } = options;
  const market = createMarket({ seed: options.seed, rate: options.rate, coins: options.coins });
  const views = new Map(historyVenues.map((id) => [id as string, viewOfVenue(market, id)]));
  const store = await openPlace(folder);
  try {
    const table = new HistoryTable(store);
    let samples = 0;
    let batch: HistorySample[] = [];
    for (
      let t = Math.ceil(fromMs / HISTORY_CADENCE_MS) * HISTORY_CADENCE_MS;
      t < toMs;
      t += HISTORY_CADENCE_MS
    ) {
      throwIfGivenUp();
      const reported = sampleHistory(t, venue, (id) =>
        id === venue ? primaryTables(market, venue, t) : venueTables(views.get(id), id, t),
      );
      batch.push(...reported);
      samples += reported.length;
      if (batch.length < BATCH_SAMPLES) continue;
      await table.append(batch);
      batch = [];
    }
    await table.append(batch);
    return { samples };
  } finally {
    await store.close();
  }
}

/** The tables that a poll at `t` would have filled. */
function primaryTables(market: Market, venue: string, t: number): HistoryInputs {
  const openInterest: OpenInterest[] = [];
  const funding: Funding[] = [];
  const nextFundingMs = (Math.floor(t / HOUR_MS) + 1) * HOUR_MS;
  for (const { name: coin, sizeDecimals, isDelisted, dex } of market.coins) {
    if (isDelisted || dex !== '') continue;
    const coins = Number(market.openInterest(coin, t).toFixed(sizeDecimals));
    openInterest.push({ coin, symbol: coin, contracts: coins, coins, value: coins });
    const rate = Number(market.funding(coin, t - POLLED_BEFORE_MS).rate.toFixed(RATE_DECIMALS));
    funding.push({ coin, symbol: coin, rate, periodHours: 1, nextFundingMs });
  }
  return { openInterest: tableOf(venue, openInterest, t), funding: tableOf(venue, funding, t) };
}

function venueTables(view: VenueMarket | undefined, venue: string, t: number): HistoryInputs {
  const rows = view?.coins.map(({ name: coin }): Funding => {
    const { rate, periodHours, nextFundingMs } = view.funding(coin, t - POLLED_BEFORE_MS);
    return { coin, symbol: coin, rate: Number(rate.toFixed(RATE_DECIMALS)), periodHours, nextFundingMs };
  });
  return rows ? { funding: tableOf(venue, rows, t) } : {};
}

function tableOf<Row>(
  venue: string,
  rows: readonly Row[],
  t: number,
): { venue: string; rows: readonly Row[]; fetchedAtMs: number; everyMs: number } {
  return { venue, rows, fetchedAtMs: t, everyMs: 30_000 };
}
