import { Type } from 'typebox';
import { hourlyFundingVenues, usdOnlyVenues } from '../markets/venue-ids.ts';
import { choice } from '../../http/parameter.ts';
import { count, flag, number, orNull, resource, text, timeMs } from '../../http/field.ts';

const coin = text('Ticker of the coin, as the primary venue spells it (`BTC`, `kPEPE`).');
const venue = text('Venue id (`hyperliquid`).');
const fetchedAt = timeMs('When the value was fetched from the venue.');
const quote = text(
  'Currency that the contract named by `symbol` is quoted in: `USD`, `USDT` or `USDC`. Figures in USD are converted.',
);
const stale = Type.Optional(flag('True when three refreshes have passed since it was fetched.'));

export const Side = choice(['buy', 'sell'], { description: "The taker's side." });

export const OiSnap = resource(
  'OiSnap',
  'Open interest of one coin on one venue: one-sided, summed over the linear USD, USDT and USDC perpetuals of the coin.',
  {
    coin,
    venue,
    oiUsd: number('Open interest in USD: at the mark, converted from USDT and USDC at their rates.'),
    oiContracts: number(
      `Open interest in the venue's own contracts (coins on \`hyperliquid\`). Always 0 on ${usdOnlyVenues}, which report USD only.`,
    ),
    fetchedAt,
    oiCoin: Type.Optional(number(`Open interest in units of the coin. Absent on ${usdOnlyVenues}.`)),
    symbol: Type.Optional(text("The venue's spelling of the contract with the most open interest.")),
    quote: Type.Optional(quote),
    unconverted: Type.Optional(
      flag(
        'True when the rate of USDT or USDC is not known: `oiUsd` then counts each as one dollar, and `meta.sources` says so.',
      ),
    ),
    stale,
  },
  {
    coin: 'BTC',
    venue: 'hyperliquid',
    oiUsd: 2_871_440_112.35,
    oiContracts: 27_101.95488,
    fetchedAt: 1_790_000_000_000,
    oiCoin: 27_101.95488,
    symbol: 'BTC',
    quote: 'USD',
  },
);

export const FundingSnap = resource(
  'FundingSnap',
  'Current funding rate of one coin on one venue, of the contract with the most open interest.',
  {
    coin,
    venue,
    rate: number('Funding rate per `periodHours`, as a decimal fraction. Positive: longs pay shorts.'),
    periodHours: number(
      `Hours that \`rate\` covers: 1 on ${hourlyFundingVenues}, 8 on all other venues, to which their native rate is scaled.`,
      { minimum: 1 },
    ),
    fetchedAt,
    native: Type.Optional(
      Type.Object(
        {
          rate: number("The rate as the venue quotes it, as a decimal fraction per the venue's own period."),
          periodHours: number("Hours of the venue's own period."),
        },
        { description: 'The rate before scaling.' },
      ),
    ),
    nextFundingTs: Type.Optional(timeMs('When this rate is paid.')),
    symbol: Type.Optional(text("The venue's spelling of the contract.")),
    stale,
  },
  {
    coin: 'BTC',
    venue: 'hyperliquid',
    rate: 0.0000125,
    periodHours: 1,
    fetchedAt: 1_790_000_000_000,
    native: { rate: 0.0000125, periodHours: 1 },
    nextFundingTs: 1_790_002_800_000,
    symbol: 'BTC',
  },
);

export const PerpTicker = resource(
  'PerpTicker',
  'Price of a coin on the primary venue, with its change over the last day.',
  {
    coin,
    venue,
    mark: number('Mark price in USD.'),
    index: orNull(Type.Number(), 'Index price in USD; null where the venue does not send it.'),
    mid: orNull(
      Type.Number(),
      'Middle between best bid and best ask in USD; null while a side of the book is empty.',
    ),
    volume24h: orNull(
      Type.Number(),
      'Traded within 24 hours in units of the coin; null where the venue does not say.',
    ),
    volume24hUsd: orNull(Type.Number(), 'The same in USD.'),
    change24hPct: orNull(
      Type.Number(),
      'Change of the mark against the price of 24 hours ago in percent; null for a coin that is younger.',
    ),
    closes: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
      description:
        'Prices of the last trade in each of the last 48 whole half hours of the recorded tape, oldest first; null where no trade is recorded. Empty while the tape has not been read.',
    }),
    closesUntil: orNull(
      Type.Integer(),
      'End of the newest of these half hours, in milliseconds since the Unix epoch; null while the tape has not been read.',
    ),
    sinceTs: Type.Optional(
      timeMs(
        'Start of the record while `closes` covers less than 24 hours. Volume and change are those of the venue, and always of 24 hours.',
      ),
    ),
    fetchedAt,
  },
  {
    coin: 'BTC',
    venue: 'hyperliquid',
    mark: 77_562,
    index: 77_605,
    mid: 77_558.5,
    volume24h: 19_707.77457,
    volume24hUsd: 1_516_669_192.2,
    change24hPct: 1.63,
    closes: [76_317, 76_402, null, 77_560],
    closesUntil: 1_789_999_200_000,
    sinceTs: 1_789_990_000_000,
    fetchedAt: 1_790_000_000_000,
  },
);

