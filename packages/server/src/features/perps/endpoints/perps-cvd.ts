import { type Candle, DAY_MS, HOUR_MS, intervalStart, MINUTE_MS, roundTo } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { coinsMeta } from '../../../http/envelope.ts';
import { coinName, commaList } from '../../../http/parameter.ts';
import { nextTurn } from '../../../platform/next-turn.ts';
import { marketKey } from '../../../store/market-key.ts';
import { type CandlePage, completeness } from '../../candles/candle-reader.ts';
import { eachCandleOf } from '../../candles/candle-parts.ts';
import { endpoint } from '../../context.ts';
import { deltaOf } from '../../flows/cvd.ts';
import { knownCoins } from '../../markets/known-coin.ts';
import { tapeMeta } from '../../tape/tape-meta.ts';
import { CvdWindows } from '../changes-schema.ts';

const USD_DECIMALS = 2;
/** The newest minute grows with every trade: an answer is reused for this long. */
const REUSE_MS = 30_000;

export const perpsCvd = endpoint({
  path: '/perps/cvd',
  summary: 'Volume delta by coin',
  description:
    'Taker-buy less taker-sell value of each coin on the primary venue over 1, 4 and 24 hours, from the recorded tape; the last is of 24 hours on the clock, the one in progress included. `/flows/cvd` has the series of one coin, by market.',
  query: Type.Object({
    coins: Type.Optional(
      commaList(coinName({ description: 'Ticker.' }), {
        description: 'Tickers, in any case. Omitted: every coin of the primary venue.',
        examples: [['BTC', 'ETH']],
      }),
    ),
  }),
  data: Type.Array(CvdWindows),
  meta: coinsMeta,
  cacheSeconds: 30,
  examples: [
    { summary: 'Every coin', search: '' },
    { summary: 'Two coins', search: 'coins=BTC,ETH' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coins: texts }, context) {
    const { nowMs } = context;
    const { candles, coverage, markets, primaryVenue, tape } = context.resources;
    const { coins, unknown } = await knownCoins(context, texts);
    const ticks = markets?.primary.ticks;
    const data: Static<typeof CvdWindows>[] = [];
    for (const coin of ticks ? coins : []) {
      const market = { id: marketKey(primaryVenue, coin), symbol: coin, ticks: ticks!, tape, coverage };
      const read = async ({ from, to, intervalMs }: CvdSpan): Promise<CandlePage> =>
        candles.read(market, {
          from,
          to,
          intervalMs,
          limit: Math.ceil((to - from) / intervalMs),
          caller: context.caller,
        });
      const [hours, minutes] = cvdSpans(nowMs);
      const pages = [await read(hours), await read(minutes)];
      if (pages.some(({ tapeFrom }) => tapeFrom !== undefined))
        data.push({ coin, venue: primaryVenue, ...windowsOf(pages, nowMs) });
      await nextTurn(context.caller);
    }
    return {
      data,
      meta: {
        ...(await tapeMeta(context, { toMs: nowMs })),
        ...(unknown.length > 0 && { unknown: [...unknown] }),
      },
      validUntilMs: nowMs + REUSE_MS,
    };
  },
});

interface CvdSpan {
  readonly from: number;
  readonly to: number;
  readonly intervalMs: number;
}

/** Hours that are over, which are cheap to read, and the minutes of the last four. */
function cvdSpans(nowMs: number): readonly [hours: CvdSpan, minutes: CvdSpan] {
  const seam = intervalStart(nowMs - 4 * HOUR_MS, HOUR_MS);
  const from = intervalStart(nowMs, HOUR_MS) + HOUR_MS - DAY_MS;
  return [
    { from, to: seam, intervalMs: HOUR_MS },
    { from: seam, to: nowMs + 1, intervalMs: MINUTE_MS },
  ];
}

function windowsOf(
  pages: readonly Pick<CandlePage, 'parts' | 'gaps' | 'tapeFrom'>[],
  nowMs: number,
): Omit<Static<typeof CvdWindows>, 'coin' | 'venue'> {
  const [{ from }] = cvdSpans(nowMs);
  const minute = intervalStart(nowMs, MINUTE_MS);
  const starts = [minute - HOUR_MS, minute - 4 * HOUR_MS, from];
  const sums = starts.map(() => 0);
  const add = (candle: Candle): void => {
    if (candle.origin !== 'tape') return;
    const { usd } = deltaOf(candle);
    for (const [i, start] of starts.entries()) if (candle.ts >= start) sums[i]! += usd;
  };
  for (const { parts } of pages) for (const part of parts) eachCandleOf(part, add);
  const tapeFrom = Math.min(...pages.map((page) => page.tapeFrom ?? Infinity));
  const [cvd1hUsd, cvd4hUsd, cvd24hUsd] = sums.map((sum, i) =>
    starts[i]! >= tapeFrom ? roundTo(sum, USD_DECIMALS) : null,
  ) as [number | null, number | null, number | null];
  const gaps = pages.flatMap((page) => page.gaps);
  return { cvd1hUsd, cvd4hUsd, cvd24hUsd, complete: completeness(gaps)(from, nowMs) };
}
