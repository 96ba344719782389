import { describe, expect, it } from 'vitest';
import { createMarket } from './market.ts';
import { bareCoin, VenueMarket } from './venue-market.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 10, 14);
const shape = { id: 'somewhere', share: 1.5, basisBps: 2, latencyMs: 40, listed: 0.8 };

function venueMarket(seed = 7): VenueMarket {
  return new VenueMarket(createMarket({ seed }), shape);
}

describe('a market as another venue sees it', () => {
  it('is the same for the same seed and time, and another for another seed', () => {
    const ask = (market: VenueMarket): unknown => [
      market.quote('BTC', START_MS),
      market.openInterest('ETH', START_MS),
      market.funding('SOL', START_MS),
      market.longFraction('BTC', 'top', START_MS),
    ];
    expect(ask(venueMarket())).toEqual(ask(venueMarket()));
    expect(ask(venueMarket(8))).not.toEqual(ask(venueMarket()));
  });

  it('stays near the primary venue in price, and has its share of the positions', () => {
    const market = venueMarket();
    for (const { name } of market.coins) {
      const own = market.quote(name, START_MS);
      expect(Math.abs(own.mark / market.market.quote(name, START_MS).mark - 1)).toBeLessThan(0.005);
      expect(own.bid).toBeLessThan(own.ask);
      const share = market.openInterest(name, START_MS) / market.market.openInterest(name, START_MS);
      expect(share).toBeGreaterThan(0.75);
      expect(share).toBeLessThan(3);
    }
  });

  it('pays funding every 1, 4 or 8 hours, and changes one period while it runs', () => {
    const market = venueMarket();
    const periods = new Set(market.coins.map(({ name }) => market.periodHours(name, START_MS)));
    expect([...periods].toSorted((a, b) => a - b)).toEqual([1, 4, 8]);
    const changing = market.coins.at(-1)?.name ?? '';
    const over = [0, 6, 12].map((hours) => market.periodHours(changing, START_MS + hours * HOUR_MS));
    expect(over).toEqual([8, 4, 8]);
    const { nextFundingMs, prevFundingMs, periodHours } = market.funding('BTC', START_MS + 5);
    expect(nextFundingMs - prevFundingMs).toBe(periodHours * HOUR_MS);
    expect(nextFundingMs).toBeGreaterThan(START_MS);
  });

  it('has the configured number of contracts, the last of its coins again under other names', () => {
    const market = new VenueMarket(createMarket({ seed: 7 }), shape, 100);
    const own = venueMarket().coins;
    expect(market.coins.slice(0, own.length)).toEqual(own);
    expect(market.coins).toHaveLength(100);
    const [last, copy] = [own.at(-1), market.coins.at(-1)];
    if (!last || !copy) throw new Error('no coins');
    expect(copy).toEqual({ ...last, name: `${last.name}X${100 - own.length}` });
    expect(market.quote(copy.name, START_MS).index).toBe(market.quote(last.name, START_MS).index);
    expect(market.openInterest(copy.name, START_MS)).toBeGreaterThan(0);
    expect(market.funding(copy.name, START_MS).nextFundingMs).toBeGreaterThan(START_MS);
    expect(market.volume24h(copy.name, START_MS)).toEqual(market.volume24h(last.name, START_MS));
    const deals = market.liquidations(copy, START_MS, START_MS + 12 * HOUR_MS);
    expect(deals.every(({ coin }) => coin === copy.name)).toBe(true);
  });

  it('returns the same liquidations whether read at once or piece by piece, all of the forced side', () => {
    const market = venueMarket();
    const [btc] = market.coins;
    if (!btc) throw new Error('no coins');
    const spanMs = 12 * HOUR_MS;
    const whole = market.liquidations(btc, START_MS, START_MS + spanMs);
    const pieces = [];
    for (let at = START_MS; at < START_MS + spanMs; at += 777_777) {
      pieces.push(...market.liquidations(btc, at, Math.min(at + 777_777, START_MS + spanMs)));
    }
    expect(whole.length).toBeGreaterThan(50);
    expect(pieces).toEqual(whole);
    expect(whole.every(({ isLiquidation, size, price }) => isLiquidation && size > 0 && price > 0)).toBe(
      true,
    );
  });
});

it('takes the thousands out of a name', () => {
  expect(bareCoin('kPEPE')).toEqual({ name: 'PEPE', perUnit: 1000 });
  expect(bareCoin('BTC')).toEqual({ name: 'BTC', perUnit: 1 });
});
