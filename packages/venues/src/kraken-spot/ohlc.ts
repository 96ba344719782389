import type { DayOpen, Instrument } from '@crosstape/core';
import { readArray, readInteger, readPositiveDecimal } from '../reading.ts';
import { wantedPairs } from '../spot-pairs.ts';
import { type Lookup, Malformed } from '../venue.ts';
import { readAnswer } from './answer.ts';

const BAR_MINUTES = 5;
const BAR_S = BAR_MINUTES * 60;
const DAY_S = 86_400;

/**
 * The last 720 bars of one pair, here of 5 minutes, from which its price of a day ago is known; the ticker has only that
 * of midnight [D]:
 * ```json
 * {"error":[],"result":{"XXBTZUSD":[[1688671200,"30306.1","30306.2","30305.7","30305.7","30306.1","3.39243896",23]],
 *   "last":1688672160}}
 * ```
 * A bar is its begin in seconds, open, high, low, close, mean price, volume and count, oldest first. The last one is not
 * over yet. That one without a trade is among them is not sure [K].
 * https://docs.kraken.com/api/docs/rest-api/get-ohlc-data
 */
export const ohlc: Lookup = {
  name: 'ohlc',
  polled: 'always',
  everyMs: 300_000,
  gives: ['dayOpens'],
  needs: ['instruments'],
  weight: 1,
  keys: wantedPairs,
  request: (symbol) => ({
    method: 'GET',
    path: `/0/public/OHLC?pair=${encodeURIComponent(symbol)}&interval=${BAR_MINUTES}`,
  }),
  parse(body, receivedAtMs, { instruments = [] }, symbol) {
    const instrument = instruments.find((one) => one.symbol === symbol);
    if (!instrument) throw new Malformed(`${symbol} is not listed`);
    const open = openAt(readArray(readAnswer(body)[symbol], symbol), receivedAtMs / 1000 - DAY_S, instrument);
    return { dayOpens: open ? [open] : [] };
  },
};

/** The open of the bar that the time lies in; where that is missing, the close of the previous one. */
function openAt(bars: readonly unknown[], atS: number, { coin, symbol }: Instrument): DayOpen | undefined {
  let found: DayOpen | undefined;
  let beforeS = -1;
  for (const [i, bar] of bars.entries()) {
    const what = `${symbol}[${i}]`;
    const [begin, open, , , close] = readArray(bar, what);
    const beginS = readInteger(begin, `${what}[0]`);
    if (beginS < beforeS) throw new Malformed(`${what} is older than the bar before it`);
    beforeS = beginS;
    if (beginS > atS) break;
    const price = atS < beginS + BAR_S ? open : close;
    found = { coin, symbol, open: readPositiveDecimal(price, `${what} price`) };
  }
  return found;
}
