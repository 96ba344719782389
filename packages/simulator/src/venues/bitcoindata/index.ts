import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { type Metric, METRICS } from './metrics.ts';

const MESSAGE = 'Free access does not include the last 7 days.';

/** The name of the limit was observed; the rest of the answer is a guess [K]. */
const tooMany = (limit: string): string =>
  JSON.stringify({
    status: 429,
    error: limit === 'hour' ? 'RATE_LIMIT_HOUR_EXCEEDED' : 'RATE_LIMIT_DAY_EXCEEDED',
    message: limit === 'hour' ? 'hourly limit 8 exceeded' : 'daily limit 15 exceeded',
  });

/** bitcoin-data.com's newest values, as a caller without a key gets them. */
export const bitcoindata = simulateVenue({
  shape: { id: 'bitcoindata', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: METRICS.map(
    (metric): WireRoute => ({
      path: `/v1/${metric.path}/last`,
      answer: (question) => new Reply(printMetric(metric, question)),
    }),
  ),
  limits: [
    { name: 'hour', spanMs: HOUR_MS, max: 8 },
    { name: 'day', spanMs: DAY_MS, max: 15 },
  ],
  overLimit: (limit) => ({ status: 429, type: 'application/json', body: tooMany(limit) }),
  notFound: { status: 404, type: 'application/json', body: '{"status":404,"error":"Not Found"}' },
  sockets: [],
});

function printMetric(metric: Metric, { market, nowMs, query }: Question): unknown {
  const { field, form } = metric;
  // A token gets the newest day [K].
  const delayDays = query.has('token') ? 1 : metric.delayDays;
  const dayMs = (Math.floor(nowMs / DAY_MS) - delayDays) * DAY_MS;
  const d = new Date(dayMs).toISOString().slice(0, 10);
  const number = Number(metric.value(market.market, dayMs).toPrecision(8));
  const late = delayDays >= 7 ? { delayed: true, message: MESSAGE } : {};
  if (form === 'text') return { d, unixTs: String(dayMs / 1000), [field]: String(number), ...late };
  const row = { d, unixTs: dayMs / 1000, [field]: number, ...late };
  return form === 'page' ? { content: [row], totalElements: 1, totalPages: 1, number: 0 } : row;
}
