import { DAY_MS, type EtfFlows, type ExchangeRate, type SpotBook, type SpotTicker } from '@crosstape/core';
import type { Snapshot } from '../../topics.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';
import type { VenueSpot } from '../rates/usdt-rate.ts';
import type { FlowInputs, TapeReading } from './flow-figures.ts';

export const NOW_MS = 1_790_000_000_000;

export function ticker(
  coin: string,
  quote: string,
  last: number,
  more: Partial<SpotTicker> = {},
): SpotTicker {
  return {
    coin,
    symbol: `${coin}-${quote}`,
    quote,
    last,
    volume24hCoins: 100,
    change24hPct: 1,
    bid: last - 1,
    ask: last + 1,
    ...more,
  };
}

export function snapshot<Row>(venue: string, rows: readonly Row[], ageMs = 0): Snapshot<Row> {
  return { venue, rows, fetchedAtMs: NOW_MS - ageMs, everyMs: 10_000 };
}

/** BTC at 100 000 USD on every venue, a tether at par. */
export function sampleSpots(
  pricesUsd: Readonly<Record<string, number>> = {},
  agesMs: Readonly<Record<string, number>> = {},
): readonly VenueSpot[] {
  return spotVenueNames.map(({ venue, source }) => {
    const rows = [
      ticker('BTC', 'USD', pricesUsd[venue] ?? 100_000),
      ticker('USDT', 'USD', 1, { bid: 1, ask: 1 }),
    ];
    return { venue, tickers: snapshot(source, rows, agesMs[venue] ?? 0) };
  });
}

export function koreanTicker(coin: string, last: number, more: Partial<SpotTicker> = {}): SpotTicker {
  return { coin, symbol: `KRW-${coin}`, quote: 'KRW', last, volume24hCoins: 10, venueTs: NOW_MS, ...more };
}

export function koreanBook(coin: string, mid: number, more: Partial<SpotBook> = {}): SpotBook {
  return {
    coin,
    symbol: `KRW-${coin}`,
    quote: 'KRW',
    bid: mid - 1_000,
    ask: mid + 1_000,
    bidSize: 6,
    askSize: 4,
    venueTs: NOW_MS,
    ...more,
  };
}

export function rate(krw: number, ageMs = 0): ExchangeRate {
  return { coin: 'USD', quote: 'KRW', rate: krw, asOfMs: NOW_MS - ageMs };
}

/** Complete days with these totals, the last of them yesterday. */
export function etfDays(...totalsUsdm: readonly number[]): EtfFlows {
  const today = Math.floor(NOW_MS / DAY_MS) * DAY_MS;
  return {
    coin: 'BTC',
    tickers: ['AAA'],
    days: totalsUsdm.map((totalUsdm, i) => {
      const dayMs = today - (totalsUsdm.length - i) * DAY_MS;
      return { label: `${i}`, dayMs, flowsUsdm: { AAA: totalUsdm }, totalUsdm };
    }),
    isSinceLaunch: true,
  };
}

export function tape(netUsd: number, volumeUsd: number, more: Partial<TapeReading> = {}): TapeReading {
  return { netUsd, volumeUsd, largeNetUsd: 0, isReceiving: true, isWhole: true, ...more };
}

/** All inputs present, with ordinary values. */
export function sampleInputs(more: Partial<FlowInputs> = {}): FlowInputs {
  return {
    coin: 'BTC',
    nowMs: NOW_MS,
    spots: sampleSpots(),
    korea: {
      tickers: snapshot('upbit', [koreanTicker('BTC', 140_000_000), koreanTicker('USDT', 1_400)]),
      books: snapshot('upbit', [koreanBook('BTC', 140_000_000)]),
      rates: [snapshot('dunamu', [rate(1_400)])],
    },
    etf: { flows: snapshot('farside', [etfDays(10, -10, 10, -10, 0)]), isOk: true },
    proxyTape: tape(0, 1_000_000),
    primaryTape: tape(0, 10_000_000),
    deviation: { sigmaUsd: 100_000, samples: 1_440 },
    ...more,
  };
}
