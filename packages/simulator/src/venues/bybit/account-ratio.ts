import { pastTimes } from '../past-samples.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { categoryOf, INTERVALS, limitOf, refusal, success, unknownSymbol, windowOf } from './envelope.ts';
import { contractsFor } from './tickers.ts';

const ROWS_DEFAULT = 50;
const ROWS_MAX = 500;
const SETTLED_IN = 'USDT';
/** The crowd of a coin in the simulated market. */
const CROWD = 'accounts';
const SHARE_DECIMALS = 4;
const SECOND_MS = 1000;

/**
 * The shares of holders that are long and short at the ends of past periods, newest first:
 * {"symbol":"BTCUSDT","buyRatio":"0.49","sellRatio":"0.51","timestamp":"1696262400000"} [D]
 * Contracts that do not settle in USDT have none [D: that they are not covered, K: the empty list].
 * https://bybit-exchange.github.io/docs/v5/market/long-short-ratio
 */
export const accountRatio: WireRoute = {
  path: '/v5/market/account-ratio',
  answer(question) {
    const { market, query, nowMs } = question;
    const asked = categoryOf(question);
    if (asked instanceof Reply) return asked;
    const limit = limitOf(question, ROWS_DEFAULT, ROWS_MAX);
    if (limit instanceof Reply) return limit;
    const contract = contractsFor(question, asked.category).find((one) => one.symbol === query.get('symbol'));
    if (!contract) return unknownSymbol(nowMs);
    const periodMs = INTERVALS[query.get('period') ?? ''];
    if (periodMs === undefined) return refusal(10_001, 'params error: period is invalid', nowMs);
    const window = windowOf(question, limit);
    if (window instanceof Reply) return window;
    const beforeMs = cursorMs(query.get('cursor'));
    if (Number.isNaN(beforeMs)) return refusal(10_001, 'params error: cursor is invalid', nowMs);
    const times =
      contract.quoteCoin === SETTLED_IN
        ? pastTimes(periodMs, { ...window, toMs: Math.min(window.toMs, beforeMs - 1) })
        : [];
    const list = times.map((atMs) => {
      const long = Number(market.longFraction(contract.coin.name, CROWD, atMs).toFixed(SHARE_DECIMALS));
      return {
        symbol: contract.symbol,
        buyRatio: String(long),
        sellRatio: String(Number((1 - long).toFixed(SHARE_DECIMALS))),
        timestamp: String(atMs),
      };
    });
    const last = times.at(-1);
    return success({ list, nextPageCursor: last === undefined ? '' : cursorAfter(last) }, nowMs);
  },
};

/** `lastid%3D0%26lasttime%3D1696258800`: the time of the last row in seconds [D]. */
function cursorAfter(lastMs: number): string {
  return encodeURIComponent(`lastid=0&lasttime=${lastMs / SECOND_MS}`);
}

/** Rows before this time are wanted; `NaN` for a cursor that the venue did not give. It may be escaped twice. */
function cursorMs(cursor: string | null): number {
  if (cursor === null || cursor === '') return Number.POSITIVE_INFINITY;
  const [, seconds] = /^lastid(?:=|%3D)0(?:&|%26)lasttime(?:=|%3D)(\d+)$/.exec(cursor) ?? [];
  return seconds === undefined ? Number.NaN : Number(seconds) * SECOND_MS;
}
