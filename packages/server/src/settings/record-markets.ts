import { readFileSync } from 'node:fs';
import { marketVenues } from '@crosstape/venues';
import { type MarketChoice, readMarketChoice } from '../platform/market-choice.ts';

/** The file that `RECORD_MARKETS` names. */
export function marketsFileOf(text: string): string | undefined {
  return text.startsWith('@') ? text.slice(1) : undefined;
}

/** What `RECORD_MARKETS` chooses, or the file that it names now; `undefined` when that is invalid or cannot be read. */
export function readRecordMarkets(text: string): MarketChoice | undefined {
  const file = marketsFileOf(text);
  if (file === undefined) return readMarketChoice(text, marketVenues);
  try {
    return readMarketsFile(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The same of the text of such a file, where lines may take the place of commas. */
export function readMarketsFile(text: string): MarketChoice | undefined {
  return readMarketChoice(text.trim().replaceAll(/,?\s*\n\s*/g, ','), marketVenues);
}
