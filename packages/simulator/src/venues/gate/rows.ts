import { DAY_MS } from '@crosstape/core';
import type { Coin } from '../../market/coins.ts';
import type { VenueFunding, VenueMarket, VenueQuote } from '../../market/venue-market.ts';
import { isSparse } from '../sparse-rows.ts';
import { contractsOf, type Listing, printMultiplier, printPrice } from './listing.ts';
import type { PrintCount } from './sizes.ts';

const HOUR_SECONDS = 3600;
/** When everything was listed, in seconds. */
const LISTED_S = 1_758_124_392;
/** Lifetime volume, in days of today's volume. */
const DAYS_LISTED = 100;

/** Inputs of a row. */
export interface RowSource {
  readonly market: VenueMarket;
  readonly nowMs: number;
  readonly printCount: PrintCount;
}

/** https://www.gate.com/docs/developers/apiv4/en/#query-all-futures-contracts, as ccxt 4.5.84 shows it [C]; meanings [D]. */
export function printContract(listing: Listing, { market, nowMs, printCount }: RowSource): object {
  const { coin, name, hasDecimalSizes, contractType } = listing;
  const { rate, periodHours, nextFundingMs, mark, index, last, held, traded } = stateOf(coin, market, nowMs);
  const tick = (10 ** -listing.priceDecimals).toFixed(listing.priceDecimals);
  return {
    funding_rate_indicative: rate.toFixed(6),
    mark_price_round: tick,
    funding_offset: 0,
    in_delisting: coin.isDelisted,
    risk_limit_base: '1000000',
    interest_rate: '0.0003',
    index_price: printPrice(index, listing),
    order_price_round: tick,
    order_size_min: printCount(hasDecimalSizes ? 0.1 : 1),
    enable_decimal: hasDecimalSizes,
    ref_rebate_rate: '0.2',
    name,
    ref_discount_rate: '0',
    order_price_deviate: '0.15',
    maintenance_rate: '0.01',
    mark_type: 'index',
    funding_interval: periodHours * HOUR_SECONDS,
    type: 'direct',
    risk_limit_step: '1000000',
    enable_bonus: true,
    enable_credit: true,
    leverage_min: '1',
    funding_rate: rate.toFixed(6),
    last_price: printPrice(last, listing),
    mark_price: printPrice(mark, listing),
    order_size_max: printCount(1_000_000),
    funding_next_apply: nextFundingMs / 1000,
    short_users: 157,
    config_change_time: LISTED_S,
    create_time: LISTED_S,
    trade_size: printCount(contractsOf(traded, listing)),
    position_size: printCount(contractsOf(held, listing)),
    long_users: 191,
    quanto_multiplier: printMultiplier(listing),
    funding_impact_value: '60000',
    leverage_max: String(coin.leverageMax),
    cross_leverage_default: '10',
    risk_limit_max: '8000000',
    maker_fee_rate: '-0.0001',
    taker_fee_rate: '0.00075',
    orders_limit: 100,
    trade_id: 10_376_084,
    orderbook_id: 1_203_922_859,
    funding_cap_ratio: '1',
    voucher_leverage: '0',
    is_pre_market: false,
    // Captured rows lack it now and then [L].
    ...(isSparse(coin.name) ? {} : { status: coin.isDelisted ? 'delisted' : 'trading' }),
    launch_time: LISTED_S,
    enable_circuit_breaker: false,
    funding_rate_limit: '0.02',
    market_order_slip_ratio: '0.04',
    market_order_size_max: '300000',
    contract_type: contractType,
  };
}

type ContractState = Pick<VenueFunding, 'rate' | 'periodHours' | 'nextFundingMs'> &
  Pick<VenueQuote, 'mark' | 'index' | 'last'> & { readonly held: number; readonly traded: number };

/** Delisted contracts stay in the list with their last price. */
const GONE = { rate: 0, periodHours: 8, nextFundingMs: 0, held: 0, traded: 0 };

function stateOf(coin: Coin, market: VenueMarket, nowMs: number): ContractState {
  const { price, name } = coin;
  if (coin.isDelisted) return { ...GONE, mark: price, index: price, last: price };
  return {
    ...market.funding(name, nowMs),
    ...market.quote(name, nowMs),
    held: market.openInterest(name, nowMs),
    traded: DAYS_LISTED * market.volume24h(name, nowMs).coins,
  };
}

/** https://www.gate.com/docs/developers/apiv4/en/#get-all-futures-trading-statistics; fields of the official SDK [D]. */
export function printTicker(listing: Listing, { market, nowMs, printCount }: RowSource): object {
  const { name } = listing.coin;
  const { rate } = market.funding(name, nowMs);
  const { mark, index, bid, ask, last } = market.quote(name, nowMs);
  const before = market.quote(name, nowMs - DAY_MS).last;
  const { coins, usd } = market.volume24h(name, nowMs);
  const price = (value: number): string => printPrice(value, listing);
  const change = ((last / before - 1) * 100).toFixed(2);
  // Sizes are texts in this call with and without the header, which only decides on their decimals.
  const count = (size: number): string => String(printCount(contractsOf(size, listing)));
  return {
    contract: listing.name,
    last: price(last),
    change_percentage: change,
    // Both sides, where `position_size` is one of them [L].
    total_size: String(Number(count(market.openInterest(name, nowMs))) * 2),
    low_24h: price(Math.min(last, before)),
    high_24h: price(Math.max(last, before)),
    volume_24h: count(coins),
    volume_24h_base: (coins * listing.perUnit).toFixed(4),
    volume_24h_quote: usd.toFixed(0),
    volume_24h_settle: usd.toFixed(0),
    mark_price: price(mark),
    funding_rate: rate.toFixed(6),
    funding_rate_indicative: rate.toFixed(6),
    index_price: price(index),
    quanto_base_rate: '',
    lowest_ask: price(ask),
    lowest_size: count(coins / 1e5),
    highest_bid: price(bid),
    highest_size: count(coins / 2e5),
    change_utc0: change,
    change_utc8: change,
    change_price: price(last - before),
    change_utc0_price: price(last - before),
    change_utc8_price: price(last - before),
  };
}

/** https://www.gate.com/docs/developers/apiv4/en/#futures-statistics, as ccxt 4.5.84 shows it [C]: numbers, some as text. */
export function printStatistics(listing: Listing, { market, nowMs, printCount }: RowSource): object {
  const { name } = listing.coin;
  const contracts = contractsOf(market.openInterest(name, nowMs), listing);
  const mark = Number(printPrice(market.quote(name, nowMs).mark, listing));
  const long = market.longFraction(name, 'accounts', nowMs);
  const ratio = Number((long / (1 - long)).toFixed(6));
  return {
    time: nowMs / 1000,
    lsr_taker: 1,
    lsr_account: ratio,
    long_liq_size: printCount(0),
    long_liq_amount: 0,
    long_liq_usd: 0,
    short_liq_size: printCount(0),
    short_liq_amount: 0,
    short_liq_usd: 0,
    open_interest: printCount(contracts),
    open_interest_usd: Number((contracts * listing.multiplier * mark).toFixed(4)),
    top_lsr_account: ratio,
    top_lsr_size: String(ratio),
    mark_price: mark,
    long_users: Math.round(1000 * long),
    short_users: Math.round(1000 * (1 - long)),
  };
}
