import {
  type BookLevel,
  type CoinMatch,
  priceInUnit,
  sizeInUnit,
  type TableName,
  type Tables,
  type VenueBook,
} from '@crosstape/core';
import type { DataFrame } from './feed-sink.ts';

type Match = (base: string) => CoinMatch;

interface Fields {
  /** Count coins. */
  readonly sizes: readonly string[];
  /** Are prices of one coin. */
  readonly prices: readonly string[];
}

type NumberIn<Row> = {
  [Field in keyof Row]-?: NonNullable<Row[Field]> extends number ? Field : never;
}[keyof Row];

const optionFields = { sizes: ['openInterest', 'volume24hCoins'], prices: ['strike', 'forward'] } as const;

/** Fields in the unit of the coin, by table. Dollars, rates and contracts do not depend on it. */
const fieldsOf: Readonly<Partial<Record<TableName, Fields>>> = {
  instruments: { sizes: ['contractSize'], prices: ['tick'] },
  openInterest: { sizes: ['coins'], prices: [] },
  prices: { sizes: [], prices: ['mark', 'index', 'mid', 'prevDayPrice'] },
  volumes: { sizes: ['coins'], prices: [] },
  indexPrices: { sizes: [], prices: ['index'] },
  spotQuotes: { sizes: [], prices: ['last', 'bid', 'ask'] },
  spotTickers: { sizes: ['volume24hCoins'], prices: ['last', 'bid', 'ask'] },
  dayOpens: { sizes: [], prices: ['open'] },
  spotBooks: { sizes: ['bidSize', 'askSize'], prices: ['bid', 'ask'] },
  btcOptions: optionFields,
  ethOptions: optionFields,
  usdcOptions: optionFields,
} satisfies {
  readonly [Name in TableName]?: {
    readonly sizes: readonly NumberIn<Tables[Name]>[];
    readonly prices: readonly NumberIn<Tables[Name]>[];
  };
};

/** Rows of a table under the primary venue's coins, in their units. */
export function rowsInCoinUnits<Name extends TableName>(
  table: Name,
  rows: readonly Tables[Name][],
  match: Match,
): readonly Tables[Name][] {
  const { [table]: fields = { sizes: [], prices: [] } } = fieldsOf;
  return rows.map((row) => inCoinUnits(row, fields, match));
}

const quoted: Fields = { sizes: [], prices: ['last', 'bid', 'ask'] };
const traded: Fields = { sizes: ['size'], prices: ['price'] };

/** A frame under the primary venue's coins, in their units. */
export function frameInCoinUnits(frame: DataFrame, match: Match): DataFrame {
  switch (frame.kind) {
    case 'trades':
      return { ...frame, trades: frame.trades.map((trade) => inCoinUnits(trade, traded, match)) };
    case 'liquidations':
      return { ...frame, liquidations: frame.liquidations.map((one) => inCoinUnits(one, traded, match)) };
    // Trades and books of a market keep the venue's own unit: they are converted when they are read.
    case 'marketTrades':
    case 'bookChange':
    case 'bookGap':
      return frame;
    case 'quotes':
      return { ...frame, quotes: frame.quotes.map((quote) => inCoinUnits(quote, quoted, match)) };
    default:
      return { ...frame, book: bookInCoinUnits(frame.book, match) };
  }
}

function bookInCoinUnits(book: VenueBook, match: Match): VenueBook {
  const { coin, unit } = match(book.coin);
  const scale = ([price, size, count]: BookLevel): BookLevel => [
    priceInUnit(price, unit),
    sizeInUnit(size, unit),
    count,
  ];
  return { ...book, coin, bids: book.bids.map(scale), asks: book.asks.map(scale) };
}

function inCoinUnits<Row extends { readonly coin: string }>(row: Row, fields: Fields, match: Match): Row {
  const { coin, unit } = match(row.coin);
  if (unit === 1) return coin === row.coin ? row : { ...row, coin };
  const scale = (names: readonly string[], inUnit: typeof sizeInUnit): (readonly [string, number])[] =>
    names.flatMap((name) => {
      const value = row[name as keyof Row];
      return typeof value === 'number' ? [[name, inUnit(value, unit)] as const] : [];
    });
  const scaled = Object.fromEntries([
    ...scale(fields.sizes, sizeInUnit),
    ...scale(fields.prices, priceInUnit),
  ]);
  return { ...row, ...scaled, coin };
}
