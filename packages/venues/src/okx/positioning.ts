import {
  type PositioningPeriod,
  positioningEveryMs,
  positioningKey,
  positioningPeriods,
} from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import { notNegative, readArray, readDecimal, readIntegerText } from '../reading.ts';
import type { Lookup } from '../venue.ts';
import { readAnswerOfOne } from './answer.ts';

/** The venue writes hours in upper case [C, M]. */
const PERIODS: Readonly<Record<PositioningPeriod, string>> = { '15m': '15m', '1h': '1H', '4h': '4H' };
const NAME = 'long-short-position-ratio-contract-top-trader';
/** As many coins as one may ask for at once. */
const AT_ONCE = 50;
const PER_MINUTE = 75;

export const positioning: readonly Lookup[] = positioningPeriods.map(ratioLookup);

/**
 * Longs against shorts of the top 5 % of accounts, by the size of their positions, newest first; each row is
 * `[time, long/short]`:
 * ```json
 * {"code":"0","msg":"","data":[["1729323600000","0.9398602814619824"],["1729323300000","0.9344262295081968"]]}
 * ```
 * Shape [C, M]; that the time is the end of what it describes [K]; 5 requests in 2 s per instrument [M].
 * https://www.okx.com/docs-v5/en/#trading-statistics-rest-api-get-top-traders-contract-long-short-position-ratio
 */
function ratioLookup(period: PositioningPeriod): Lookup {
  const suffix = positioningKey({ symbol: '', period, view: 'top' });
  const symbolOf = (key: string): string => key.slice(0, -suffix.length);
  return {
    name: `${NAME}-${period}`,
    polled: 'demand',
    everyMs: positioningEveryMs[period],
    gives: ['positioning'],
    needs: ['instruments'],
    weight: 1,
    perMinute: PER_MINUTE,
    atOnce: AT_ONCE,
    keys(known, asked) {
      const ours = bySymbol(known.instruments);
      return asked.filter((key) => key.endsWith(suffix) && ours.has(symbolOf(key)));
    },
    request(key) {
      const query = `instId=${encodeURIComponent(symbolOf(key))}&period=${PERIODS[period]}&limit=1`;
      return { method: 'GET', path: `/api/v5/rubik/stat/contracts/${NAME}?${query}` };
    },
    parse(body, _receivedAtMs, known, key) {
      const symbol = symbolOf(key);
      const coin = bySymbol(known.instruments).get(symbol)?.coin;
      const data = readAnswerOfOne(body);
      if (!data) return { positioning: [], refused: [`${symbol} is not known to the venue`] };
      const newest = data[0];
      // No rows: a swap too young to have any.
      if (newest === undefined || coin === undefined) return { positioning: [] };
      const [ts, ratio] = readArray(newest, `${symbol} ratio`);
      const asOfMs = readIntegerText(ts, `${symbol} ratio[0]`);
      const longShortRatio = notNegative(readDecimal(ratio, `${symbol} ratio[1]`), `${symbol} ratio[1]`);
      const longFraction = longShortRatio / (1 + longShortRatio);
      return {
        positioning: [
          { coin, symbol, period, view: 'top', basis: 'positions', longFraction, longShortRatio, asOfMs },
        ],
      };
    },
    isAbsent: (parsed) => parsed.positioning?.length === 0,
  };
}
