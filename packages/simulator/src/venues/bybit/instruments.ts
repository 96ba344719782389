import type { VenueMarket } from '../../market/venue-market.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { type Contract, contractsOf } from './contracts.ts';
import { categoryOf, limitOf, success, unknownSymbol } from './envelope.ts';

const PAGE_DEFAULT = 500;
const PAGE_MAX = 1000;

/** https://bybit-exchange.github.io/docs/v5/market/instrument */
export const instruments: WireRoute = { path: '/v5/market/instruments-info', answer };

function answer(question: Question): Reply {
  const { market, query, nowMs } = question;
  const asked = categoryOf(question);
  if (asked instanceof Reply) return asked;
  const limit = limitOf(question, PAGE_DEFAULT, PAGE_MAX);
  if (limit instanceof Reply) return limit;
  const { category } = asked;
  const status = query.get('status') ?? 'Trading';
  const symbol = query.get('symbol');
  const all = category === 'linear' ? contractsOf(market, nowMs) : [];
  if (symbol !== null && !all.some((one) => one.symbol === symbol)) return unknownSymbol(nowMs);
  const wanted = all.filter((one) => one.status === status && (symbol === null || one.symbol === symbol));
  const after = lastOf(query.get('cursor'));
  const rest = after === undefined ? wanted : wanted.filter((one) => one.symbol > after);
  const page = rest.slice(0, limit);
  const list = page.map((contract) => printContract(contract, market, nowMs));
  return success({ category, list, nextPageCursor: rest.length > limit ? cursorOf(page) : null }, nowMs);
}

/** The cursor comes encoded: `first%3DBIOUSDT%26last%3DBIOUSDT` [D]; after the last page it is empty [D] or null [L]. */
function cursorOf(page: readonly Contract[]): string {
  return encodeURIComponent(`first=${page[0]?.symbol}&last=${page.at(-1)?.symbol}`);
}

/** Clients send it as received, or encode it again; either is accepted [K]. */
function lastOf(cursor: string | null): string | undefined {
  if (cursor === null || cursor === '') return undefined;
  return new URLSearchParams(cursor.includes('%') ? decodeURIComponent(cursor) : cursor).get('last') ?? '';
}

/**
 * {"symbol":"BTCUSDT","symbolId":5,"contractType":"LinearPerpetual","status":"Trading","baseCoin":"BTC",…} [D]. The
 * funding interval is in minutes, a number.
 */
function printContract(contract: Contract, market: VenueMarket, nowMs: number): Record<string, unknown> {
  const { symbol, symbolId, contractType, status, baseCoin, quoteCoin, symbolType, coin } = contract;
  const isPerpetual = contractType === 'LinearPerpetual';
  const step = (10 ** -contract.sizeDecimals).toFixed(contract.sizeDecimals);
  const tick = (10 ** -contract.priceDecimals).toFixed(contract.priceDecimals);
  const sizes = [1000, 500].map((lots) => lots.toFixed(contract.sizeDecimals));
  return {
    symbol,
    symbolId,
    contractType,
    status,
    baseCoin,
    quoteCoin,
    launchTime: String(contract.launchMs),
    deliveryTime: String(contract.deliveryMs),
    deliveryFeeRate: isPerpetual ? '' : '0.0005',
    priceScale: String(contract.priceDecimals),
    leverageFilter: { minLeverage: '1', maxLeverage: coin.leverageMax.toFixed(2), leverageStep: '0.01' },
    priceFilter: {
      minPrice: tick,
      maxPrice: (coin.price * 20).toFixed(contract.priceDecimals),
      tickSize: tick,
    },
    lotSizeFilter: {
      maxOrderQty: sizes[0],
      minOrderQty: step,
      qtyStep: step,
      postOnlyMaxOrderQty: sizes[0],
      maxMktOrderQty: sizes[1],
      minNotionalValue: '5',
    },
    unifiedMarginTrade: true,
    fundingInterval: isPerpetual ? market.periodHours(coin.name, nowMs) * 60 : 0,
    settleCoin: quoteCoin,
    copyTrading: quoteCoin === 'USDT' ? 'both' : 'none',
    upperFundingRate: isPerpetual ? '0.005' : '',
    lowerFundingRate: isPerpetual ? '-0.005' : '',
    displayName: '',
    forbidUplWithdrawal: false,
    riskParameters: { priceLimitRatioX: '0.01', priceLimitRatioY: '0.02' },
    isPreListing: status === 'PreLaunch',
    preListingInfo: status === 'PreLaunch' ? preListing(contract) : null,
    symbolType,
  };
}

function preListing({ launchMs }: Contract): Record<string, unknown> {
  return {
    curAuctionPhase: 'ContinuousTrading',
    phases: [
      { phase: 'CallAuction', startTime: String(launchMs), endTime: String(launchMs + 3_000_000) },
      { phase: 'ContinuousTrading', startTime: String(launchMs + 3_000_000), endTime: '' },
    ],
    auctionFeeInfo: { auctionFeeRate: '0', takerFeeRate: '0.001', makerFeeRate: '0.0004' },
    skipCallAuction: false,
  };
}
