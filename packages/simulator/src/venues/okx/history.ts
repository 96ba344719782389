import { DAY_MS } from '@crosstape/core';
import { paidRates, pastTimes } from '../past-samples.ts';
import { plainDecimal } from '../plain-decimal.ts';
import type { Question, Reply } from '../wire.ts';
import { failure, success } from './envelope.ts';
import { coinsOf, dollarsOf, type Listing, liveListings } from './listing.ts';
import { PERIOD_MS } from './positioning.ts';
import { heldContracts } from './rows.ts';

const INTEREST_ROWS_MAX = 100;
/** Periods that the venue has [K]. */
const INTEREST_PERIODS = 1440;
const FUNDING_ROWS_MAX = 400;
const FUNDING_DAYS = 93;

/**
 * What was open at the ends of periods, newest first: ["1701417600000","731377.57500501","111","8888888"], time,
 * contracts, coins and dollars [C]; 5 requests in 2 s per instrument, which are counted together here, like all of a path.
 */
export function answerInterestHistory({ market, nowMs, query }: Question): Reply {
  const periodMs = PERIOD_MS[query.get('period') ?? '5m'];
  if (periodMs === undefined) return failure('51000', 'Parameter period error', 400);
  const limit = Number(query.get('limit') ?? INTEREST_ROWS_MAX);
  if (!Number.isInteger(limit) || limit < 1 || limit > INTEREST_ROWS_MAX)
    return failure('51000', 'Parameter limit error', 400);
  const listing = listingOf(market, query.get('instId'));
  if (!listing) return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
  const fromMs = Math.max(Number(query.get('begin') ?? 0), nowMs - INTEREST_PERIODS * periodMs);
  const toMs = Math.min(nowMs, Number(query.get('end') ?? nowMs));
  return success(
    pastTimes(periodMs, { fromMs, toMs, limit }).map((ts) => {
      const { mark } = market.quote(listing.coin.name, ts);
      const contracts = heldContracts(listing, market, ts);
      const coins = coinsOf(contracts, mark, listing);
      const usd = coins * dollarsOf(mark, listing, market, ts);
      return [String(ts), plainDecimal(contracts, 2), plainDecimal(coins, 8), plainDecimal(usd, 6)];
    }),
  );
}

/**
 * What was paid, newest first, of three months:
 * {"fundingRate":"0.0000746604960499","fundingTime":"1703059200000","instId":"BTC-USD-SWAP","instType":"SWAP",
 *  "method":"next_period","realizedRate":"0.0000746572360545"} [D]
 */
export function answerFundingHistory({ market, nowMs, query }: Question): Reply {
  const limit = Number(query.get('limit') ?? FUNDING_ROWS_MAX);
  if (!Number.isInteger(limit) || limit < 1 || limit > FUNDING_ROWS_MAX)
    return failure('51000', 'Parameter limit error', 400);
  const listing = listingOf(market, query.get('instId'));
  if (!listing) return failure('51001', "Instrument ID, Instrument ID code, or Spread ID doesn't exist.");
  const fromMs = Math.max(Number(query.get('before') ?? 0) + 1, nowMs - FUNDING_DAYS * DAY_MS);
  const toMs = Math.min(nowMs, Number(query.get('after') ?? nowMs + 1) - 1);
  return success(
    paidRates(market, listing.coin.name, { fromMs, toMs, limit }).map(({ paidMs, rate }) => ({
      formulaType: 'withRate',
      fundingRate: plainDecimal(rate, 10),
      fundingTime: String(paidMs),
      instId: listing.instId,
      instType: 'SWAP',
      method: 'current_period',
      realizedRate: plainDecimal(rate, 10),
    })),
  );
}

function listingOf(market: Question['market'], instId: string | null): Listing | undefined {
  return liveListings(market).find((one) => one.instId === instId);
}
