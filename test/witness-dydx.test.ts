import type { VenueLiquidation } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import ccxt from 'ccxt';
import { type Liquidation, normalizeLiquidations } from 'tardis-dev';
import { describe, expect, it } from 'vitest';
import { watchSocket } from './watch-socket.ts';
import { Witness } from './witness.ts';

const HOUR_MS = 3_600_000;
/** Just before funding is paid: what is announced now is what was paid then. */
const T0 = Date.UTC(2026, 10, 16, 15) - 1;
/** A paid rate is reported a moment after the hour. */
const HELD_BACK_MS = 1_000;

const client = new ccxt.dydx({ enableRateLimit: false });
const rig = new Witness({
  venue: 'dydx',
  client,
  api: (url) => ({ indexer: `${url}/v4` }),
  startMs: T0,
});

describe('ccxt on dYdX, which has no call for open interest, mark or the coming funding', () => {
  it('lists the same markets as active, and besides a token of a pool, silver and oil', () => {
    const active = Object.values(client.markets ?? {}).filter((market) => market?.active === true);
    const pooled = active.filter((market) => market?.id?.includes(','));
    expect(pooled).toHaveLength(1);
    const others = active.filter((market) => ['XAG-USD', 'WTI-USD'].includes(String(market?.id)));
    expect(others).toHaveLength(2);
    const rest = active.filter((market) => !pooled.includes(market) && !others.includes(market));
    const listed = rest.map((market) => ({
      symbol: market?.id,
      coin: market?.baseId,
      quote: 'USD',
      tick: market?.precision.price,
    }));
    expect(listed).toEqual(rig.ours.instruments);
    expect(rest.every((market) => market?.contractSize === 1)).toBe(true);
  });

  it('keeps with each market the figures from which ours are read', () => {
    for (const { symbol, coins, value = 0 } of rig.ours.openInterest ?? []) {
      const { openInterest, oraclePrice, nextFundingRate } = client.market(symbol).info;
      expect(coins).toBe(Number(openInterest));
      expect(value / (Number(openInterest) * Number(oraclePrice))).toBeCloseTo(1, 6);
      expect(rig.ours.prices?.find((one) => one.symbol === symbol)).toMatchObject({
        mark: Number(oraclePrice),
        index: Number(oraclePrice),
      });
      expect(rig.ours.funding?.find((one) => one.symbol === symbol)?.rate).toBe(Number(nextFundingRate));
    }
    expect(rig.ours.openInterest?.length).toBeGreaterThan(30);
  });

  it.each(['BTC-USD', 'ETH-USD', 'PEPE-USD'])(
    'reports for %s, once it is paid, the rate and hour that we announced',
    async (symbol) => {
      rig.clock.advance(rig.clock.now() === T0 ? HELD_BACK_MS : 0);
      const history = await client.fetchFundingRateHistory(client.market(symbol).symbol, undefined, 2);
      const announced = rig.ours.funding?.find((one) => one.symbol === symbol);
      const paid = history.at(-1);
      expect(paid?.fundingRate).toBe(announced?.rate);
      expect(Number(paid?.timestamp) - Number(announced?.nextFundingMs)).toBeLessThan(1000);
      expect(Number(paid?.timestamp) - Number(history[0]?.timestamp)).toBe(
        HOUR_MS * Number(announced?.periodHours),
      );
    },
  );
});

it('reads every liquidation as tardis does: market, side of the order, price, coins and time', async () => {
  const feed = venues.find(({ id }) => id === 'dydx')?.connector?.feeds[0];
  if (!feed) throw new Error('dYdX has no feed');
  const socket = await watchSocket(rig.simulator.url, `/dydx${feed.path}`);
  const topics = feed.topics(rig.ours.instruments ?? []).slice(0, feed.topicsPerSocket);
  // Recorders subscribe without batches.
  for (const topic of topics)
    socket.send(feed.subscribe([topic]).replace('"batched":true', '"batched":false'));
  await socket.settle();
  rig.clock.advance(HOUR_MS);
  await socket.settle();
  const parse = feed.open(() => rig.ours);
  const mapper = normalizeLiquidations('dydx-v4', new Date(T0));
  const [mine, theirs]: [VenueLiquidation[], Liquidation[]] = [[], []];
  for (const text of socket.frames) {
    const frame = parse(text);
    if (frame.kind === 'liquidations' && !frame.isBackfill) mine.push(...frame.liquidations);
    const message: unknown = JSON.parse(text);
    if (mapper.canHandle(message)) theirs.push(...(mapper.map(message, new Date(T0)) ?? []));
  }
  expect(mine.length).toBeGreaterThan(5);
  expect(new Set(mine.map(({ side }) => side))).toEqual(new Set(['buy', 'sell']));
  expect(mine.map(({ symbol, side, price, size, venueTs }) => [symbol, side, price, size, venueTs])).toEqual(
    theirs.map(({ symbol, side, price, amount, timestamp }) => [
      symbol,
      side,
      price,
      amount,
      timestamp.getTime(),
    ]),
  );
  socket.close();
});
