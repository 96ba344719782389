import { expiryLabel, type OptionQuote } from '@crosstape/core';
import { optionsVenueId } from '../../analytics/option-chain.ts';
import { optionFigures, optionFiguresTopic } from '../../analytics/option-figures.ts';
import { START_MS, type TestApi } from './test-api.ts';

const DAY_MS = 86_400_000;
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

export const sampleOptions: readonly OptionQuote[] = [
  ...sampleChain('BTC', 100_000, false),
  ...sampleChain('BTC', 100_000, true),
  ...sampleChain('XRP', 2.5, true),
];

/** Two chains that were just fetched, with their figures, while all is well. */
export function publishSampleOptions(api: TestApi, options: readonly OptionQuote[] = sampleOptions): void {
  const spots = { BTC: 100_000, XRP: 2.5 };
  const atMs = api.clock.now();
  api.health(
    optionsVenueId,
    { source: 'deribit:book-summary', gives: ['options'] },
    { source: 'deribit:index-price', gives: ['indexPrices'] },
  );
  api.table(optionsVenueId, 'options', options, 30_000);
  const rows = Object.entries(spots).map(([coin, index]) => ({ coin, symbol: `${coin}_index`, index }));
  api.table(optionsVenueId, 'indexPrices', rows, 30_000);
  for (const [coin, spot] of Object.entries(spots)) {
    const own = options.filter((option) => option.coin === coin);
    api.bus.publish(optionFiguresTopic(coin), optionFigures({ coin, options: own, atMs, spot }));
  }
}
