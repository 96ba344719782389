import { ManualClock, priceOf, yearsToExpiry } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMarket } from '../../market/market.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { viewOfVenue } from '../../venue-view.ts';
import { expiriesAt } from './expiries.ts';
import { OptionBook, type SimulatedOption } from './option-book.ts';
import { SERIES, type Series } from './series.ts';
import type { IndexPage } from './volatility-index.ts';
import { isLong } from '../../../../../test/long.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SEEDS = isLong ? [5, 6, 7] : [5];

function bookOf(seed: number): OptionBook {
  return new OptionBook(viewOfVenue(createMarket({ seed }), 'deribit') as VenueMarket);
}

function seriesOf(prefix: string): Series {
  return SERIES.find((one) => one.prefix === prefix) as Series;
}

function byExpiry(options: readonly SimulatedOption[]): readonly (readonly SimulatedOption[])[] {
  const expiries = [...new Set(options.map(({ expiry }) => expiry.expiryMs))];
  return expiries.map((expiryMs) => options.filter(({ expiry }) => expiry.expiryMs === expiryMs));
}

describe('the expiries', () => {
  it('are days, weeks, months and quarters, at eight in the morning', () => {
    const expiries = expiriesAt(T0);
    expect(new Set(expiries.map(({ tenor }) => tenor))).toEqual(new Set(['day', 'week', 'month', 'quarter']));
    for (const { expiryMs } of expiries) expect(expiryMs % DAY_MS).toBe(8 * HOUR_MS);
    expect(expiries.filter(({ tenor }) => tenor === 'quarter')).toHaveLength(4);
  });

  it('are gone the moment they are due, and none is listed twice', () => {
    const dueMs = Date.UTC(2026, 10, 17, 8);
    expect(expiriesAt(dueMs - 1)[0]?.expiryMs).toBe(dueMs);
    expect(expiriesAt(dueMs)[0]?.expiryMs).toBe(dueMs + DAY_MS);
    const days = expiriesAt(T0).map(({ expiryMs }) => expiryMs);
    expect(new Set(days).size).toBe(days.length);
  });
});

