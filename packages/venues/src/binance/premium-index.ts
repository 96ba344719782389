import type { Funding, Instrument, Price } from '@crosstape/core';
import { bySymbol } from '../by-symbol.ts';
import {
  type Fields,
  present,
  type ReportOdd,
  readArray,
  readDecimal,
  readInteger,
  readObject,
  readOptional,
  readPositiveDecimal,
  readRows,
  readTables,
  readText,
} from '../reading.ts';
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
    const instruments = bySymbol(known.instruments);
    const periods = bySymbol(known.fundingPeriods);
    const contracts = readRows(answer.length, (i) => {
      const row = readObject(answer[i], `answer[${i}]`);
      const instrument = instruments.get(readText(row.symbol, `answer[${i}].symbol`));
      return instrument && { row, instrument };
    });
    const tables = readTables(contracts.rows, {
      prices: parsePrice,
      funding: (contract: Contract, odd) =>
        parseFunding(contract, periods.get(contract.instrument.symbol)?.periodHours, odd),
    });
    return { ...tables, refused: [...contracts.refused, ...tables.refused] };
  },
};

interface Contract {
  readonly row: Fields;
  readonly instrument: Instrument;
}

function parsePrice({ row, instrument: { coin, symbol } }: Contract, odd: ReportOdd): Price {
  const mark = readPositiveDecimal(row.markPrice, `${symbol}.markPrice`);
  const index = readOptional(row.indexPrice, `${symbol}.indexPrice`, readPositiveDecimal, odd);
  return { coin, symbol, mark, ...present({ index }) };
}

function parseFunding(
  { row, instrument: { coin, symbol } }: Contract,
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
