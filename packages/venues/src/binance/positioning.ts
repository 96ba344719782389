import { type Positioning, type PositioningPeriod, positioningPeriods } from '@crosstape/core';
import { readArray, readDecimal, readInteger, readObject, readPositiveDecimal } from '../reading.ts';
import { type Lookup, Malformed } from '../venue.ts';
import { readAnswer } from './answer.ts';

/** All calls below `/futures/data` share 1000 requests in 5 minutes [D]: half of it for either view. */
const PER_MINUTE = 100;

/** Everybody, counted by account. */
export const globalPositioning = ratioLookup('globalLongShortAccountRatio', 'global', 'accounts');

/** The top fifth by margin balance, counted by what they hold. */
export const topPositioning = ratioLookup('topLongShortPositionRatio', 'top', 'positions');

/**
 * Both calls answer alike, oldest first, and the newest one when asked for one:
 * ```json
 * [{"symbol":"BTCUSDT","longShortRatio":"0.8376","longAccount":"0.4558","shortAccount":"0.5442",
 *   "timestamp":1726790400000}]
 * ```
 * `timestamp` is the end of the period [D]. Of positions, `longAccount` is the share of positions; some samples call it
 * `longPosition` [D]. A contract that is too new has no rows.
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Long-Short-Ratio
 */
function ratioLookup(name: string, view: Positioning['view'], basis: Positioning['basis']): Lookup {
  return {
    name,
    polled: 'demand',
    everyMs: 60_000,
    gives: ['positioning'],
    needs: ['instruments'],
    weight: 0,
    perMinute: PER_MINUTE,
    keys({ instruments = [] }, asked) {
      const listed = new Set(instruments.map(({ symbol }) => symbol));
      return asked.filter((key) => {
        const { symbol, period } = splitKey(key);
        return listed.has(symbol) && period !== undefined;
      });
    },
    request(key) {
      const [symbol = '', period = ''] = key.split(' ').map(encodeURIComponent);
      return { method: 'GET', path: `/futures/data/${name}?symbol=${symbol}&period=${period}&limit=1` };
    },
    parse(body, _receivedAtMs, { instruments = [] }, key) {
      const { symbol, period } = splitKey(key);
      const newest = readArray(readAnswer(body), 'answer').at(-1);
      const instrument = instruments.find((one) => one.symbol === symbol);
      if (newest === undefined || !instrument || period === undefined) return { positioning: [] };
      const row = readObject(newest, 'row');
      if (row.symbol !== symbol) throw new Malformed(`asked for ${symbol}, told ${String(row.symbol)}`);
      const longFraction = readDecimal(row.longAccount ?? row.longPosition, `${symbol}.longAccount`);
      if (longFraction < 0 || longFraction > 1) {
        throw new Malformed(`${symbol}.longAccount is not a fraction: ${longFraction}`);
      }
      const longShortRatio = readPositiveDecimal(row.longShortRatio, `${symbol}.longShortRatio`);
      const asOfMs = readInteger(row.timestamp, `${symbol}.timestamp`);
      const { coin } = instrument;
      return { positioning: [{ coin, symbol, period, view, basis, longFraction, longShortRatio, asOfMs }] };
    },
  };
}

/** `BTCUSDT 1h`; no period when it is none of ours. */
function splitKey(key: string): { readonly symbol: string; readonly period?: PositioningPeriod } {
  const [symbol = '', text] = key.split(' ');
  const period = positioningPeriods.find((one) => one === text);
  return period === undefined ? { symbol } : { symbol, period };
}
