import { type FailingSource, flowMetrics } from '@crosstape/core';
import { Type } from 'typebox';
import { flowTopic } from '../flow-report.ts';
import { Failure } from '../../../platform/errors.ts';
import { flowHistoryTopic, seedingTopic } from '../../../topics.ts';
import { SerializedJson } from '../../../http/endpoint.ts';
import { choice, coinName, defaulted } from '../../../http/parameter.ts';
import { explain, followedCoins, metaOfFlows, readReport } from '../read-flows.ts';
import { namesOf, NO_REPORT } from '../flow-summaries.ts';
import { FlowHistorySeries } from '../history-schema.ts';
import { flowsMeta } from '../meta-schema.ts';
import { endpoint } from '../../context.ts';

const READ_AGAIN_MS = 60_000;
/** When it is off or old: the reported age costs another read of the store. */
const READ_SOON_MS = 5_000;
/** A minute is written just after its end: one whose start is longer ago is not the last that was. */
const RECORD_STALE_MS = 3 * 60_000;

export const flowsHistory = endpoint({
  path: '/flows/history',
  summary: 'Recorded flows',
  description:
    'A metric of the flows of a coin by the minute, as of the end of each, with the sources failing in that minute. A minute that was not recorded, or without a value of the metric, is missing, never repeated.',
  query: Type.Object({
    coin: coinName({ description: 'Ticker, in any case.', examples: ['BTC'] }),
    metric: choice(flowMetrics, { description: 'Name of the metric.', examples: ['proxyPremiumBps'] }),
    interval: defaulted(choice(['1m'], { description: 'Time between two points.' }), '1m'),
    sinceMs: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'Only points at or after it, in milliseconds since the Unix epoch. Omitted: all that is kept.',
        examples: [1_789_913_600_000],
      }),
    ),
    explain,
  }),
  data: FlowHistorySeries,
  meta: flowsMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'The pressure score of Bitcoin', search: 'coin=BTC&metric=flowPressureScore' },
    { summary: 'The Korean premium of ether', search: 'coin=ETH&metric=kimchiPremiumBps' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coin: text, metric, interval, sinceMs = 0, explain: isExplained }, context) {
    const { coins } = await followedCoins(context, [text]);
    const coin = coins[0] as string;
    const { flowHistory, retentionDays, primaryVenue, bus } = context.resources;
    // An answer is renewed when another minute has been written.
    const written = context.latest(flowHistoryTopic)?.t;
    // Also when the first-run history is complete.
    context.latest(seedingTopic);
    // Not an input of the cached answer: a source that begins to fail must not cause a week to be printed again.
    const report = readReport(context, coin, (topic) => bus.latest(topic)?.message);
    // The first report is a change.
    if (!report) context.latest(flowTopic(coin));
    const order = { coin, metric, sinceMs };
    const history = await flowHistory.read(order, context.caller).catch((error: unknown): undefined => {
      if (error instanceof Failure && error.code !== 'upstream_unavailable') throw error;
      return undefined;
    });
    const { nowMs } = context;
    const fetchedAt = history?.newest?.t ?? written ?? nowMs;
    // The points do not show the age of the record: a metric that cannot be computed has none.
    const recordedMs = written ?? history?.newest?.t;
    const isStale = recordedMs !== undefined && nowMs - recordedMs > RECORD_STALE_MS;
    const turnsStaleMs = recordedMs === undefined || isStale ? Infinity : recordedMs + RECORD_STALE_MS + 1;
    const series = {
      retention: `${retentionDays}d`,
      enabled: history !== undefined,
      fetchedAt,
    };
    return {
      data: printed({ coin, metric, interval }, history?.json, series),
      meta: metaOfFlows({
        context,
        names: history?.newest?.names ?? namesOf(report ? [report] : [], primaryVenue),
        fetchedAt,
        failing: report ? Object.values(report.failures) : [[unreported(primaryVenue)]],
        staleSinceMs: isStale ? recordedMs : undefined,
        ...(isExplained &&
          report && {
            explained: {
              kind: 'pressure',
              coins: [{ coin, figures: report.figures, failing: Object.values(report.failures).flat() }],
            },
          }),
      }),
      // Nothing reports that the store failed or recovered.
      validUntilMs: Math.min(nowMs + (history && !isStale ? READ_AGAIN_MS : READ_SOON_MS), turnsStaleMs),
    };
  },
});

/** No recent report on the health of the sources. */
function unreported(source: string): FailingSource {
  return { source, status: 'stale', ageMs: null, error: NO_REPORT };
}

/** The points were printed off the event loop; the rest is put around them. */
function printed(before: object, points: Uint8Array | undefined, after: object): SerializedJson {
  const head = JSON.stringify(before).slice(0, -1);
  const tail = JSON.stringify(after).slice(1);
  return new SerializedJson(
    Buffer.concat([Buffer.from(`${head},"points":`), points ?? Buffer.from('[]'), Buffer.from(`,${tail}`)]),
  );
}
