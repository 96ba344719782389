import { mapBounded } from '../../platform/map-bounded.ts';
import type { Recalled } from '../../sse/event-stream.ts';
import { marketKey } from '../../store/market-key.ts';
import { recordedMarketsTopic, type VenuePrint, venuePrintTopic } from '../../topics.ts';
import type { StoredMarket } from '../market-tape/market-table.ts';
import {
  lostIn,
  PRINT_LATE_MS,
  PRINTS_MAX,
  RECALL_MS_MAX,
  type StreamRecord,
} from '../tape/recall-events.ts';
import type { CoinGap } from '../tape/tape-coverage.ts';
import { printName } from './prints.ts';
import { WHALE_FLOOR_USD } from './whale-table.ts';

/** Ledgers read at once. */
const LEDGERS_AT_ONCE = 16;
/** Any coin: an outage of the primary venue's feed is in the ledger of each. */
const ANY_COIN = 'BTC';

interface VenuePrintQuery {
  readonly minUsd: number;
  readonly coin: string | undefined;
  /** Id of the requested market, whose coin is `coin`. */
  readonly market: string | undefined;
}

/**
 * The recorded prints of one market or of all venues; `undefined` if there are too many, they are too old, or every
 * tape would have to be searched.
 */
export async function recallVenuePrints(
  record: StreamRecord,
  query: VenuePrintQuery,
  fromTs: number,
): Promise<Recalled | undefined> {
  const { bus, clock, primaryVenue } = record;
  const { minUsd, coin, market: id } = query;
  if (clock.now() - fromTs > RECALL_MS_MAX) return undefined;
  if (minUsd < WHALE_FLOOR_USD && coin === undefined) return undefined;
  const isWanted = (own: string): boolean => id === undefined || id === own;
  const stored = ((await record.markets?.list()) ?? []).filter(
    (market) => (coin === undefined || market.coin === coin) && isWanted(market.id),
  );
  const hasPrimary = isWanted(marketKey(primaryVenue, coin ?? ANY_COIN));
  const search = { minUsd, ...(coin !== undefined && { coin }), sinceMs: fromTs - PRINT_LATE_MS };
  const wanted = { ...search, limit: PRINTS_MAX };
  const [own, others] = await Promise.all([
    hasPrimary ? record.whales.newest(wanted).then(({ prints }) => prints) : [],
    stored.length > 0 ? record.whales.ofMarkets(stored, wanted) : [],
  ]);
  if (own.length === PRINTS_MAX || others.length === PRINTS_MAX) return undefined;
  const primary = own.map((print) => ({ ...print, market: marketKey(primaryVenue, print.coin) }));
  const lost = lostIn(
    await gapsSince(record, hasPrimary ? (coin ?? ANY_COIN) : undefined, stored, fromTs),
    fromTs,
  );
  const log = bus.log(venuePrintTopic);
  const logged = new Set(
    Array.from(log.search({ atLeast: { field: 'notionalUsd', value: minUsd } }), nameOfFound),
  );
  const older = [...primary, ...others]
    .filter((print) => isWanted(print.market) && !logged.has(nameOf(print)))
    .toSorted((a, b) => a.ts - b.ts || a.tid - b.tid);
  return { batches: [older], position: log.start, ...lost };
}

/** Gaps of the primary venue's tape of a coin, and of those of markets that are still recorded. */
async function gapsSince(
  { bus, coverage, markets, clock }: StreamRecord,
  coin: string | undefined,
  stored: readonly StoredMarket[],
  fromTs: number,
): Promise<readonly CoinGap[]> {
  const nowMs = clock.now();
  const own = coin === undefined ? [] : await coverage.gaps(coin, fromTs, nowMs);
  const followed = bus.latest(recordedMarketsTopic)?.message;
  const recorded = stored.filter(({ id }) => followed?.some((market) => market.id === id) ?? true);
  const others = await mapBounded(recorded, LEDGERS_AT_ONCE, async (market) => {
    // Nothing of it was published before.
    const sinceMs = Math.max(fromTs, market.recordingSince);
    return (await markets?.open(market).coverage.gaps(market.symbol, sinceMs, nowMs)) ?? [];
  });
  return [...own, ...others.flat()];
}

function nameOfFound({ event }: { readonly event: VenuePrint }): string {
  return nameOf(event);
}

function nameOf(print: VenuePrint): string {
  return `${print.market} ${printName(print)}`;
}