export const VolumeSnap = resource(
  'VolumeSnap',
  'Volume of one coin on one venue over the last 24 hours, as the venue reports it: summed over the linear USD, USDT and USDC perpetuals of the coin.',
  {
    coin,
    venue,
    volume24hUsd: number('Volume in USD, converted from USDT and USDC at their rates.', { minimum: 0 }),
    volume24h: orNull(
      Type.Number({ minimum: 0 }),
      'Volume in units of the coin; null where the venue reports the amount only.',
    ),
    method: choice(['reported', 'lastPrice'], {
      description:
        '`reported`: the venue reports the amount in the quote currency. `lastPrice`: it reports coins, which are multiplied by its last price.',
    }),
    fetchedAt,
    unconverted: Type.Optional(
      flag(
        'True when the rate of USDT or USDC is not known: `volume24hUsd` then counts each as one dollar, and `meta.sources` says so.',
      ),
    ),
    stale,
  },
  {
    coin: 'BTC',
    venue: 'binance',
    volume24hUsd: 12_478_494_910.34,
    volume24h: 131_075.12,
    method: 'reported',
    fetchedAt: 1_790_000_000_000,
  },
);

const cadenceMs = number('Time between two samples in milliseconds: 600000, or 3600000 with `interval=1h`.');
const retention = text('How far back samples are kept (`7d`), rolling.');
const origin = choice(['recorded', 'venue'], {
  description:
    "`recorded`: the venue's current figure at that time. `venue`: from the venue's own history, requested later; a rate is then the one that was paid at that time.",
});
const recordingSince = Type.Optional(
  timeMs(
    'When what is kept begins: before the first sample after it, `points` is empty. Absent while it cannot be read.',
  ),
);
const enabled = flag('False while the history cannot be read; `points` is then empty.');

export const OiHistorySeries = resource(
  'OiHistorySeries',
  'Open interest of a coin over time: on the primary venue unless another is named. A missing sample is missing, never repeated.',
  {
    coin,
    venue,
    points: Type.Array(
      Type.Object({
        t: timeMs('Time of the sample.'),
        v: number("Open interest in the venue's contracts, over all linear contracts of the coin."),
        origin: Type.Optional(origin),
      }),
      { description: 'Samples, oldest first.' },
    ),
    cadenceMs,
    retention,
    enabled,
    recordingSince,
    fetchedAt,
  },
  {
    coin: 'BTC',
    venue: 'hyperliquid',
    points: [{ t: 1_789_999_800_000, v: 27_098.1 }],
    cadenceMs: 600_000,
    retention: '7d',
    enabled: true,
    recordingSince: 1_789_395_200_000,
    fetchedAt: 1_790_000_000_000,
  },
);

export const FundingHistorySeries = resource(
  'FundingHistorySeries',
  'Recorded funding rates of a coin by venue. A missing sample is missing, never repeated.',
  {
    coin,
    points: Type.Array(
      Type.Object({
        ts: timeMs('Time of the sample.'),
        byVenue: Type.Record(Type.String(), Type.Number(), {
          description: 'Venue id to funding rate, a decimal fraction per the `periodHours` of that venue.',
        }),
        nativePeriodHours: Type.Optional(
          Type.Record(Type.String(), Type.Number(), {
            description: "Venue id to the hours of the venue's own period at that time.",
          }),
        ),
        origin: Type.Optional(
          Type.Record(Type.String(), origin, { description: 'Venue id to where its rate comes from.' }),
        ),
      }),
      { description: 'Samples, oldest first.' },
    ),
    cadenceMs,
    retention,
    enabled,
    recordingSince,
    fetchedAt,
    periodHours: Type.Optional(
      Type.Record(Type.String(), Type.Number(), {
        description: 'Venue id to the hours that its rates cover.',
      }),
    ),
  },
  {
    coin: 'BTC',
    points: [
      {
        ts: 1_789_999_800_000,
        byVenue: { hyperliquid: 0.0000125, binance: 0.0001 },
        nativePeriodHours: { hyperliquid: 1, binance: 8 },
      },
    ],
    cadenceMs: 600_000,
    retention: '7d',
    enabled: true,
    recordingSince: 1_789_395_200_000,
    fetchedAt: 1_790_000_000_000,
    periodHours: { hyperliquid: 1, binance: 8 },
  },
);