describe('the book', () => {
  it.each(SEEDS)('of BTC has about 1,500 options, around spot at every expiry (seed %d)', (seed) => {
    const options = bookOf(seed).options(seriesOf('BTC'), T0);
    expect(options.length).toBeGreaterThan(1_200);
    expect(options.length).toBeLessThan(2_100);
    for (const chain of byExpiry(options)) {
      const strikes = chain.map(({ strike }) => strike);
      const index = chain[0]?.index as number;
      expect(Math.min(...strikes)).toBeLessThan(index * 0.9);
      expect(Math.max(...strikes)).toBeGreaterThan(index * 1.1);
      expect(new Set(strikes).size * 2).toBe(strikes.length);
    }
  });

  it('stands on the same spot as the perpetuals', () => {
    const market = createMarket({ seed: 5 });
    const view = viewOfVenue(market, 'deribit') as VenueMarket;
    const index = new OptionBook(view).index('ETH', T0);
    expect(index).toBe(market.quote('ETH', T0 - view.shape.latencyMs).index);
  });

  it('is a function of seed and time, and moves slowly', () => {
    const [one, again, other] = [bookOf(5), bookOf(5), bookOf(6)];
    const sol = seriesOf('SOL_USDC');
    const before = one.options(sol, T0);
    expect(again.options(sol, T0)).toEqual(before);
    expect(other.options(sol, T0)).not.toEqual(before);
    const later = one.options(sol, T0 + 60_000);
    expect(later).not.toEqual(before);
    for (const [i, option] of later.entries()) {
      expect(option.strike).toBe(before[i]?.strike);
      expect(Math.abs(option.openInterest - (before[i]?.openInterest ?? 0))).toBeLessThanOrEqual(
        sol.lot + 0.01 * option.openInterest,
      );
    }
  });

  it.each(SEEDS)('has prices that leave no riskless profit at one expiry (seed %d)', (seed) => {
    for (const series of SERIES) {
      for (const chain of byExpiry(bookOf(seed).options(series, T0))) {
        const calls = chain.filter(({ type }) => type === 'C');
        const { forward, index } = calls[0] as SimulatedOption;
        expect(Math.abs(forward / index - 1)).toBeLessThan(0.15);
        // With volatility rounded to four decimals, a price is off by this much at most.
        const slack = 1e-3 * index;
        for (const [i, call] of calls.entries()) {
          const put = chain.find(({ type, strike }) => type === 'P' && strike === call.strike);
          expect(call.priceUsd - (put?.priceUsd ?? 0)).toBeCloseTo(forward - call.strike, 4);
          const [left, right] = [calls[i - 1], calls[i + 1]];
          if (!left || !right) continue;
          expect(call.priceUsd).toBeLessThanOrEqual(left.priceUsd + slack);
          expect(left.priceUsd + right.priceUsd - 2 * call.priceUsd).toBeGreaterThan(-slack);
        }
      }
    }
  });

  it.each(SEEDS)('has more variance the longer it lasts (seed %d)', (seed) => {
    const chains = byExpiry(bookOf(seed).options(seriesOf('BTC'), T0));
    const variances = chains.map((chain) => {
      const nearest = chain.toSorted(
        (a, b) => Math.abs(a.strike - a.forward) - Math.abs(b.strike - b.forward),
      )[0];
      return (nearest?.iv ?? 0) ** 2 * (yearsToExpiry(nearest?.expiry.expiryMs ?? 0, T0) ?? 0);
    });
    expect(variances).toEqual(variances.toSorted((a, b) => a - b));
  });

  it('has more open interest at round strikes, and none at some', () => {
    const options = bookOf(5)
      .options(seriesOf('BTC'), T0)
      .filter(({ expiry }) => expiry.tenor === 'week');
    const mean = (rows: readonly SimulatedOption[]): number =>
      rows.reduce((sum, { openInterest }) => sum + openInterest, 0) / rows.length;
    const round = options.filter(({ strike }) => strike % 10_000 === 0);
    const others = options.filter(({ strike }) => strike % 5_000 !== 0);
    expect(mean(round)).toBeGreaterThan(1.5 * mean(others));
    expect(options.some(({ openInterest }) => openInterest === 0)).toBe(true);
    expect(options.some(({ volume24h }) => volume24h > 0)).toBe(true);
  });
});

