import { type Asset, MINUTE_MS, type Treasury, type TreasuryCompany } from '@crosstape/core';
import {
  type Fields,
  notNegative,
  present,
  type ReportOdd,
  readArray,
  readNumber,
  readObject,
  readOptional,
  readRows,
  readText,
} from '../reading.ts';
import { Declined, Malformed, type Resource, type VenueRequest } from '../venue.ts';

const COMPANIES_PER_PAGE = 250;

const COINS: Readonly<Record<Asset, string>> = { bitcoin: 'BTC', ethereum: 'ETH' };

/**
 * What public companies hold, the largest first, in pages of at most 250 [D]:
 * ```json
 * {"total_holdings":264136.0,"total_value_usd":18403306939.15,"market_cap_dominance":1.34,
 *  "companies":[{"name":"Strategy","symbol":"MSTR.US","country":"US","total_holdings":714644.0,
 *   "total_entry_value_usd":54674553864.0,"total_current_value_usd":48119580010.66,
 *   "percentage_of_total_supply":3.403}]}
 * ```
 * Percentages are in percent. A symbol may be null, an entry value of 0 is unknown [D]. The totals are those of all
 * pages [K]. A page does not say which one it is.
 * https://docs.coingecko.com/reference/companies-public-treasury
 */
export function treasury(asset: Asset, headers?: VenueRequest['headers']): Resource {
  return {
    name: `${asset}-treasury`,
    polled: 'demand',
    everyMs: 30 * MINUTE_MS,
    retryMs: MINUTE_MS / 2,
    gives: [`${asset}Treasury`],
    weight: 1,
    request: pageOf(asset, 1, headers),
    parse(body, _receivedAtMs, _known, path = '') {
      const answer = readObject(body, 'answer');
      refuseRefusal(answer);
      const listed = readArray(answer.companies, 'companies');
      if (listed.length === 0 && path === pageOf(asset, 1, headers).path)
        throw new Malformed('a first page without a company');
      const { rows, refused } = readRows(listed.length, (i, odd) =>
        readCompany(listed[i], `companies[${i}]`, odd),
      );
      const oddTotals: string[] = [];
      const total = (field: string): number | undefined =>
        readOptional(answer[field], field, readAmount, (why) => oddTotals.push(why));
      const totals = {
        holdings: total('total_holdings'),
        valueUsd: total('total_value_usd'),
        marketCapPct: total('market_cap_dominance'),
      };
      const row: Treasury = { coin: COINS[asset], ...present(totals), companies: rows };
      const isLast = listed.length < COMPANIES_PER_PAGE;
      return {
        [`${asset}Treasury`]: [row],
        refused: [...refused, ...oddTotals],
        ...(isLast ? {} : { more: pageOf(asset, pageNumber(path) + 1, headers) }),
      };
    },
  };
}

function pageOf(asset: Asset, page: number, headers: VenueRequest['headers']): VenueRequest {
  const query = `per_page=${COMPANIES_PER_PAGE}&page=${page}&order=total_holdings_usd_desc`;
  const path = `/api/v3/companies/public_treasury/${asset}?${query}`;
  return { method: 'GET', path, ...(headers && { headers }) };
}

function pageNumber(path: string): number {
  const page = /[?&]page=(\d{1,4})(&|$)/.exec(path)?.[1];
  if (page === undefined) throw new Malformed('a full page of a request without a page number');
  return Number(page);
}

/** `{"status":{"error_code":429,"error_message":"You've exceeded the Rate Limit. …"}}` [D] */
function refuseRefusal({ status }: Fields): void {
  if (status === undefined) return;
  const { error_code: code, error_message: message } = readObject(status, 'status');
  throw new Declined(
    code === 429 ? 'limited' : 'blocked',
    `CoinGecko says ${String(code)}: ${String(message)}`,
  );
}

function readCompany(row: unknown, what: string, odd: ReportOdd): TreasuryCompany {
  const company = readObject(row, what);
  const name = readText(company.name, `${what}.name`);
  const amount = (field: string): number | undefined =>
    readOptional(company[field], `${name}.${field}`, readAmount, odd);
  const text = (field: string): string =>
    readOptional(company[field], `${name}.${field}`, readText, odd) ?? '';
  return {
    name,
    symbol: text('symbol'),
    country: text('country'),
    holdings: readAmount(company.total_holdings, `${name}.total_holdings`),
    entryValueUsd: amount('total_entry_value_usd') ?? 0,
    ...present({
      valueUsd: amount('total_current_value_usd'),
      supplyPct: amount('percentage_of_total_supply'),
    }),
  };
}

function readAmount(value: unknown, what: string): number {
  return notNegative(readNumber(value, what), what);
}
