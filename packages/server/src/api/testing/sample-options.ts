import {
  DAY_MS,
  expiryLabel,
  intervalStart,
  type OptionQuote,
  type OptionTables,
  type SourceHealth,
  type VolatilityDay,
} from '@crosstape/core';
import { optionsVenueId, optionTables, tableOfChain } from '../../features/options/option-chain.ts';
import {
  type OptionFigures,
  optionFigures,
  optionFiguresTopic,
} from '../../features/options/option-figures.ts';
import { START_MS, type TestApi } from './test-api.ts';

/** The first 08:00 UTC after the start, and one of two weeks later. */
export const FIRST_EXPIRY_MS = Math.ceil((START_MS - DAY_MS / 3) / DAY_MS) * DAY_MS + DAY_MS / 3;
const expiries = [FIRST_EXPIRY_MS, FIRST_EXPIRY_MS + 14 * DAY_MS];

/** A small chain around a spot price, both types at every strike, of one book. */
export function sampleChain(coin: string, spot: number, isLinear: boolean): readonly OptionQuote[] {
  return expiries.flatMap((expiryMs) =>
    [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3].flatMap((times) =>
      (['C', 'P'] as const).map((type) => {
        const strike = Math.round(spot * times * 100) / 100;
        return {
          coin,
          symbol: `${coin}${isLinear ? '_USDC' : ''}-${expiryLabel(expiryMs)}-${strike}-${type}`,
          type,
          strike,
          expiryMs,
          isLinear,
          openInterest: type === 'C' ? 100 * times : 120 / times,
          volume24hCoins: 5,
          markIvPct: 50 + 40 * Math.abs(times - 1),
          markPrice: isLinear ? 0.02 * spot : 0.02,
          forward: Math.round(spot * 1_001) / 1_000,
        };
      }),
    ),
  );
}

const sampleOptions: readonly OptionQuote[] = [
  ...sampleChain('BTC', 100_000, false),
  ...sampleChain('BTC', 100_000, true),
  ...sampleChain('XRP', 2.5, true),
];

const isOfBook = (table: keyof OptionTables, { coin, isLinear }: OptionQuote): boolean =>
  table === (isLinear ? 'usdcOptions' : tableOfChain(coin));

export function publishBooks(api: TestApi, options: readonly OptionQuote[] = sampleOptions): void {
  for (const table of optionTables) {
    const rows = options.filter((option) => isOfBook(table, option));
    api.table(optionsVenueId, table, rows, 30_000);
  }
}

/** The sources of all books; the named ones are failing. */
export function bookSources(
  problem: Partial<SourceHealth> = {},
  failing: readonly string[] = [],
): readonly Partial<SourceHealth>[] {
  return optionTables.map((table) => {
    const book = table.replace('Options', '');
    const source = { source: `deribit:${book}-book-summary`, gives: [table] };
    return failing.includes(book) ? { ...source, ...problem } : source;
  });
}

export function sampleFigures(
  coin: string,
  spot: number,
  atMs: number,
  options: readonly OptionQuote[] = sampleOptions,
): OptionFigures {
  const own = options.filter((option) => option.coin === coin);
  const chain = own.filter((option) => isOfBook(tableOfChain(coin), option));
  const sum = (all: readonly OptionQuote[]): number =>
    all.reduce((total, one) => total + one.openInterest, 0);
  return optionFigures({ coin, options: chain, otherOi: sum(own) - sum(chain), atMs, spot });
}

/** Three days, the newest in progress. */
export function sampleVolatility(atMs: number): readonly VolatilityDay[] {
  const today = intervalStart(atMs, DAY_MS);
  return [2, 1, 0].map((ago) => ({
    ts: today - ago * DAY_MS,
    open: 0.42,
    high: 0.45,
    low: 0.41,
    close: 0.43 + ago / 100,
  }));
}

/** Two chains that were just fetched, with their figures, while all is well. */
export function publishSampleOptions(api: TestApi, options: readonly OptionQuote[] = sampleOptions): void {
  const spots = { BTC: 100_000, XRP: 2.5 };
  const atMs = api.clock.now();
  api.health(
    optionsVenueId,
    ...bookSources(),
    { source: 'deribit:index-price', gives: ['indexPrices'] },
    { source: 'deribit:volatility-index', gives: ['volatilityIndex'] },
  );
  api.table(optionsVenueId, 'volatilityIndex', [{ coin: 'BTC', days: sampleVolatility(atMs) }], 600_000);
  publishBooks(api, options);
  const rows = Object.entries(spots).map(([coin, index]) => ({ coin, symbol: `${coin}_index`, index }));
  api.table(optionsVenueId, 'indexPrices', rows, 30_000);
  for (const [coin, spot] of Object.entries(spots)) {
    api.bus.publish(optionFiguresTopic(coin), sampleFigures(coin, spot, atMs, options));
  }
}
