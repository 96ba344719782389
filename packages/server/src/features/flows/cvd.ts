import { type Candle, decimalOf, intervalStart, roundTo } from '@crosstape/core';
import type { Static } from 'typebox';
import { nextTurn } from '../../platform/next-turn.ts';
import { CANDLES_PER_TURN, type Member, type Moments } from '../candles/members.ts';
import type { CvdSeries } from './cvd-schema.ts';

const COIN_DECIMALS = 8;
const USD_DECIMALS = 2;

type Point = Static<typeof CvdSeries>['points'][number];
type Scope = 'perp' | 'spot' | 'all';
const scopes: readonly Scope[] = ['perp', 'spot', 'all'];

interface Delta {
  readonly coins: number;
  readonly usd: number;
}

/** In dollars: at the volume-weighted price of the candle, whose notional is in dollars. */
export function deltaOf({ volume, buyVolume = 0, notional = 0, priceDecimals, sizeDecimals }: Candle): Delta {
  const traded = decimalOf(volume, sizeDecimals);
  const coins = 2 * decimalOf(buyVolume, sizeDecimals) - traded;
  const usd = traded === 0 ? 0 : (coins / traded) * decimalOf(notional, priceDecimals + sizeDecimals);
  return { coins: roundTo(coins, COIN_DECIMALS), usd: roundTo(usd, USD_DECIMALS) };
}

function add(a: Delta | undefined, b: Delta): Delta {
  if (!a) return b;
  return { coins: roundTo(a.coins + b.coins, COIN_DECIMALS), usd: roundTo(a.usd + b.usd, USD_DECIMALS) };
}

/**
 * The points of larger intervals, from candles of `baseMs` by market, oldest first. Yields to the event loop in
 * between; `caller` is whose turns it takes.
 */
export async function cvdPoints(
  members: readonly Pick<Member, 'market' | 'kind'>[],
  moments: Moments,
  intervalMs: number,
  caller?: string,
): Promise<readonly Point[]> {
  const running = new Map<Scope, Delta>();
  const points: Point[] = [];
  const perTurn = Math.ceil(CANDLES_PER_TURN / members.length);
  for (let at = 0; at < moments.length; ) {
    const ts = intervalStart(moments.at(at)!.ts, intervalMs);
    let complete = true;
    const byMarket = new Map<string, Delta>();
    const sums = new Map<Scope, Delta>();
    for (; at < moments.length; at += 1) {
      const moment = moments.at(at)!;
      if (intervalStart(moment.ts, intervalMs) !== ts) break;
      if ((at + 1) % perTurn === 0) await nextTurn(caller);
      complete &&= moment.complete;
      for (const [i, candle] of moment.candles.entries()) {
        if (!candle) continue;
        const { market, kind } = members[i]!;
        const delta = deltaOf(candle);
        byMarket.set(market.id, add(byMarket.get(market.id), delta));
        for (const scope of [kind, 'all'] as const) sums.set(scope, add(sums.get(scope), delta));
      }
    }
    const none: Delta = { coins: 0, usd: 0 };
    const [perp, spot, all] = scopes.map((scope) => {
      const delta = sums.get(scope) ?? none;
      const total = add(running.get(scope), delta);
      running.set(scope, total);
      return { deltaCoins: delta.coins, deltaUsd: delta.usd, cvdCoins: total.coins, cvdUsd: total.usd };
    }) as [Point['all'], Point['all'], Point['all']];
    const markets = Object.fromEntries([...byMarket].map(([id, { coins, usd }]) => [id, [coins, usd]]));
    points.push({ ts, complete, markets, perp, spot, all });
  }
  return points;
}
