import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { number, orNull, resource, text, timeMs } from '../../http/field.ts';

export const Underlying = choice(['BTC', 'ETH', 'SOL', 'XRP'], {
  description: 'The coin that the options are on.',
});
export const OptionType = choice(['C', 'P'], { description: '`C` call, `P` put.' });
const fetchedAt = timeMs('When the chain was fetched.');
const strike = number('Strike in USD.');

export const OptionChainRow = resource(
  'OptionChainRow',
  'One option of the active chain.',
  {
    instrument: Type.String({
      pattern: '^[A-Z]+-\\d{2}[A-Z]{3}\\d{2}-[0-9.]+-[CP]$',
      description: 'Name of the form `<UNDERLYING>-<DDMMMYY>-<strike>-<C or P>`.',
    }),
    underlying: Underlying,
    strike,
    expiryMs: timeMs('When the option expires.'),
    type: OptionType,
    oi: number('Open interest in coins.'),
    volume24h: number('Volume of the last 24 hours in coins.'),
    markIv: number('Implied volatility of the mark price, in percent.'),
    markPrice: number('Mark price as quoted: in coins, or in USDC where the option is settled in it.'),
    underlyingPrice: number('Forward price of the expiry in USD.'),
    markPriceUsd: Type.Optional(number('Mark price in USD.')),
    delta: Type.Optional(
      number('Change of the price per dollar that the forward moves (Black-76, as `/options/gex`).'),
    ),
    gamma: Type.Optional(number('Change of `delta` per dollar that the forward moves.')),
    vega: Type.Optional(number('Change of the price in USD per percentage point of volatility.')),
    theta: Type.Optional(number('Change of the price in USD per day that passes.')),
    venueInstrument: Type.Optional(text("The venue's own name of the option.")),
  },
  {
    instrument: 'BTC-27NOV26-100000-C',
    underlying: 'BTC',
    strike: 100_000,
    expiryMs: 1_795_766_400_000,
    type: 'C',
    oi: 1_204.5,
    volume24h: 88.1,
    markIv: 48.2,
    markPrice: 0.0612,
    underlyingPrice: 105_931.4,
    markPriceUsd: 6_483,
    delta: 0.71,
    gamma: 0.0000192,
    vega: 52.1,
    theta: -98.7,
    venueInstrument: 'BTC-27NOV26-100000-C',
  },
);

const Wall = (description: string) =>
  Type.Object(
    { strike, gex: number('Exposure of that side in USD per 1 % move; negative for puts.') },
    { description },
  );

export const GexSummary = resource(
  'GexSummary',
  'Dealer gamma exposure, computed from the option chain (Black-76, r = 0; dealers long calls and short puts).',
  {
    underlying: Underlying,
    spot: number('Spot price in USD.'),
    totalGex: number('Net exposure of all strikes in USD per 1 % move.'),
    callWall: Wall('The strike with the largest call exposure.'),
    putWall: Wall('The strike with the largest put exposure.'),
    gammaFlip: orNull(
      Type.Number(),
      'Spot price in USD nearest to the present one at which the total exposure crosses zero; null when there is none.',
    ),
    strikes: Type.Array(
      Type.Object({
        strike,
        callOi: number('Open interest of calls in coins.'),
        putOi: number('Open interest of puts in coins.'),
        gex: number('Net exposure in USD per 1 % move.'),
        callGex: Type.Optional(number('Exposure of calls in USD per 1 % move.')),
        putGex: Type.Optional(number('Exposure of puts in USD per 1 % move, negative.')),
      }),
      { description: 'By strike, ascending.' },
    ),
    profile: Type.Optional(
      Type.Array(
        Type.Object({
          spot: number('Spot price in USD.'),
          gex: number('Net exposure at that price in USD per 1 % move.'),
        }),
        { description: 'Total exposure from 0.7 to 1.3 times spot in steps of 1 %, forwards in proportion.' },
      ),
    ),
    fetchedAt,
    convention: Type.Optional(text('The sign convention, in words.')),
    flipMethod: Type.Optional(text('How `gammaFlip` is found, in words.')),
    oiCoveredPct: Type.Optional(
      number(
        'Share of all open interest that the figures cover, in percent; absent while the book of USDC is not known.',
      ),
    ),
  },
  {
    underlying: 'BTC',
    spot: 105_931.4,
    totalGex: 184_233_912.4,
    callWall: { strike: 120_000, gex: 92_113_402.2 },
    putWall: { strike: 90_000, gex: -61_204_113.7 },
    gammaFlip: 101_442.8,
    strikes: [
      {
        strike: 100_000,
        callOi: 2_204.5,
        putOi: 1_812.1,
        gex: 4_113_204.1,
        callGex: 9_113_204.1,
        putGex: -5_000_000,
      },
    ],
    profile: [{ spot: 105_931.4, gex: 184_233_912.4 }],
    fetchedAt: 1_790_000_000_000,
    convention: 'dealers long calls, short puts',
    flipMethod: 're-priced over 0.5 to 1.5 times spot',
    oiCoveredPct: 93.4,
  },
);

