import type { VenueMarket } from '../../market/venue-market.ts';
import { Reply } from '../wire.ts';
import { type Listing, tradedOf } from './listing.ts';

/** {"code":-1121,"msg":"Invalid symbol."}; codes: .../docs/derivatives/usds-margined-futures/error-code [D] */
function failure(code: number, msg: string): Reply {
  return new Reply({ code, msg }, 400);
}

export function missing(parameter: string): Reply {
  return failure(-1102, `Mandatory parameter '${parameter}' was not sent, was empty/null, or malformed.`);
}

export function wrong(parameter: string): Reply {
  return failure(-1130, `Data sent for parameter '${parameter}' is not valid.`);
}

export const INVALID_SYMBOL = failure(-1121, 'Invalid symbol.');

export function findTraded(market: VenueMarket, symbol: string): Listing | undefined {
  return tradedOf(market).find((listing) => listing.symbol === symbol);
}
