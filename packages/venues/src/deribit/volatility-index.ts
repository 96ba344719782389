import { DAY_MS, roundTo, type VolatilityDay } from '@crosstape/core';
import { MOST, readArray, readInteger, readObject, readPositiveNumber, readRows } from '../reading.ts';
import type { Lookup } from '../venue.ts';
import { readResult } from './answer.ts';

/** The coins with an index [D]. */
const COINS: ReadonlySet<string> = new Set(['BTC', 'ETH']);
/** More than the year that a rank is about; one answer has up to 1,000 rows [C]. */
const DAYS = 400;
/** Days that have passed do not change, and the newest changes slowly. */
const EVERY_MS = 600_000;
/** As many as the venue prints in percent, and two more of a fraction. */
const DECIMALS = 4;

/**
 * DVOL by day, oldest first; each row is `[time, open, high, low, close]` in percent per year:
 * ```json
 * {"data":[[1794614400000,41.92,43.4,41.7,43.05],[1794700800000,43.05,43.11,42.6,42.87]],"continuation":null}
 * ```
 * Shape, `continuation` (the `end_timestamp` of the next older page) and the currencies [D]; a day begins at midnight UTC and
 * values are percent [C].
 * https://docs.deribit.com/api-reference/market-data/public-get_volatility_index_data
 */
export const volatilityIndex: Lookup = {
  name: 'volatility-index',
  polled: 'demand',
  everyMs: EVERY_MS,
  gives: ['volatilityIndex'],
  weight: 1,
  keepMs: DAY_MS,
  keys: (_known, asked) => asked.filter((coin) => COINS.has(coin)),
  request(coin, nowMs = 0) {
    const range = `start_timestamp=${nowMs - DAYS * DAY_MS}&end_timestamp=${nowMs}`;
    return {
      method: 'GET',
      path: `/api/v2/public/get_volatility_index_data?currency=${coin}&${range}&resolution=1D`,
    };
  },
  parse(body, _receivedAtMs, _known, coin) {
    const list = readArray(readObject(readResult(body), 'result').data, 'result.data');
    const { rows, refused } = readRows(list.length, (i) => readDay(list[i], `${coin}[${i}]`), MOST);
    const days = rows.toSorted((a, b) => a.ts - b.ts);
    return {
      volatilityIndex: days.length > 0 ? [{ coin, days }] : [],
      ...(refused.length > 0 && { refused }),
    };
  },
};

function readDay(row: unknown, what: string): VolatilityDay {
  const [ts, ...levels] = readArray(row, what);
  const [open, high, low, close] = (['open', 'high', 'low', 'close'] as const).map((name, i) =>
    roundTo(readPositiveNumber(levels[i], `${what}.${name}`) / 100, DECIMALS),
  ) as [number, number, number, number];
  return { ts: readInteger(ts, `${what}.time`), open, high, low, close };
}
