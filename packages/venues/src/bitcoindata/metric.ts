import { DAY_MS, HOUR_MS, type MetricReading, type ValuationMetric } from '@crosstape/core';
import { readObject, wrong } from '../reading.ts';
import { Malformed, type Resource } from '../venue.ts';

/** With a token, like every source that is polled rarely. */
const TOKEN_RETRY_MS = 30_000;
const ROWS_MAX = 10_000;
/** Nothing is so late: an older reading is from a page of the past. */
const AGE_MAX_MS = 366 * DAY_MS;

interface Wire {
  readonly path: string;
  readonly field: string;
  /** Whether it can be negative. */
  readonly isSigned: boolean;
}

const WIRES: Readonly<Record<ValuationMetric, Wire>> = {
  mvrvZScore: { path: 'mvrv-zscore', field: 'mvrvZscore', isSigned: true },
  nupl: { path: 'nupl', field: 'nupl', isSigned: true },
  puellMultiple: { path: 'puell-multiple', field: 'puellMultiple', isSigned: false },
  reserveRisk: { path: 'reserve-risk', field: 'reserveRisk', isSigned: false },
  realizedCap: { path: 'realized-cap', field: 'realizedCap', isSigned: false },
};

/**
 * The newest value of one metric of bitcoin [M]:
 * ```json
 * {"d":"2026-07-26","unixTs":1785024000,"mvrvZscore":0.3954}
 * {"d":"2026-07-26","unixTs":"1785024000","nupl":"0.1977","delayed":true,"message":"… last 7 days …"}
 * ```
 * `d` is the day that it describes: for callers without a key most metrics end seven days ago. Some answers are lists,
 * or pages (`{"content":[…]}`), ascending by day. Values have been numbers and texts; `NaN` occurs.
 * https://bitcoin-data.com/api/swagger-ui/index.html
 */
export function metric(name: ValuationMetric, token?: string): Resource {
  const { path, field, isSigned } = WIRES[name];
  return {
    name: path,
    polled: 'demand',
    everyMs: DAY_MS,
    // Without a token not all within a minute, as others are: a request that failed counts, and five metrics asked twice
    // in an hour are more than the 8 requests that it allows.
    ...(token === undefined
      ? { retryMs: 12 * HOUR_MS, firstRetryMs: 1.5 * HOUR_MS }
      : { retryMs: TOKEN_RETRY_MS }),
    gives: [name],
    weight: 1,
    request: {
      method: 'GET',
      path: `/v1/${path}/last${token === undefined ? '' : `?token=${encodeURIComponent(token)}`}`,
    },
    parse(body, receivedAtMs) {
      const rows = rowsOf(body);
      if (rows.length > ROWS_MAX) throw new Malformed(`the answer has more than ${ROWS_MAX} rows`);
      const refused: string[] = [];
      let newest: MetricReading | undefined;
      for (const row of rows) {
        try {
          const reading = readRow(row, field);
          if (!isSigned && reading.value < 0) throw new Malformed(`${field} is negative: ${reading.value}`);
          if (Date.parse(reading.day) > receivedAtMs + DAY_MS)
            throw new Malformed(`${reading.day} has not come yet`);
          if (!newest || reading.day > newest.day) newest = reading;
        } catch (error) {
          if (!(error instanceof Malformed)) throw error;
          refused.push(error.message);
        }
      }
      if (!newest) throw new Malformed(refused[0] ?? 'the answer has no rows');
      if (Date.parse(newest.day) < receivedAtMs - AGE_MAX_MS)
        throw new Malformed(`the newest row is of ${newest.day}, more than a year ago`);
      return { [name]: [newest], refused };
    },
  };
}

function rowsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const answer = readObject(body, 'answer');
  return Array.isArray(answer.content) ? answer.content : [answer];
}

function readRow(value: unknown, field: string): MetricReading {
  const row = readObject(value, 'row');
  const { d: day } = row;
  const isDay = typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day);
  const dayMs = isDay ? Date.parse(day) : Number.NaN;
  // Not every engine minds a 31st of February.
  if (!isDay || Number.isNaN(dayMs) || new Date(dayMs).getUTCDate() !== Number(day.slice(8)))
    throw wrong(day, 'd', 'a day');
  return { coin: 'BTC', day, value: readValue(row[field], `${field} of ${day}`) };
}

/** A number, or the same as text, which may have an exponent. */
function readValue(value: unknown, what: string): number {
  const isText = typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value);
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong(value, what, 'a number');
  return number;
}
