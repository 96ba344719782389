import type { TradeLedger, TradeReport } from './venues/trade-ledger.ts';
import type { RunningVenue } from './venues/venue-simulator.ts';

const PARAMETERS = ['venue', 'market', 'fromMs', 'toMs'];

export interface ReportedTrades {
  readonly venue: string;
  readonly markets: readonly TradeReport[];
}

/**
 * What was sent of the trades of a venue's markets that were ever subscribed to or requested, or of one of them.
 * Without times: from its first subscription or request until now. Throws an error that says what is wrong with the
 * query.
 */
export function reportTrades(
  query: URLSearchParams,
  { venues, nowMs }: { readonly venues: ReadonlyMap<string, RunningVenue>; readonly nowMs: number },
): ReportedTrades {
  const stray = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (stray !== undefined) throw new Error(`there is no parameter ${stray}`);
  const venue = query.get('venue') ?? '';
  const ledgers = venues.get(venue)?.ledgers;
  if (!ledgers) {
    const counted = [...venues].filter(([, running]) => running.ledgers).map(([id]) => id);
    throw new Error(`venue is one of ${counted.join(', ')}`);
  }
  const market = query.get('market');
  const found = market === null ? undefined : ledgers.find(market);
  if (market !== null && !found) throw new Error(`the trades of ${market} were never requested`);
  const fromMs = timeOf(query, 'fromMs');
  const toMs = timeOf(query, 'toMs') ?? nowMs;
  const report = (ledger: TradeLedger): TradeReport => ledger.report(fromMs ?? ledger.sinceMs, toMs);
  return { venue, markets: (found ? [found] : ledgers.all()).map(report) };
}

function timeOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} is a time in milliseconds`);
  return Number(text);
}
