import { callDeltaOf, expiryLabel, gammaOf, roundTo, yearsToExpiry } from '@crosstape/core';
import type { SimulatedOption } from './option-book.ts';
import type { SimulatedOptionTrade } from './option-tape.ts';

/** Distance of bid and ask from the mark, as a share of it, and at least a tick. */
const HALF_SPREAD = 0.02;
/** A premium of fewer ticks finds no bid. */
const BID_TICKS_MIN = 1;

/** `XRP_USDC-3JUL26-1d25-P`: the day without a zero before it, `d` for the decimal point [D, N]. */
export function nameOf({ series, expiry, strike, type }: SimulatedOption): string {
  return `${series.prefix}-${dayOf(expiry.expiryMs)}-${String(strike).replace('.', 'd')}-${type}`;
}

function dayOf(expiryMs: number): string {
  return expiryLabel(expiryMs).replace(/^0/, '');
}

/** A listed future lends its price to the options of its expiry; the others have one that is put together. */
function underlyingIndex({ series, expiry }: SimulatedOption): string {
  return `${expiry.tenor === 'day' ? 'SYN.' : ''}${series.prefix}-${dayOf(expiry.expiryMs)}`;
}

interface Premiums {
  readonly mark: number;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly last: number | null;
}

/** The mark price in the currency that the option settles in. */
export function markOf({ series, priceUsd, forward }: SimulatedOption): number {
  return series.isLinear ? roundTo(priceUsd, 4) : roundTo(priceUsd / forward, 6);
}

/** In the same currency. */
function premiumsOf(option: SimulatedOption): Premiums {
  const { series, volume24h } = option;
  const mark = markOf(option);
  const ticks = mark / series.tick;
  const half = Math.max(1, ticks * HALF_SPREAD);
  const down = Math.floor(ticks - half);
  const price = (count: number): number => roundTo(count * series.tick, 6);
  return {
    mark,
    bid: down >= BID_TICKS_MIN ? price(down) : null,
    ask: price(Math.ceil(ticks + half)),
    last: volume24h > 0 ? price(Math.max(1, Math.round(ticks))) : null,
  };
}

/** https://docs.deribit.com/api-reference/market-data/public-get_book_summary_by_currency [D, C] */
export function printSummary(option: SimulatedOption, nowMs: number): object {
  const { series, iv, forward, index, openInterest, volume24h, priceUsd } = option;
  const { mark, bid, ask, last } = premiumsOf(option);
  return {
    volume: volume24h,
    volume_usd: roundTo(volume24h * priceUsd, 2),
    underlying_price: forward,
    underlying_index: underlyingIndex(option),
    quote_currency: series.currency,
    price_change: last === null ? null : 0,
    open_interest: openInterest,
    mid_price: bid === null || ask === null ? null : roundTo((bid + ask) / 2, 6),
    mark_price: mark,
    mark_iv: roundTo(iv * 100, 2),
    low: last,
    last,
    interest_rate: 0,
    instrument_name: nameOf(option),
    high: last,
    estimated_delivery_price: roundTo(index, series.priceDecimals),
    creation_timestamp: nowMs,
    bid_price: bid,
    base_currency: series.coin,
    ask_price: ask,
  };
}

/** https://docs.deribit.com/api-reference/market-data/public-get_instruments [D, M] */
export function printInstrument(option: SimulatedOption): object {
  const { series, expiry, strike, type } = option;
  return {
    tick_size: series.tick,
    tick_size_steps: [],
    taker_commission: 0.0003,
    maker_commission: 0.0003,
    strike,
    settlement_period: expiry.tenor === 'quarter' ? 'month' : expiry.tenor,
    settlement_currency: series.currency,
    quote_currency: series.currency,
    price_index: series.indexName,
    option_type: type === 'C' ? 'call' : 'put',
    min_trade_amount: series.lot,
    kind: 'option',
    is_active: true,
    state: 'open',
    instrument_type: series.isLinear ? 'linear' : 'reversed',
    instrument_name: nameOf(option),
    expiration_timestamp: expiry.expiryMs,
    creation_timestamp: expiry.listedMs,
    counter_currency: series.isLinear ? 'USDC' : 'USD',
    contract_size: series.contractSize,
    underlying_type: 'crypto',
    base_currency: series.coin,
  };
}

/** https://docs.deribit.com/api-reference/market-data/public-ticker [D, C]: no bid or ask is 0, and gamma is rounded. */
export function printTicker(option: SimulatedOption, nowMs: number): object {
  const { series, expiry, strike, type, iv, forward, index, openInterest, volume24h, priceUsd } = option;
  const { mark, bid, ask, last } = premiumsOf(option);
  const years = yearsToExpiry(expiry.expiryMs, nowMs) as number;
  const terms = { forward, strike, volatility: iv, years };
  const ivPct = roundTo(iv * 100, 2);
  const indexPrice = roundTo(index, series.priceDecimals);
  return {
    timestamp: nowMs,
    stats: {
      volume_usd: roundTo(volume24h * priceUsd, 2),
      volume: volume24h,
      price_change: last === null ? null : 0,
      low: last,
      high: last,
    },
    state: 'open',
    settlement_price: mark,
    open_interest: openInterest,
    min_price: series.tick,
    max_price: roundTo(mark * 2 + series.tick, 6),
    mark_price: mark,
    mark_iv: ivPct,
    bid_iv: bid === null ? 0 : ivPct,
    ask_iv: ask === null ? 0 : ivPct,
    last_price: last,
    interest_rate: 0,
    instrument_name: nameOf(option),
    index_price: indexPrice,
    underlying_price: forward,
    underlying_index: underlyingIndex(option),
    estimated_delivery_price: indexPrice,
    best_bid_price: bid ?? 0,
    best_bid_amount: bid === null ? 0 : series.lot * 10,
    best_ask_price: ask ?? 0,
    best_ask_amount: ask === null ? 0 : series.lot * 10,
    greeks: {
      delta: roundTo(callDeltaOf(terms) - (type === 'C' ? 0 : 1), 5),
      gamma: roundTo(gammaOf(terms), 5),
      vega: roundTo((gammaOf(terms) * forward * forward * iv * years) / 100, 5),
      theta: roundTo((-gammaOf(terms) * forward * forward * iv * iv) / 2 / 365, 5),
      rho: 0,
    },
  };
}

/**
 * https://docs.deribit.com/api-reference/market-data/public-get_last_trades_by_currency_and_time [D]; of blocks and
 * combinations [C]. A sequence number has gaps here, where the venue's has none.
 */
export function printTrade(trade: SimulatedOptionTrade): object {
  const { option, id, seq, ts, side, price, mark, ivPct, size, block, liquidation } = trade;
  const { series, index } = option;
  return {
    trade_seq: seq,
    trade_id: id,
    timestamp: ts,
    tick_direction: seq % 4,
    price,
    mark_price: mark,
    iv: ivPct,
    instrument_name: nameOf(option),
    index_price: roundTo(index, series.priceDecimals),
    direction: side,
    contracts: roundTo(size / series.contractSize, 4),
    amount: size,
    ...(block && { block_trade_id: block.id, block_trade_leg_count: block.legs }),
    ...(block?.combo !== undefined && { combo_id: block.combo }),
    ...(liquidation && { liquidation }),
  };
}
