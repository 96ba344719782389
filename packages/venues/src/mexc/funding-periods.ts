import { bySymbol } from '../by-symbol.ts';
import { readInteger, readObject, readPositiveNumber } from '../reading.ts';
import { type Lookup, Malformed } from '../venue.ts';
import { isUnknownContract, readAnswer } from './answer.ts';

/** A payment is told as done a little later [K]. */
const SETTLE_MS = 5_000;

/**
 * How often a contract pays, and when next; there is no call for all of them:
 * ```json
 * {"success":true,"code":0,"data":{"symbol":"BTC_USDT","fundingRate":0.000014,"maxFundingRate":0.003,
 *  "minFundingRate":-0.003,"collectCycle":8,"nextSettleTime":1643241600000,"timestamp":1643240373359}}
 * ```
 * `collectCycle` is in hours, `nextSettleTime` in milliseconds [C, D]. The rate itself comes with the tickers, so that
 * the contracts may take turns slowly, those that have just paid first: at midnight all of them, nine hundred in three
 * minutes. 20 requests in 2 s [C]; here it is 4 at once and 10 in 2 s besides.
 * https://www.mexc.com/api-docs/futures/market-endpoints/get-funding-rate
 */
export const fundingPeriods: Lookup = {
  name: 'funding_rate',
  polled: 'always',
  everyMs: 900_000,
  gives: ['fundingPeriods'],
  needs: ['instruments'],
  weight: 1,
  perMinute: 300,
  atOnce: 4,
  // Several hundred contracts take minutes: after a restart their funding does not wait for that.
  isKept: true,
  // A period that has changed is told once the one before has been paid.
  outdated: (known, nowMs) =>
    new Map(
      (known.fundingPeriods ?? []).flatMap(({ symbol, paysAtMs }) => {
        const sinceMs = (paysAtMs ?? Number.POSITIVE_INFINITY) + SETTLE_MS;
        return sinceMs <= nowMs ? [[symbol, sinceMs]] : [];
      }),
    ),
  keys: (known) => (known.instruments ?? []).map((instrument) => instrument.symbol),
  request: (symbol) => ({
    method: 'GET',
    path: `/api/v1/contract/funding_rate/${encodeURIComponent(symbol)}`,
  }),
  parse(body, _receivedAtMs, known, symbol) {
    if (isUnknownContract(body))
      return { fundingPeriods: [], refused: [`${symbol} is not known to the venue`] };
    const data = readObject(readAnswer(body), 'data');
    if (data.symbol !== symbol) throw new Malformed(`asked for ${symbol}, told of ${String(data.symbol)}`);
    const coin = bySymbol(known.instruments).get(symbol)?.coin;
    if (coin === undefined) return { fundingPeriods: [] };
    const periodHours = readPositiveNumber(data.collectCycle, `${symbol}.collectCycle`);
    const paysAtMs = readInteger(data.nextSettleTime, `${symbol}.nextSettleTime`);
    return { fundingPeriods: [{ coin, symbol, periodHours, paysAtMs }] };
  },
};