describe('the wire', () => {
  let simulator: Simulator;

  beforeEach(async () => {
    simulator = await startSimulator({ port: 0, seed: 5, clock: new ManualClock(T0), sources: ['deribit'] });
  });

  afterEach(() => simulator.close());

  type Row = Readonly<Record<string, unknown>>;

  async function ask(call: string): Promise<{ status: number; result: Row[]; error?: Row }> {
    const response = await fetch(`${simulator.url}/deribit/api/v2/public/${call}`);
    const body = (await response.json()) as { result: Row[]; error?: Row };
    return { status: response.status, ...body };
  }

  /** How far an option's strike is from its forward. */
  function awayOf(row: Row): number {
    return Math.abs(
      Number(String(row['instrument_name']).split('-')[2]) / Number(row['underlying_price']) - 1,
    );
  }

  it('names options with a bare day, and in the book of USDC with d for the decimal point', async () => {
    const { result } = await ask('get_book_summary_by_currency?currency=USDC&kind=option');
    const names = result.map((row) => String(row['instrument_name']));
    expect(names.some((name) => /^XRP_USDC-\d{1,2}[A-Z]{3}\d\d-\dd\d+-C$/.test(name))).toBe(true);
    expect(names.some((name) => name.startsWith('SOL_USDC-4DEC26-'))).toBe(true);
    expect(names.every((name) => !name.includes('.') && !/-0\d[A-Z]/.test(name))).toBe(true);
    expect(new Set(names.map((name) => name.split('-')[0]))).toEqual(
      new Set(['BTC_USDC', 'ETH_USDC', 'SOL_USDC', 'XRP_USDC', 'HYPE_USDC']),
    );
  });

  it('quotes premiums in coins, or in USDC, that its own volatility gives', async () => {
    for (const currency of ['BTC', 'USDC']) {
      const { result } = await ask(`get_book_summary_by_currency?currency=${currency}&kind=option`);
      const instruments = await ask(`get_instruments?currency=${currency}&kind=option`);
      for (const [i, row] of result.entries()) {
        const terms = instruments.result[i] as Row;
        expect(terms['instrument_name']).toBe(row['instrument_name']);
        const years = yearsToExpiry(Number(terms['expiration_timestamp']), T0) as number;
        const forward = Number(row['underlying_price']);
        const usd = priceOf(terms['option_type'] === 'call' ? 'C' : 'P', {
          forward,
          strike: Number(terms['strike']),
          volatility: Number(row['mark_iv']) / 100,
          years,
        });
        expect(row['mark_price']).toBeCloseTo(currency === 'BTC' ? usd / forward : usd, 4);
      }
    }
  });

  it('returns the volatility index by page, near what its options imply, and nothing of the future', async () => {
    const range = `start_timestamp=${T0 - 1_500 * DAY_MS}&end_timestamp=${T0 + DAY_MS}`;
    const pageOf = async (query: string): Promise<IndexPage> => {
      const { result } = await ask(`get_volatility_index_data?currency=BTC&${query}`);
      return result as unknown as IndexPage;
    };
    const newest = await pageOf(`${range}&resolution=1D`);
    expect(newest.data).toHaveLength(1_000);
    expect(newest.data.at(-1)?.[0]).toBe(T0 - (T0 % DAY_MS));
    for (const [ts, open, high, low, close] of newest.data) {
      expect(ts % DAY_MS).toBe(0);
      expect([Math.min(open, close) >= low, Math.max(open, close) <= high, low > 0]).toEqual([
        true,
        true,
        true,
      ]);
    }
    expect(newest.data.slice(0, -1).map(([, , , , close]) => close)).toEqual(
      newest.data.slice(1).map(([, open]) => open),
    );
    const older = await pageOf(
      `start_timestamp=${T0 - 1_500 * DAY_MS}&end_timestamp=${newest.continuation}&resolution=1D`,
    );
    expect(older.data).toHaveLength(500);
    expect(older.data.at(-1)?.[0]).toBe((newest.data[0]?.[0] ?? 0) - DAY_MS);
    expect(older.continuation).toBeNull();
    const firstDay = Date.UTC(2021, 2, 24);
    const first = await pageOf(`start_timestamp=0&end_timestamp=${firstDay + DAY_MS}&resolution=1D`);
    expect(first.data.map(([ts]) => ts)).toEqual([firstDay, firstDay + DAY_MS]);
    const { result } = await ask('get_book_summary_by_currency?currency=BTC&kind=option');
    const nearest = result
      .filter((row) => String(row['instrument_name']).includes('-25DEC26-'))
      .toSorted((a, b) => awayOf(a) - awayOf(b))[0];
    const now = (await pageOf(`${range}&resolution=60`)).data.at(-1)?.[4] as number;
    expect(Math.abs(now / Number(nearest?.['mark_iv']) - 1)).toBeLessThan(0.1);
    for (const bad of [
      'currency=BTC&resolution=1D',
      `currency=BTC&resolution=7&${range}`,
      `currency=X&${range}`,
    ])
      expect((await ask(`get_volatility_index_data?${bad}`)).status).toBe(400);
    const none = await ask(`get_volatility_index_data?currency=USDC&resolution=1D&${range}`);
    expect(none.result).toEqual({ data: [], continuation: null });
  });

  async function askTrades(search: string): Promise<{ trades: Row[]; has_more: boolean }> {
    const { result } = await ask(`get_last_trades_by_currency_and_time?kind=option&${search}`);
    return result as unknown as { trades: Row[]; has_more: boolean };
  }

  it.each(['BTC', 'ETH', 'USDC'])(
    'has trades of %s that agree with its chain, in pages',
    async (currency) => {
      const from = T0 - 6 * HOUR_MS;
      const range = `currency=${currency}&end_timestamp=${T0}&count=400`;
      const all: Row[] = [];
      for (let start = from, more = true; more; ) {
        const page = await askTrades(`${range}&start_timestamp=${start}&sorting=asc`);
        const known = new Set(all.map((row) => row['trade_id']));
        all.push(...page.trades.filter((row) => !known.has(row['trade_id'])));
        more = page.has_more;
        start = Number(page.trades.at(-1)?.['timestamp']);
      }
      expect(all.length).toBeGreaterThan(100);
      const times = all.map((row) => Number(row['timestamp']));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Math.min(...times)).toBeGreaterThanOrEqual(from);
      const newest = await askTrades(
        `${range.replace('count=400', 'count=5')}&start_timestamp=${from}&sorting=desc`,
      );
      expect(newest.trades).toEqual(all.toReversed().slice(0, 5));
      expect(newest.has_more).toBe(true);
      const instruments = await ask(`get_instruments?currency=${currency}&kind=option`);
      const listed = new Map(instruments.result.map((row) => [row['instrument_name'], row]));
      for (const row of all.filter(({ timestamp }) => Number(timestamp) > T0 - HOUR_MS)) {
        const terms = listed.get(row['instrument_name']) as Row;
        expect(Math.abs(Number(row['price']) - Number(row['mark_price']))).toBeLessThan(
          0.15 * Number(row['mark_price']) + Number(terms['tick_size']),
        );
        expect(Number(row['amount']) / Number(terms['min_trade_amount'])).toBeCloseTo(
          Math.round(Number(row['amount']) / Number(terms['min_trade_amount'])),
          6,
        );
      }
      expect(new Set(all.map((row) => row['direction']))).toEqual(new Set(['buy', 'sell']));
      for (const block of new Set(all.flatMap((row) => row['block_trade_id'] ?? []))) {
        const legs = all.filter((row) => row['block_trade_id'] === block);
        expect(new Set(legs.map((row) => row['timestamp'])).size).toBe(1);
        expect(legs).toHaveLength(Number(legs[0]?.['block_trade_leg_count']));
      }
    },
  );

  it('has no trades for a request that begins more than 24 hours ago', async () => {
    const search = `currency=BTC&end_timestamp=${T0}&count=1000`;
    expect(await askTrades(`${search}&start_timestamp=${T0 - DAY_MS - 1}`)).toEqual({
      trades: [],
      has_more: false,
    });
    expect((await askTrades(`${search}&start_timestamp=${T0 - DAY_MS}`)).trades).toHaveLength(1_000);
  });

  it('complains in the words of the venue', async () => {
    for (const call of ['currency=SOL', 'currency=BTC&kind=swap', 'kind=option']) {
      const { status, error } = await ask(`get_book_summary_by_currency?${call}`);
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: -32_602, message: 'Invalid params' });
    }
    const range = 'start_timestamp=0&end_timestamp=0';
    for (const search of [`${range}&count=1001`, `${range}&sorting=up`, 'start_timestamp=0']) {
      const { error } = await ask(`get_last_trades_by_currency_and_time?currency=BTC&${search}`);
      expect(error).toMatchObject({ code: -32_602, message: 'Invalid params' });
    }
    expect((await ask('get_index_price?index_name=doge_usd')).status).toBe(400);
    expect((await ask('ticker?instrument_name=BTC-1JAN20-1-C')).status).toBe(400);
    expect((await ask('get_gossip')).error).toMatchObject({ code: -32_601 });
    expect((await ask('get_book_summary_by_currency?currency=BTC&kind=future')).result).toEqual([]);
  });
});
