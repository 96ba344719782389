import {
  MINUTE_MS,
  type Positioning,
  type PositioningPeriod,
  positioningEveryMs,
  positioningKey,
  positioningPeriods,
  roundTo,
} from '@crosstape/core';
import {
  readArray,
  readDecimal,
  readInteger,
  readObject,
  readOptional,
  readPositiveDecimal,
} from '../reading.ts';
import { type Lookup, Malformed } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * All calls below `/futures/data` share 1000 requests in 5 minutes [D]. Each view of each period has 50 at once, as many
 * coins as one may ask for, and one a minute more than it takes to poll these: 680 in all. The rest is for histories.
 */
const AT_ONCE = 50;
const perMinuteOf = (period: PositioningPeriod): number =>
  AT_ONCE + (AT_ONCE * MINUTE_MS) / positioningEveryMs[period] + 1;
/** As many as the venue prints. */
const RATIO_DECIMALS = 4;

/** All holders, counted by account; and the top fifth by margin balance, counted by what they hold. */
export const positioning: readonly Lookup[] = positioningPeriods.flatMap((period) => [
  ratioLookup({ path: 'globalLongShortAccountRatio', view: 'global', basis: 'accounts', period }),
  ratioLookup({ path: 'topLongShortPositionRatio', view: 'top', basis: 'positions', period }),
]);

interface Ratio extends Pick<Positioning, 'view' | 'basis'> {
  readonly path: string;
  readonly period: PositioningPeriod;
}

/**
 * Both calls answer alike, oldest first, and the newest one when requested one:
 * ```json
 * [{"symbol":"BTCUSDT","longShortRatio":"0.8376","longAccount":"0.4558","shortAccount":"0.5442",
 *   "timestamp":1726790400000}]
 * ```
 * `timestamp` is the end of the period [D]. Of positions, `longAccount` is the share of positions; some samples call it
 * `longPosition` [D]. A contract that is too new has no rows.
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Long-Short-Ratio
 */
function ratioLookup({ path, view, basis, period }: Ratio): Lookup {
  const suffix = positioningKey({ symbol: '', period, view });
  const symbolOf = (key: string): string => key.slice(0, -suffix.length);
  return {
    name: `${path}-${period}`,
    polled: 'demand',
    everyMs: positioningEveryMs[period],
    gives: ['positioning'],
    needs: ['instruments'],
    weight: 0,
    perMinute: perMinuteOf(period),
    atOnce: AT_ONCE,
    keys({ instruments = [] }, asked) {
      const listed = new Set(instruments.map(({ symbol }) => symbol));
      return asked.filter((key) => key.endsWith(suffix) && listed.has(symbolOf(key)));
    },
    request(key) {
      const symbol = encodeURIComponent(symbolOf(key));
      return { method: 'GET', path: `/futures/data/${path}?symbol=${symbol}&period=${period}&limit=1` };
    },
    parse(body, _receivedAtMs, { instruments = [] }, key) {
      const symbol = symbolOf(key);
      const newest = readArray(readAnswer(body), 'answer').at(-1);
      const instrument = instruments.find((one) => one.symbol === symbol);
      if (newest === undefined || !instrument) return { positioning: [] };
      const row = readObject(newest, 'row');
      if ((row.symbol ?? symbol) !== symbol)
        throw new Malformed(`requested ${symbol}, got ${String(row.symbol)}`);
      const longFraction = readDecimal(row.longAccount ?? row.longPosition, `${symbol}.longAccount`);
      if (longFraction < 0 || longFraction > 1) {
        throw new Malformed(`${symbol}.longAccount is not a fraction: ${longFraction}`);
      }
      const refused: string[] = [];
      const ratio = readOptional(row.longShortRatio, `${symbol}.longShortRatio`, readPositiveDecimal, (why) =>
        refused.push(why),
      );
      const longShortRatio = ratio ?? roundTo(longFraction / (1 - longFraction), RATIO_DECIMALS);
      const asOfMs = readInteger(row.timestamp, `${symbol}.timestamp`);
      const { coin } = instrument;
      const reported = { coin, symbol, period, view, basis, longFraction, longShortRatio, asOfMs };
      return { positioning: [reported], ...(refused.length > 0 && { refused }) };
    },
    isAbsent: (parsed) => parsed.positioning?.length === 0,
  };
}
