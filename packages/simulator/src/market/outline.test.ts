import { expect, it } from 'vitest';
import { createMarket } from './market.ts';
import { MinuteBars, mergeBars } from './minute-bars.ts';
import { SpotMarket } from './spot-market.ts';
import type { Outline, Tape, TapeDeal } from './tape.ts';
import { viewOfVenue } from '../venue-view.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const FROM_MS = Date.UTC(2026, 3, 7, 9);
/** Tolerance of a day's figure relative to its trades. */
const CLOSE = 0.25;

const market = createMarket({ seed: 5, rate: 0.2 });
const coin = market.coins.find(({ name }) => name === 'ETH');
if (!coin) throw new Error('no such coin');

function viewOf(id: string) {
  const view = viewOfVenue(market, id);
  if (!view) throw new Error(`no such venue: ${id}`);
  return view;
}

const TAPES: readonly (readonly [string, Tape])[] = [
  ['a perpetual', viewOf('gate').tape({ symbol: 'ETH_USDT', coin })],
  ['a spot pair', new SpotMarket(viewOf('coinbase')).tape({ base: 'ETH', quote: 'USD', priceDecimals: 2 })],
];

function worthOf(deals: readonly Pick<TapeDeal, 'price' | 'size'>[]): number {
  return deals.reduce((sum, { price, size }) => sum + price * size, 0);
}

function expectClose(value: number, wanted: number, part: number): void {
  expect(Math.abs(value / wanted - 1)).toBeLessThan(part);
}

/** They begin and end at the prices of the trades of their time. */
function expectPrices({ deals }: Outline, first: number, last: number): void {
  expectClose(deals[0]?.price ?? 0, first, 0.005);
  expectClose(deals.at(-1)?.price ?? 0, last, 0.005);
}

it.each(TAPES)('outlines the hours of %s close to their trades', (_, tape) => {
  let [trades, worth, madeTrades, madeWorth] = [0, 0, 0, 0];
  for (let hour = 0; hour < HOURS; hour += 1) {
    const fromMs = FROM_MS + hour * HOUR_MS;
    const outline = tape.outline(fromMs, fromMs + HOUR_MS);
    expect(tape.outline(fromMs, fromMs + HOUR_MS)).toEqual(outline);
    const made = tape.read(tape.nextAt(fromMs), tape.nextAt(fromMs + HOUR_MS));
    expectPrices(outline, made[0]?.price ?? 0, made.at(-1)?.price ?? 0);
    trades += outline.trades;
    worth += worthOf(outline.deals);
    madeTrades += made.length;
    madeWorth += worthOf(made);
  }
  expectClose(trades, madeTrades, 0.02);
  expectClose(worth, madeWorth, CLOSE);
});

it('outlines the hours of the primary venue close to their trades', async () => {
  const bars = new MinuteBars(market);
  let [trades, worth, madeTrades, madeWorth] = [0, 0, 0, 0];
  for (let hour = 0; hour < HOURS; hour += 1) {
    const fromMs = FROM_MS + hour * HOUR_MS;
    const outline = bars.outline(coin, fromMs, fromMs + HOUR_MS);
    const made = mergeBars(await bars.read(coin, fromMs, fromMs + HOUR_MS));
    if (!outline || !made) throw new Error('an hour without a trade');
    expectClose(outline.open, made.open, 0.005);
    expectClose(outline.close, made.close, 0.005);
    trades += outline.trades;
    worth += outline.notionalUsd;
    madeTrades += made.trades;
    madeWorth += made.notionalUsd;
  }
  expectClose(trades, madeTrades, CLOSE);
  expectClose(worth, madeWorth, CLOSE);
});
