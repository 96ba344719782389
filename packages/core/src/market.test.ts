import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactDecimal } from './bars/exact-decimal.ts';
import { isMember, type Market, MarketIndex, marketIdOf, type MarketVenue, parseMarketId } from './market.ts';
import { hashedId } from './market-trade.ts';
import { coinUnitsOf, columnsInCoins } from './market-units.ts';
import { createTickColumns } from './ticks/index.ts';
import { runs } from '../../../test/runs.ts';

const venues: readonly MarketVenue[] = [
  { id: 'hyperliquid', aliases: ['hl'], kinds: ['perp'] },
  { id: 'binance', aliases: ['bn', 'venue_d'], kinds: ['perp', 'spot'] },
  { id: 'coinbase', aliases: [], kinds: ['spot'] },
];

function market(key: Pick<Market, 'venue' | 'kind' | 'symbol' | 'coin'>): Market {
  return { ...key, id: marketIdOf(key), quote: 'USD', contractSize: 1, scale: 1 };
}

const markets = [
  market({ venue: 'hyperliquid', kind: 'perp', symbol: 'kPEPE', coin: 'kPEPE' }),
  market({ venue: 'binance', kind: 'perp', symbol: 'BTCUSDT', coin: 'BTC' }),
  market({ venue: 'binance', kind: 'spot', symbol: 'BTCUSDT', coin: 'BTC' }),
  market({ venue: 'coinbase', kind: 'spot', symbol: 'BTC-USD', coin: 'BTC' }),
];

it.each([
  ['binance:BTCUSDT', 'binance:BTCUSDT'],
  ['BN:btcusdt', 'binance:BTCUSDT'],
  ['venue_d-SPOT:btcusdt', 'binance-spot:BTCUSDT'],
  ['coinbase:btc-usd', 'coinbase-spot:BTC-USD'],
  ['coinbase-spot:BTC-USD', 'coinbase-spot:BTC-USD'],
  ['hl:kpepe', 'hyperliquid:kPEPE'],
])('reads %s as %s', (text, id) => {
  const named = parseMarketId(text, venues);
  expect(named.type === 'market' && new MarketIndex(markets).find(named)?.id).toBe(id);
});

it.each([
  ['BTCUSDT', 'BTCUSDT is not a market id'],
  [':BTC', ':BTC is not a market id'],
  ['binance:', 'binance: is not a market id'],
  ['ftx:BTC-PERP', 'ftx is not a venue'],
  ['hyperliquid-spot:PURR', 'hyperliquid has no spot markets'],
])('refuses %s', (text, why) => {
  expect(parseMarketId(text, venues)).toEqual({ type: 'invalid', why: expect.stringContaining(why) });
});

it('reads aggregates, whose members are the markets of a coin', () => {
  const named = parseMarketId('SPOT:btc', venues);
  if (named.type !== 'aggregate') throw new Error('not an aggregate');
  const coin = new MarketIndex(markets).coin(named.coin) ?? '';
  const membersOf = (scope: 'perp' | 'spot' | 'all') =>
    markets.filter((one) => isMember({ scope, coin }, one)).map(({ id }) => id);
  expect(membersOf(named.scope)).toEqual(['binance-spot:BTCUSDT', 'coinbase-spot:BTC-USD']);
  expect(membersOf('perp')).toEqual(['binance:BTCUSDT']);
  expect(membersOf('all')).toHaveLength(3);
});

const unitsArbitrary = fc.record({
  contractSize: fc.constantFrom(1, 0.01, 0.0001, 10, 1000, 10_000_000, 0.25, 5),
  scale: fc.constantFrom(1, 1000, 0.1),
});
/** Typical venue numbers: a few digits, up to nine decimals. */
const printed = fc
  .tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.nat(9))
  .map(([n, d]) => Number(`${n}e-${d}`));

it('keeps price × size × contract size exactly, as numbers and as columns', () => {
  fc.assert(
    fc.property(unitsArbitrary, printed, printed, (units, price, size) => {
      const inCoins = coinUnitsOf(units);
      const [p, s, venueP, venueS, contract] = [
        inCoins.price(price),
        inCoins.size(size),
        price,
        size,
        units.contractSize,
      ].map(exactDecimal) as [Exact, Exact, Exact, Exact, Exact];
      const before = venueP.digits * venueS.digits * contract.digits;
      const shift = venueP.decimals + venueS.decimals + contract.decimals - p.decimals - s.decimals;
      expect(p.digits * s.digits * 10n ** BigInt(Math.max(0, shift))).toBe(
        before * 10n ** BigInt(Math.max(0, -shift)),
      );
      const columns = createTickColumns(1);
      columns.length = 1;
      columns.priceDecimals = venueP.decimals;
      columns.sizeDecimals = venueS.decimals;
      columns.price[0] = Number(venueP.digits);
      columns.size[0] = Number(venueS.digits);
      const converted = columnsInCoins(columns, units);
      expect(Number(`${converted.price[0]}e-${converted.priceDecimals}`)).toBe(inCoins.price(price));
      expect(Number(`${converted.size[0]}e-${converted.sizeDecimals}`)).toBe(inCoins.size(size));
    }),
    { seed: 1, numRuns: runs(300) },
  );
});

type Exact = ReturnType<typeof exactDecimal>;

it('converts each trade from the units of its time', () => {
  const columns = createTickColumns(3);
  columns.length = 3;
  columns.priceDecimals = 1;
  columns.ts.set([10, 20, 30]);
  columns.price.set([1_005, 1_005, 1_005]);
  columns.size.set([2, 2, 2]);
  const unitsBefore = [
    { contractSize: 10, scale: 1, untilMs: 5 },
    { contractSize: 0.001, scale: 1, untilMs: 20 },
    { contractSize: 0.25, scale: 10, untilMs: 30 },
  ];
  const { price, priceDecimals, size, sizeDecimals } = columnsInCoins(columns, {
    contractSize: 100,
    scale: 1,
    unitsBefore,
  });
  expect([...price].map((value) => value / 10 ** priceDecimals)).toEqual([100.5, 1_005, 100.5]);
  expect([...size].map((value) => value / 10 ** sizeDecimals)).toEqual([0.002, 0.05, 200]);
});

it('converts thousands: the price of PEPE is that of a thousandth of kPEPE', () => {
  const { price, size } = coinUnitsOf({ contractSize: 10_000_000, scale: 1000 });
  expect([price(0.000008123), size(0.1)]).toEqual([0.008123, 1000]);
});

it('hashes ids to whole numbers below 2^53 without collisions among a hundred thousand', () => {
  const seen = new Set<number>();
  for (let i = 0; i < 100_000; i += 1) seen.add(hashedId(`20f43950-${i}`));
  expect(seen.size).toBe(100_000);
  expect([...seen].slice(0, 1000).every((id) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
});
