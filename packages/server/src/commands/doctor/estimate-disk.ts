import { DAY_MS } from '@crosstape/core';
import type { TickTable } from '../../features/tape/tick-table.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Finding } from './finding.ts';

const MEBIBYTE = 2 ** 20;
/** Measured: 3.1 of a trade, 6.5 of its id and 0.4 of its receive time (`docs/formats.md`). */
const BYTES_PER_TRADE = 10;
/** For partially filled pages, and data being replaced. */
const OVERHEAD = 1.5;
/** Histories, flows, whales, liquidations, built bars and keys. */
const OTHER_BYTES = 256 * MEBIBYTE;
/** If nothing is recorded yet: more than the primary venue has on most days. */
const ASSUMED_TRADES = { all: 12_000_000, BTC: 3_000_000, ETH: 2_500_000, SOL: 1_500_000, other: 300_000 };
const CHUNKS_MAX = 10_000;

export interface DiskNeed {
  readonly tradesPerDay: number;
  readonly basis: 'recorded' | 'assumed';
}

/** Trades per day of the coins to be recorded, from the last full day of the record, if any. */
export async function measureTrades(
  table: Pick<TickTable, 'coins' | 'names'>,
  isRecorded: (coin: string) => boolean,
  nowMs: number,
): Promise<DiskNeed | undefined> {
  let tradesPerDay = 0;
  let firstTs = nowMs;
  for (const coin of (await table.coins()).filter(isRecorded)) {
    for (const { startTs, trades } of await table.names(coin, nowMs - DAY_MS, nowMs, CHUNKS_MAX)) {
      tradesPerDay += trades;
      firstTs = Math.min(firstTs, startTs);
    }
  }
  // Less than a day is not representative.
  const isWhole = nowMs - firstTs >= DAY_MS * 0.9;
  return isWhole ? { tradesPerDay, basis: 'recorded' } : undefined;
}

export function assumeTrades(recordCoins: string): DiskNeed {
  const { all, other, ...known } = ASSUMED_TRADES;
  if (recordCoins === 'all') return { tradesPerDay: all, basis: 'assumed' };
  const coins = recordCoins.toUpperCase().split(',');
  const sum = coins.reduce((total, coin) => total + ((known as Record<string, number>)[coin] ?? other), 0);
  return { tradesPerDay: Math.min(sum, all), basis: 'assumed' };
}

/** For the primary venue's coins. The volume of other venues' markets is unknown until they are recorded. */
export function estimateDisk(
  need: DiskNeed,
  { retentionDays, recordMarkets }: Pick<Settings, 'retentionDays' | 'recordMarkets'>,
  freeBytes: number | undefined,
): Finding {
  const bytes = need.tradesPerDay * retentionDays * BYTES_PER_TRADE * OVERHEAD + OTHER_BYTES;
  const trades = `${need.tradesPerDay.toLocaleString('en-US')} trades a day (${need.basis})`;
  const others = recordMarkets === 'primary' ? '' : ` of the primary venue, and more for ${recordMarkets}`;
  const free = freeBytes === undefined ? '' : `, ${printBytes(freeBytes)} free`;
  const isTight = freeBytes !== undefined && freeBytes < bytes;
  return {
    what: 'disk',
    verdict: isTight ? 'warn' : 'ok',
    detail: `about ${printBytes(bytes)} for ${retentionDays} days of ${trades}${others}${free}`,
  };
}

function printBytes(bytes: number): string {
  const gibibytes = bytes / (1_024 * MEBIBYTE);
  return gibibytes >= 1 ? `${gibibytes.toFixed(1)} GiB` : `${Math.ceil(bytes / MEBIBYTE)} MiB`;
}
