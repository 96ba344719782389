import { Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import { flag, number, resource, text, timeMs } from '../../http/field.ts';

const Asset = choice(['bitcoin', 'ethereum'], { description: 'The asset.' });
const fetchedAt = timeMs('When it was fetched.');

export const EtfFlowsSnap = resource(
  'EtfFlowsSnap',
  'Net flows of the spot ETFs of an asset on the trading days of the last 30 calendar days.',
  {
    asset: Asset,
    tickers: Type.Array(Type.String(), { description: 'Tickers of the ETFs.' }),
    rows: Type.Array(
      Type.Object({
        dateLabel: text('The day, as the source writes it.'),
        dateMs: timeMs('00:00 UTC of the day.'),
        values: Type.Record(Type.String(), Type.Number(), {
          description: 'ETF ticker to net flow in millions of USD. Not yet reported: absent, never 0.',
        }),
        total: number('Net flow of the day in millions of USD, over the funds that have reported.'),
        partial: Type.Optional(flag('True while a fund that is expected to report has not.')),
      }),
      { description: 'By day, ascending.' },
    ),
    latestTotalUsdm: number('Net flow of the last complete day in millions of USD.'),
    cumulativeUsdm: number(
      'Sum of all flows in millions of USD: since launch where the source goes back so far, else over `rows`; without `refusedDays`.',
    ),
    fetchedAt,
    latestDateMs: Type.Optional(timeMs('00:00 UTC of the last complete day, however long ago that is.')),
    cumulativeFromMs: Type.Optional(timeMs('Start of `cumulativeUsdm` where it is not the launch.')),
    refusedDays: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Days with inconsistent figures, as the source writes them: they are in no figure here.',
      }),
    ),
  },
  {
    asset: 'bitcoin',
    tickers: ['IBIT', 'FBTC'],
    rows: [
      {
        dateLabel: '20 Sep 2026',
        dateMs: 1_789_862_400_000,
        values: { IBIT: 112.4, FBTC: -20.1 },
        total: 92.3,
        partial: false,
      },
    ],
    latestTotalUsdm: 92.3,
    cumulativeUsdm: 61_240.5,
    fetchedAt: 1_790_000_000_000,
    latestDateMs: 1_789_862_400_000,
    cumulativeFromMs: 1_787_270_400_000,
    refusedDays: ['14 Sep 2026'],
  },
);

export const TreasurySnap = resource(
  'TreasurySnap',
  'Public company holdings of an asset.',
  {
    asset: Asset,
    totalHoldings: number('Holdings of all companies in coins.'),
    totalValueUsd: number('Their value in USD.'),
    marketCapDominance: number(
      'Their share of the market capitalisation, in percent; 0 when that is not known.',
    ),
    companies: Type.Array(
      Type.Object({
        name: text('Name of the company.'),
        symbol: text('Its ticker; empty when it has none.'),
        country: text('Its country; empty when it is not known.'),
        totalHoldings: number('Holdings in coins.'),
        totalEntryValueUsd: number('What they cost in USD; 0 when that is not known.'),
        totalCurrentValueUsd: number('What they are worth in USD.'),
        percentageOfTotalSupply: number('Share of all coins, in percent; 0 when that is not known.'),
      }),
      { description: 'The companies.' },
    ),
    fetchedAt,
  },
  {
    asset: 'bitcoin',
    totalHoldings: 1_012_334,
    totalValueUsd: 107_240_113_000,
    marketCapDominance: 5.1,
    companies: [
      {
        name: 'Example Holdings',
        symbol: 'EXMP.US',
        country: 'US',
        totalHoldings: 12_000,
        totalEntryValueUsd: 601_000_000,
        totalCurrentValueUsd: 1_271_176_800,
        percentageOfTotalSupply: 0.057,
      },
    ],
    fetchedAt: 1_790_000_000_000,
  },
);

export const ValuationSnap = resource(
  'ValuationSnap',
  'Valuation metrics of bitcoin.',
  {
    asset: choice(['bitcoin'], { description: 'The asset.' }),
    mvrvZScore: number('Market value against realised value, in standard deviations.'),
    nupl: number('Net unrealised profit and loss, as a fraction of the market value.'),
    puellMultiple: number("Miners' daily income against its yearly mean."),
    reserveRisk: number('Price against the confidence of long-term holders.'),
    realizedCap: number('Realised capitalisation in USD.'),
    asOfDate: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: "The oldest of the metrics' days, `YYYY-MM-DD`.",
    }),
    fetchedAt,
    asOfByMetric: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Metric to the day that it is of.' }),
    ),
  },
  {
    asset: 'bitcoin',
    mvrvZScore: 2.31,
    nupl: 0.54,
    puellMultiple: 1.12,
    reserveRisk: 0.0024,
    realizedCap: 1_041_113_000_000,
    asOfDate: '2026-09-20',
    fetchedAt: 1_790_000_000_000,
    asOfByMetric: { nupl: '2026-09-20' },
  },
);
