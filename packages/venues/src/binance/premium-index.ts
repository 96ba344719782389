import type { Funding } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import {
  present,
  type ReportOdd,
  readArray,
  readDecimal,
  readInteger,
  readOptional,
  readPositiveDecimal,
  readTables,
} from '../reading.ts';
import { type ContractRow, priceReader, readContractRows } from '../contract-rows.ts';
import { Malformed, type Resource } from '../venue.ts';
import { readAnswer } from './answer.ts';

/**
 * Mark, index and funding of every contract in one call:
 * ```json
 * [{"symbol":"BTCUSDT","markPrice":"45802.81129892","indexPrice":"45745.47701915",
 *   "estimatedSettlePrice":"45133.91753671","lastFundingRate":"0.00063521","interestRate":"0.00010000",
 *   "nextFundingTime":1621267200000,"time":1621252344001}]
 * ```
 * Shape [D]. `lastFundingRate` is, against its name, the estimate of what will be paid at `nextFundingTime` [K]; over
 * how many hours stands in `fundingInfo`. Dated and delivered contracts are in the list too, with zero as their next
 * funding and an empty rate.
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Mark-Price
 */
export const premiumIndex: Resource = {
  name: 'premiumIndex',
  polled: 'always',
  everyMs: 30_000,
  gives: ['funding', 'prices'],
  needs: ['instruments'],
  // Required for funding; prices, which open interest in USD needs, do not wait for it.
  prefers: ['fundingPeriods'],
  weight: 10,
  request: { method: 'GET', path: '/fapi/v1/premiumIndex' },
  parse(body, _receivedAtMs, known) {
    const answer = readArray(readAnswer(body), 'answer');
    const periods = bySymbol(known.fundingPeriods);
    return readTables(readContractRows(answer, 'answer', known.instruments), {
      prices: priceReader({ mark: 'markPrice', index: 'indexPrice' }, readPositiveDecimal),
      funding: (contract, odd) =>
        parseFunding(contract, periods.get(contract.instrument.symbol)?.periodHours, odd),
    });
  },
};

function parseFunding(
  { row, instrument: { coin, symbol } }: ContractRow,
  periodHours: number | undefined,
  odd: ReportOdd,
): Funding | undefined {
  // Listed after the periods were fetched, or these are old: never assumed.
  if (periodHours === undefined) return undefined;
  const rate = readDecimal(row.lastFundingRate, `${symbol}.lastFundingRate`);
  const nextFundingMs = readOptional(row.nextFundingTime, `${symbol}.nextFundingTime`, readInteger, odd);
  // It is never paid.
  if (nextFundingMs === 0) throw new Malformed(`${symbol}.nextFundingTime is zero`);
  return { coin, symbol, rate, periodHours, ...present({ nextFundingMs }) };
}
