import type { FailingSource } from '@crosstape/core';
import { snapshotTopic, usdRatesTopic } from '../../topics.ts';
import type { Latest } from '../flows/flow-inputs.ts';

/** The quote currency of a contract, and its rate in dollars, if known. */
export interface QuoteWorth {
  readonly quote: string;
  readonly rate: number | undefined;
}

const DOLLAR: QuoteWorth = { quote: 'USD', rate: 1 };

/** The quote currency of each contract of a venue, and its rate. Unlisted contracts are in dollars. */
export function quoteWorths(latest: Latest, venue: string): (symbol: string) => QuoteWorth {
  const instruments = latest(snapshotTopic(venue, 'instruments'))?.rows ?? [];
  const quotes = new Map(instruments.map(({ symbol, quote }) => [symbol, quote]));
  const { rates = {} } = latest(usdRatesTopic) ?? {};
  return (symbol) => {
    const quote = quotes.get(symbol) ?? DOLLAR.quote;
    return quote === DOLLAR.quote ? DOLLAR : { quote, rate: rates[quote]?.rate };
  };
}

/** USDT and USDC at one dollar each: good enough to find the largest contract. */
export function atPar(): QuoteWorth {
  return DOLLAR;
}

/** The failing sources of the rates of these currencies. The dollar has none. */
export function failingRateSources(
  latest: Latest,
  currencies: ReadonlySet<string>,
  nowMs: number,
): readonly FailingSource[] {
  const known = latest(usdRatesTopic);
  if (!known) return [];
  const found = new Map<string, FailingSource>();
  for (const currency of currencies) {
    for (const entry of known.failing[currency] ?? []) {
      const ageMs = entry.ageMs === null ? null : entry.ageMs + Math.max(0, nowMs - known.atMs);
      if (!found.has(entry.source)) found.set(entry.source, { ...entry, ageMs });
    }
  }
  return [...found.values()];
}
