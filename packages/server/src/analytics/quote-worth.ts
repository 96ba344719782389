import { snapshotTopic, usdRatesTopic } from '../topics.ts';
import type { Latest } from './flows/flow-tables.ts';

/** The currency in which a contract is quoted, and what that is worth in dollars, if it is known. */
export interface QuoteWorth {
  readonly quote: string;
  readonly rate: number | undefined;
}

const DOLLAR: QuoteWorth = { quote: 'USD', rate: 1 };

/** In which currency each contract of a venue is quoted, and its worth. One that no list names is in dollars. */
export function quoteWorths(latest: Latest, venue: string): (symbol: string) => QuoteWorth {
  const instruments = latest(snapshotTopic(venue, 'instruments'))?.rows ?? [];
  const quotes = new Map(instruments.map(({ symbol, quote }) => [symbol, quote]));
  const { rates = {} } = latest(usdRatesTopic) ?? {};
  return (symbol) => {
    const quote = quotes.get(symbol) ?? DOLLAR.quote;
    return quote === DOLLAR.quote ? DOLLAR : { quote, rate: rates[quote]?.rate };
  };
}

/** USDT and USDC at one dollar each: good enough to tell which contract is the largest. */
export function atPar(): QuoteWorth {
  return DOLLAR;
}