export const SkewSummary = resource(
  'SkewSummary',
  'Implied volatility by strike and expiry.',
  {
    underlying: Underlying,
    smileByExpiry: Type.Record(
      Type.String(),
      Type.Array(
        Type.Object({
          strike,
          iv: number('Implied volatility as a fraction.'),
          type: OptionType,
          moneyness: number('Strike divided by the forward.'),
        }),
      ),
      { description: 'Expiry label (`DDMMMYY`) to the smile of that expiry.' },
    ),
    termStructure: Type.Array(
      Type.Object({
        expiryMs: timeMs('When the options expire.'),
        expiryLabel: text('Label of the expiry, `DDMMMYY`.'),
        dteDays: number('Days to expiry.'),
        atmIv: number('Implied volatility at the money, as a fraction.'),
        rr25: Type.Optional(number('25-delta risk reversal, as a fraction.')),
        bf25: Type.Optional(number('25-delta butterfly, as a fraction.')),
        maxPain: Type.Optional(
          number(
            'Strike in USD at which the options of the expiry pay least in total, the lowest of several. Absent without open interest in calls or in puts.',
          ),
        ),
      }),
      { description: 'By expiry, ascending.' },
    ),
    fetchedAt,
  },
  {
    underlying: 'BTC',
    smileByExpiry: { '27NOV26': [{ strike: 100_000, iv: 0.482, type: 'P', moneyness: 0.944 }] },
    termStructure: [
      {
        expiryMs: 1_795_766_400_000,
        expiryLabel: '27NOV26',
        dteDays: 66.74,
        atmIv: 0.463,
        rr25: 0.021,
        bf25: 0.008,
        maxPain: 100_000,
      },
    ],
    fetchedAt: 1_790_000_000_000,
  },
);

export const OptionLevelsSeries = resource(
  'OptionLevelsSeries',
  'Recorded levels of the options on a coin. A missing sample is missing, never repeated.',
  {
    underlying: Underlying,
    points: Type.Array(
      Type.Object({
        t: timeMs('Time of the sample.'),
        spot: number('Spot price in USD.'),
        totalGex: number('Net exposure of all strikes in USD per 1 % move.'),
        callWall: number('The strike with the largest call exposure, in USD.'),
        putWall: number('The strike with the largest put exposure, in USD.'),
        gammaFlip: orNull(
          Type.Number(),
          'Where the total exposure crosses zero, in USD; null when it does not.',
        ),
        callOi: number('Open interest of calls in coins.'),
        putOi: number('Open interest of puts in coins.'),
        atmIv30: Type.Optional(
          number(
            'Implied volatility at the money in 30 days, as a fraction: interpolated in total variance.',
          ),
        ),
      }),
      { description: 'Samples, oldest first.' },
    ),
    cadenceMs: number('Time between two samples in milliseconds: 600000, or 3600000 with `interval=1h`.'),
    retention: text('How long samples are kept.'),
    enabled: Type.Boolean({ description: 'Whether the record can be read.' }),
    fetchedAt,
  },
  {
    underlying: 'BTC',
    points: [
      {
        t: 1_789_999_800_000,
        spot: 105_931.4,
        totalGex: 184_233_912.4,
        callWall: 120_000,
        putWall: 90_000,
        gammaFlip: 101_442.8,
        callOi: 182_204.5,
        putOi: 101_812.1,
        atmIv30: 0.463,
      },
    ],
    cadenceMs: 600_000,
    retention: '90d',
    enabled: true,
    fetchedAt: 1_790_000_000_000,
  },
);

export const VolatilityIndexSeries = resource(
  'VolatilityIndexSeries',
  "A venue's own index of what the options on a coin imply for the next 30 days.",
  {
    underlying: Underlying,
    points: Type.Array(
      Type.Object({
        t: timeMs('When the day begins, at midnight UTC.'),
        open: number('First level of the day, as a fraction per year.'),
        high: number('Highest level.'),
        low: number('Lowest level.'),
        close: number('Last level.'),
      }),
      { description: 'Days, oldest first; the newest is in progress.' },
    ),
    cadenceMs: number('Time between two points in milliseconds.'),
    fetchedAt: timeMs('When the index was fetched.'),
  },
  {
    underlying: 'BTC',
    points: [{ t: 1_789_948_800_000, open: 0.4192, high: 0.434, low: 0.417, close: 0.4305 }],
    cadenceMs: 86_400_000,
    fetchedAt: 1_790_000_000_000,
  },
);
