import type { AnswerOf } from '@crosstape/client';
import { byCoinAndVenue, weightedMean, widest, yearlyPct } from '../../format/funding-rates.ts';
import { perpVenues } from '../../format/venues.ts';

export type Ticker = AnswerOf<'/perps/tickers'>['data'][number];
type Oi = AnswerOf<'/perps/oi'>['data'][number];
type OiChange = AnswerOf<'/perps/oi/changes'>['data'][number];
type Cvd = AnswerOf<'/perps/cvd'>['data'][number];
type Funding = AnswerOf<'/perps/funding'>['data'][number];
type Liquidations = AnswerOf<'/perps/liquidations'>['data'][number];
type Positioning = AnswerOf<'/perps/positioning'>['data'][number];
type Volume = AnswerOf<'/perps/volume'>['data'][number];
type Whale = AnswerOf<'/perps/whales'>['data'][number];

/** Funding or volume of one venue: `funding_okx`. */
export type VenueFigure = `${'funding' | 'volume'}_${(typeof perpVenues)[number]}`;

/** Figures of a coin, in the order of their columns. */
export const ownFigures = [
  'price',
  'change30m',
  'change1h',
  'change4h',
  'change12h',
  'change24h',
  'volatility',
  'volume',
  'volumeAll',
  'volumeShare',
  'oi',
  'oi1h',
  'oi4h',
  'oi24h',
  'funding',
  'spread',
  'basis',
  'cvd1h',
  'cvd4h',
  'cvd24h',
  'liqLong',
  'liqShort',
  'whales',
  'long',
] as const;
export type OwnFigure = (typeof ownFigures)[number];
export type Figure = OwnFigure | VenueFigure;
export const fundingFigures = perpVenues.map((venue): VenueFigure => `funding_${venue}`);
export const volumeFigures = perpVenues.map((venue): VenueFigure => `volume_${venue}`);
export const venueFigures = [...fundingFigures, ...volumeFigures];
export const figureNames: readonly Figure[] = [...ownFigures, ...venueFigures];

/** All figures of a coin, one per column; `undefined`: unknown. */
export type ScreenerRow = { readonly coin: string } & Readonly<Record<OwnFigure, number | undefined>> &
  Readonly<Partial<Record<VenueFigure, number>>>;

export interface ScreenerSources {
  readonly tickers: readonly Ticker[];
  readonly oi: readonly Oi[];
  readonly oiChanges: readonly OiChange[];
  readonly cvd: readonly Cvd[];
  readonly funding: readonly Funding[];
  readonly liquidations: readonly Liquidations[] | undefined;
  readonly positioning: readonly Positioning[];
  /** Absent while no figure needs them. */
  readonly volumes: readonly Volume[] | undefined;
  /** All large prints of a period. */
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
  const oiChanges = new Map<string, OiChange[]>();
  for (const row of sources.oiChanges.filter(isWanted))
    oiChanges.set(row.coin, [...(oiChanges.get(row.coin) ?? []), row]);
  const cvd = new Map(sources.cvd.map((row) => [row.coin, row]));
  const liquidated = new Map(sources.liquidations?.map((row) => [row.coin, row]));
  const long = new Map(
    sources.positioning
      .filter(({ view }) => view === 'global')
      .map((row) => [row.coin, row.longFraction * 100]),
  );
  const traded = byCoinAndVenue(sources.volumes ?? [], ({ volume24hUsd }) => volume24hUsd);
  const whales = new Map<string, number>();
  for (const { coin, side, notionalUsd } of sources.whales ?? [])
    whales.set(coin, (whales.get(coin) ?? 0) + (side === 'buy' ? notionalUsd : -notionalUsd));
  return sources.tickers.map((ticker): ScreenerRow => {
    const { coin, mark, index, closes, volume24hUsd } = ticker;
    const [held, rates] = [oi.get(coin), funding.get(coin)];
    const oiChange = (pctOf: (row: OiChange) => number | null): number | undefined =>
      held && totalChangePct(oiChanges.get(coin) ?? [], held, pctOf);
    const liquidation = liquidated.get(coin);
    const volumes = traded.get(coin);
    const byVenue = [
      ...[...(everyRate.get(coin) ?? [])].map(([id, rate]) => [`funding_${id}`, rate] as const),
      ...[...(volumes ?? [])].map(([id, usd]) => [`volume_${id}`, usd] as const),
    ];
    return {
      coin,
      ...priceFigures(ticker, mark ?? undefined),
      volatility: volatilityOf(closes),
      volume: volume24hUsd ?? undefined,
      ...volumeFiguresOf(volumes),
      oi: held && [...held.values()].reduce((sum, value) => sum + value, 0),
      oi1h: oiChange((row) => row.change1hPct),
      oi4h: oiChange((row) => row.change4hPct),
      oi24h: oiChange((row) => row.change24hPct),
      funding: rates && (venue === '' ? held && weightedMean(rates, held) : rates.get(venue)),
      spread: widest(everyRate.get(coin) ?? new Map())?.pct,
      basis: mark && index ? (mark / index - 1) * BPS : undefined,
      cvd1h: cvd.get(coin)?.cvd1hUsd ?? undefined,
      cvd4h: cvd.get(coin)?.cvd4hUsd ?? undefined,
      cvd24h: cvd.get(coin)?.cvd24hUsd ?? undefined,
      liqLong: sources.liquidations && (liquidation?.long24hUsd ?? 0),
      liqShort: sources.liquidations && (liquidation?.short24hUsd ?? 0),
      whales: sources.whales && (whales.get(coin) ?? 0),
      long: long.get(coin),
      ...Object.fromEntries(byVenue),
    };
  });
}

/** Volume over all venues that report it, and the share of the largest in percent. */
function volumeFiguresOf(volumes: ReadonlyMap<string, number> = new Map()) {
  const all = [...volumes.values()].reduce((sum, value) => sum + value, 0);
  return {
    volumeAll: volumes.size === 0 ? undefined : all,
    volumeShare: all > 0 ? (Math.max(...volumes.values()) / all) * 100 : undefined,
  };
}

/** The figures of a coin that change with its price. */
export function priceFigures({ mark, closes, change24hPct }: Ticker, price: number | undefined) {
  const changeSince = (halfHours: number): number | undefined => {
    const before = closes.at(-halfHours);
    return before && price ? (price / before - 1) * 100 : undefined;
  };
  /** By which factor it has moved since the answer. */
  const moved = price && mark ? price / mark : 1;
  const change24h = change24hPct ?? undefined;
  return {
    price,
    change30m: changeSince(1),
    change1h: changeSince(2),
    change4h: changeSince(8),
    change12h: changeSince(24),
    change24h: change24h === undefined || moved === 1 ? change24h : (100 + change24h) * moved - 100,
  };
}

/** Change of the sum over venues, at today's prices, weighted by open interest. */
function totalChangePct(
  rows: readonly OiChange[],
  held: ReadonlyMap<string, number>,
  pctOf: (row: OiChange) => number | null,
): number | undefined {
  let [now, before] = [0, 0];
  for (const row of rows) {
    const [usd, pct] = [held.get(row.venue), pctOf(row)];
    if (usd === undefined || pct === null || pct <= -100) continue;
    now += usd;
    before += usd / (1 + pct / 100);
  }
  return before > 0 ? (now / before - 1) * 100 : undefined;
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
