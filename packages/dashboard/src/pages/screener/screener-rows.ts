import type { AnswerOf } from '@crosstape/client';
import { byCoinAndVenue, weightedMean, widest, yearlyPct } from '../../format/funding-rates.ts';

type Ticker = AnswerOf<'/perps/tickers'>['data'][number];
type Oi = AnswerOf<'/perps/oi'>['data'][number];
type Funding = AnswerOf<'/perps/funding'>['data'][number];
type Liquidations = AnswerOf<'/perps/liquidations'>['data'][number];
type Positioning = AnswerOf<'/perps/positioning'>['data'][number];
type Whale = AnswerOf<'/perps/whales'>['data'][number];

/** Everything that is known of a coin, one figure for each column; `undefined`: not known. */
export interface ScreenerRow {
  readonly coin: string;
  readonly price: number | undefined;
  readonly change30m: number | undefined;
  readonly change1h: number | undefined;
  readonly change4h: number | undefined;
  readonly change12h: number | undefined;
  readonly change24h: number | undefined;
  readonly volatility: number | undefined;
  readonly volume: number | undefined;
  readonly oi: number | undefined;
  readonly funding: number | undefined;
  readonly spread: number | undefined;
  readonly basis: number | undefined;
  readonly liqLong: number | undefined;
  readonly liqShort: number | undefined;
  readonly whales: number | undefined;
  readonly long: number | undefined;
}

export interface ScreenerSources {
  readonly tickers: readonly Ticker[];
  readonly oi: readonly Oi[];
  readonly funding: readonly Funding[];
  readonly liquidations: readonly Liquidations[] | undefined;
  readonly positioning: readonly Positioning[];
  readonly whales: readonly Whale[] | undefined;
  /** One venue's open interest and funding, instead of those of all. */
  readonly venue: string;
}

const HALF_HOURS_PER_YEAR = 17_520;
const BPS = 10_000;

export function screenerRows(sources: ScreenerSources): readonly ScreenerRow[] {
  const { venue } = sources;
  const isWanted = (row: { readonly venue: string }): boolean => venue === '' || row.venue === venue;
  const oi = byCoinAndVenue(sources.oi.filter(isWanted), ({ oiUsd }) => oiUsd);
  const funding = byCoinAndVenue(sources.funding.filter(isWanted), yearlyPct);
  const everyRate = byCoinAndVenue(sources.funding, yearlyPct);
  const liquidated = new Map(sources.liquidations?.map((row) => [row.coin, row]));
  const long = new Map(
    sources.positioning
      .filter(({ view }) => view === 'global')
      .map((row) => [row.coin, row.longFraction * 100]),
  );
  const whales = new Map<string, number>();
  for (const { coin, side, notionalUsd } of sources.whales ?? [])
    whales.set(coin, (whales.get(coin) ?? 0) + (side === 'buy' ? notionalUsd : -notionalUsd));
  return sources.tickers.map((ticker): ScreenerRow => {
    const { coin, mark, index, closes, volume24hUsd, change24hPct } = ticker;
    const [held, rates] = [oi.get(coin), funding.get(coin)];
    const changeSince = (halfHours: number): number | undefined => {
      const before = closes.at(-halfHours);
      return before && mark ? (mark / before - 1) * 100 : undefined;
    };
    const liquidation = liquidated.get(coin);
    return {
      coin,
      price: mark ?? undefined,
      change30m: changeSince(1),
      change1h: changeSince(2),
      change4h: changeSince(8),
      change12h: changeSince(24),
      change24h: change24hPct ?? undefined,
      volatility: volatilityOf(closes),
      volume: volume24hUsd ?? undefined,
      oi: held && [...held.values()].reduce((sum, value) => sum + value, 0),
      funding: rates && (venue === '' ? held && weightedMean(rates, held) : rates.get(venue)),
      spread: widest(everyRate.get(coin) ?? new Map())?.pct,
      basis: mark && index ? (mark / index - 1) * BPS : undefined,
      liqLong: sources.liquidations && (liquidation?.long24hUsd ?? 0),
      liqShort: sources.liquidations && (liquidation?.short24hUsd ?? 0),
      whales: sources.whales && (whales.get(coin) ?? 0),
      long: long.get(coin),
    };
  });
}

/** Standard deviation of half-hour returns, in percent of a year. */
function volatilityOf(closes: readonly (number | null)[]): number | undefined {
  const returns = closes.flatMap((close, i) => {
    const before = closes[i - 1];
    return close && before ? [Math.log(close / before)] : [];
  });
  if (returns.length < 2) return undefined;
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1);
  return Math.sqrt(variance * HALF_HOURS_PER_YEAR) * 100;
}
