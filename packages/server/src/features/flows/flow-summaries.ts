import { Type } from 'typebox';
import { namesBehind, originsOf } from './flow-minutes.ts';
import type { FlowReport } from './flow-report.ts';
import { coinName, commaList } from '../../http/parameter.ts';
import {
  explain,
  followedCoins,
  metaOfFlows,
  readReports,
  reusableUntilMs,
  flowsUnavailable,
} from './read-flows.ts';
import { coinsMeta } from '../../http/envelope.ts';
import { flowsMeta } from './meta-schema.ts';
import type { Context } from '../context.ts';

export const NO_REPORT = 'No flows have been reported in the last ten minutes.';

/** The parameters of endpoints about several followed coins. */
export const followedQuery = Type.Object({
  coins: Type.Optional(
    commaList(coinName({ description: 'Ticker.' }), {
      description:
        'Tickers, in any case, of coins that are followed: BTC, ETH and SOL, unless the operator chose others. Omitted: BTC, ETH and SOL, as far as they are followed.',
      examples: [['BTC', 'ETH']],
    }),
  ),
  explain,
});

export const followedMeta = {
  ...flowsMeta,
  unknown: coinsMeta.unknown,
  notFollowed: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Requested coins that exist but whose flows are not tracked.',
    }),
  ),
};

export interface SummaryReading {
  readonly reports: readonly FlowReport[];
  readonly meta: ReturnType<typeof metaOfFlows> & {
    readonly unknown?: string[];
    readonly notFollowed?: string[];
  };
  readonly validUntilMs: number;
}

/** The newest reports of the requested coins. */
export async function readSummaries(
  context: Context,
  query: { readonly coins?: string[]; readonly explain?: '1' },
): Promise<SummaryReading> {
  const { coins, unknown, notFollowed } = await followedCoins(context, query.coins);
  const reports = await readReports(context, coins);
  const { primaryVenue } = context.resources;
  if (reports.length === 0) throw flowsUnavailable(context, NO_REPORT, [primaryVenue], []);
  const meta = metaOfFlows({
    context,
    names: namesOf(reports, primaryVenue),
    fetchedAt: Math.max(...reports.map(({ fetchedAtMs }) => fetchedAtMs)),
    failing: reports.flatMap(({ failures }) => Object.values(failures)),
    staleSinceMs: oldestOf(reports),
    ...(query.explain && { explained: { kind: 'pressure', coins: reports.map(explained) } }),
  });
  return {
    reports,
    meta: {
      ...meta,
      ...(unknown.length > 0 && { unknown: [...unknown] }),
      ...(notFollowed.length > 0 && { notFollowed: [...notFollowed] }),
    },
    validUntilMs: reusableUntilMs(context),
  };
}

/** When the oldest of them was made, if none is current: a coin with an old report shows it in its coverage. */
function oldestOf(reports: readonly FlowReport[]): number | undefined {
  const isOld = reports.every(({ atMs, figures }) => figures.atMs < atMs);
  return isOld ? Math.min(...reports.map(({ figures }) => figures.atMs)) : undefined;
}

function explained({ coin, figures, failures }: FlowReport) {
  return { coin, figures, failing: Object.values(failures).flat() };
}

/** The sources of these reports; the primary venue if there are none. */
export function namesOf(reports: readonly FlowReport[], primaryVenue: string): readonly string[] {
  const names = reports.flatMap(({ figures }) =>
    namesBehind('flowPressureScore', originsOf(figures, primaryVenue)),
  );
  return names.length > 0 ? names : [primaryVenue];
}