export const PositioningSnap = resource(
  'PositioningSnap',
  'How the accounts of a venue are positioned in a coin.',
  {
    coin,
    venue,
    view: choice(['global', 'top'], { description: '`global`: all accounts; `top`: the largest traders.' }),
    longFraction: number('Share that is long, 0 to 1.', { minimum: 0, maximum: 1 }),
    longShortRatio: number('Long divided by short.', { minimum: 0 }),
    fetchedAt,
    basis: Type.Optional(
      choice(['accounts', 'positions'], {
        description: 'What is counted: accounts, or the size of positions.',
      }),
    ),
  },
  {
    coin: 'BTC',
    venue: 'binance',
    view: 'global',
    longFraction: 0.6123,
    longShortRatio: 1.5793,
    fetchedAt: 1_790_000_000_000,
    basis: 'accounts',
  },
);

export const WhaleTick = resource(
  'WhaleTick',
  'A large print: all fills of one taker order.',
  {
    coin,
    side: Side,
    notionalUsd: number('Price times size of all fills, in USD.', { minimum: 0 }),
    price: number("Volume-weighted price of the fills, in the market's quote currency.", { minimum: 0 }),
    ts: timeMs('Tape time of the order.'),
    venue,
    size: Type.Optional(number('Size of all fills, in units of the coin.', { minimum: 0 })),
    fills: Type.Optional(count('Number of fills.')),
    tid: Type.Optional(
      Type.Integer({
        description: "The venue's id of the first fill; with `coin` and `ts` it names the print.",
      }),
    ),
    market: Type.Optional(text('With `market` or `venues=all`: id of the market.')),
    grouping: Type.Optional(
      choice(['order', 'time'], {
        description:
          "Of another than the primary venue: fills are joined by the venue's order, or by their time and side.",
      }),
    ),
  },
  {
    coin: 'ETH',
    side: 'buy',
    notionalUsd: 412_889.12,
    price: 3_811.27,
    ts: 1_790_000_000_123,
    venue: 'hyperliquid',
    size: 108.3338,
    fills: 14,
    tid: 881_203_113_290_411,
  },
);

export function sideTotals(description: string) {
  return Type.Object(
    {
      longUsd: number('Liquidated longs in USD.'),
      shortUsd: number('Liquidated shorts in USD.'),
      count: count('Number of liquidations.'),
    },
    { description },
  );
}

export const LiquidationSnap = resource(
  'LiquidationSnap',
  'Liquidations of a coin in the last 24 hours, each venue counted from exactly one source.',
  {
    coin,
    long24hUsd: number('Liquidated longs in USD.'),
    short24hUsd: number('Liquidated shorts in USD.'),
    max24hUsd: number('Largest single liquidation in USD.'),
    venues: Type.Array(Type.String(), { description: 'Ids of the venues that contributed.' }),
    fetchedAt,
    measured: Type.Optional(
      sideTotals('Reported by venues; a lower bound where a venue reports at most one a second.'),
    ),
    inferred: Type.Optional(sideTotals('What the tape of the primary venue shows.')),
    quotes: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Currencies that the counted contracts are quoted in; figures are converted to USD.',
      }),
    ),
    unconverted: Type.Optional(
      flag(
        'True when the rate of USDT or USDC was not known for some of them: these count each as one dollar.',
      ),
    ),
    sinceTs: Type.Optional(timeMs('Start of the record while it covers less than 24 hours.')),
    aggregated: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Ids of the venues whose own feed was not connected for the whole 24 hours, and which are counted by the aggregator named in `meta.source` instead. It has sums only, so they are not part of `measured.count`. Absent when there is none.',
      }),
    ),
  },
  {
    coin: 'BTC',
    long24hUsd: 18_240_113.5,
    short24hUsd: 7_112_004.25,
    max24hUsd: 1_204_442,
    venues: ['binance', 'hyperliquid'],
    fetchedAt: 1_790_000_000_000,
    measured: { longUsd: 15_000_000, shortUsd: 7_000_000, count: 812 },
    inferred: { longUsd: 3_240_113.5, shortUsd: 112_004.25, count: 9 },
    quotes: ['USD', 'USDT'],
    sinceTs: 1_789_990_000_000,
  },
);
