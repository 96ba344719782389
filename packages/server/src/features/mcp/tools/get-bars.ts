import { barKinds, DAY_MS, HOUR_MS, intervalStart } from '@crosstape/core';
import { Type } from 'typebox';
import { choice } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { marketInput, rowsInput, tapeOf, timeInput } from '../inputs.ts';
import type { Rest, RestMeta } from '../rest.ts';
import { type Gap, tool } from '../tool.ts';
import { change, csv, time } from '../wording.ts';
import { coverageOfFigures } from './get-coverage.ts';

const ROWS_MAX = 500;
const ROWS = 100;
/** A build that takes longer is reported as still running. */
const BUILD_WAIT_MS = 20_000;
const FIELDS = [
  'openTs',
  'closeTs',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'buyVolume',
  'notionalUsd',
  'trades',
  'delta',
  'complete',
];

interface Bar {
  readonly openTs: number;
  readonly closeTs: number;
  readonly open: number;
  readonly close: number;
  readonly high: number;
  readonly low: number;
  readonly volume: number;
}

interface Built {
  readonly coin: string;
  readonly bars: readonly Bar[];
  readonly stats: { readonly tick: number; readonly degraded: boolean; readonly firstTs: number | null };
}

export const getBars = tool({
  name: 'get_bars',
  title: 'Bars from recorded trades',
  description:
    'Returns bars of one market built from recorded trades: time, tick, volume, range, delta, trend_reversal or pnf bars, newest rows as CSV with a sentence about the move. Use it for price, volume and delta over a range; use market_brief for the state of the market now, and get_coverage to check the range first. Any recorded market works (search_markets lists them), as far back as its record reaches. At most 500 rows are returned (the newest), and a build counts as five requests of the quota.',
  input: Type.Object(
    {
      market: marketInput,
      kind: Type.Optional(
        choice(
          barKinds.map(({ name }) => name),
          { description: 'Kind of bars. Default: `time`.' },
        ),
      ),
      params: Type.Optional(
        Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
          description:
            'Parameters of the kind, such as `{"intervalMs": 300000}`, `{"rangeTicks": 50}` or `{"volume": 100}`. Default for time: one-minute bars; range, volume, delta, trend_reversal and pnf require theirs.',
        }),
      ),
      from: timeInput('Start of the range', 'the full hour 24 hours ago'),
      to: timeInput(
        'End of the range, not included',
        'when the bars were built (`asOf`), at most 5 minutes ago',
      ),
      max_rows: rowsInput(ROWS_MAX, ROWS),
    },
    { additionalProperties: false },
  ),
  async call({ market, kind = 'time', params, from, to, max_rows: rowsMax = ROWS }, rest) {
    const { id, query } = tapeOf(market);
    const now = rest.nowMs;
    // A full hour, so that a second call with the same arguments finds the build of the first one.
    const start = from ?? intervalStart(now - DAY_MS, HOUR_MS);
    if (start >= (to ?? now))
      throw new Failure('bad_request', `\`from\` (${start}) must be before \`to\` (${to ?? now}).`);
    const request = {
      ...query,
      kind,
      from: start,
      ...(to !== undefined && { to }),
      ...(params && { params }),
    };
    const { built, meta } = await build(rest, request);
    // A reused build has nothing of the time since.
    const end = to ?? meta.fetchedAt;
    const name = 'coin' in query ? `hyperliquid:${built.coin}` : id;
    const price = 'coin' in query ? 'USD' : 'quote currency of the market';
    // A time bar that began before the range would have only part of its trades.
    const within = built.bars.filter(({ openTs, closeTs }) => openTs >= start && closeTs < end);
    const bars = within.slice(-rowsMax);
    const { coverage, gaps } = await coverageOfFigures(rest, { ...query, from: start, to: end });
    const unread = unreadOf(built, start, end);
    return {
      text: sentence(name, kind, bars),
      csv: csv(bars, FIELDS),
      ...(within.length > bars.length && {
        hint: `The newest ${bars.length} of ${within.length} bars: choose a later from, an earlier to, or larger bars.`,
      }),
      metas: [meta],
      coverage: unread.length > 0 && coverage === 'complete' ? 'partial' : coverage,
      gaps: [...unread, ...gaps],
      units: {
        open: price,
        high: price,
        low: price,
        close: price,
        volume: 'coins',
        buyVolume: 'coins',
        delta: 'coins',
        notionalUsd: 'USD',
        openTs: 'ms since the Unix epoch',
        closeTs: 'ms since the Unix epoch',
      },
      figures: { market: name, kind, tick: built.stats.tick, bars },
    };
  },
});

/** The range that a build from only the newest trades omits. */
function unreadOf({ stats: { degraded, firstTs } }: Built, start: number, end: number): readonly Gap[] {
  if (!degraded || firstTs === null || firstTs <= start) return [];
  return [{ from: start, to: Math.min(firstTs, end), reason: 'only the newest trades could be read' }];
}

function sentence(market: string, kind: string, bars: readonly Bar[]): string {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return `There are no closed ${kind} bars of ${market} in this range.`;
  const moved = (last.close / first.open - 1) * 100;
  const high = Math.max(...bars.map((bar) => bar.high));
  const low = Math.min(...bars.map((bar) => bar.low));
  return `${market} moved ${change(moved)} from ${first.open} to ${last.close} over ${bars.length} ${kind} bars between ${time(first.openTs)} and ${time(last.closeTs)}, with a high of ${high} and a low of ${low}.`;
}

async function build(rest: Rest, request: object): Promise<{ built: Built; meta: RestMeta }> {
  const { data: submitted } = await rest.build<{ readonly jobId: string }>(request);
  const { status, pct, error, resultKey } = await rest.ended(submitted.jobId, BUILD_WAIT_MS);
  if (status === 'error') throw new Failure('bad_request', error ?? 'The build failed.');
  if (status !== 'done') {
    throw new Failure(
      'overloaded',
      `The build is ${Math.round(pct * 100)} % done; the same arguments return it when it is complete.`,
    );
  }
  const query = { key: resultKey, format: 'json' };
  const { data, meta } = await rest.get<Built>('/perps/rotations/result', query).catch(tooManyBars);
  return { built: data, meta };
}

/** The refusal of the REST API recommends another format, which a tool does not have. */
function tooManyBars(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'too_large') throw error;
  throw new Failure(
    'too_large',
    'The range has too many bars: choose a later from, an earlier to, or larger bars.',
    { cause: error },
  );
}
