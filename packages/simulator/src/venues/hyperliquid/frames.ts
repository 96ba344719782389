import { deflateRawSync } from 'node:zlib';
import type { Market } from '../../market/market.ts';
import { printBook, printLevel } from './books.ts';
import { printContext, printContexts } from './contexts.ts';
import { printMids } from './info.ts';
import type { StateSubscription, Subscription } from './subscription.ts';
import { DEXES, universeOf } from './universe.ts';

export interface Moment {
  readonly nowMs: number;
  /** By which the venue's clock is wrong. */
  readonly skewMs: number;
}

/** How often a subscription is looked at; 0 is every block. Books come so rarely since July 2026. */
export function periodMs(subscription: Subscription): number {
  switch (subscription.type) {
    case 'l2Book':
      return subscription.isFast ? 500 : 5000;
    case 'bbo':
    case 'trades':
      return 0;
    default:
      return 1000;
  }
}

/** What a state frame carries. */
export function printState(subscription: StateSubscription, market: Market, moment: Moment): unknown {
  const { nowMs, skewMs } = moment;
  switch (subscription.type) {
    case 'l2Book': {
      const { coin, grain, isFast } = subscription;
      return printBook(market, coin, { atMs: nowMs, skewMs, grain, isFast });
    }
    case 'bbo': {
      const { ts, bids, asks } = market.book(subscription.coin.name, nowMs, 1);
      const best = [...bids, ...asks].map((level) => printLevel(level, subscription.coin));
      return { coin: subscription.coin.name, time: ts + skewMs, bbo: best };
    }
    case 'activeAssetCtx':
      return { coin: subscription.coin.name, ctx: printContext(market, subscription.coin, nowMs) };
    case 'assetCtxs':
      return { dex: subscription.dex, ctxs: printContexts(market, subscription.dex, nowMs) };
    case 'allDexsAssetCtxs':
      return { ctxs: DEXES.map((dex) => [dex, printContexts(market, dex, nowMs)]) };
    case 'allMids': {
      const { dex } = subscription;
      return { mids: printMids(market, dex, nowMs), ...(dex === '' ? {} : { dex }) };
    }
  }
}

/** What must differ from the frame before for a state to be told again; `undefined` when it always is. */
export function noveltyOf(subscription: StateSubscription, data: unknown): string | undefined {
  if (subscription.type === 'l2Book') return undefined;
  return JSON.stringify(subscription.type === 'bbo' ? (data as { readonly bbo: unknown }).bbo : data);
}

/** {"BTC":{"markPx":"77562.0","midPx":"77558.5"}} of every listed contract. */
export type FastContexts = Readonly<Record<string, { readonly markPx?: string; readonly midPx?: string }>>;

export function fastContexts(market: Market, nowMs: number): FastContexts {
  const rows = DEXES.flatMap((dex) => universeOf(market, dex)).map((coin) => {
    const { markPx, midPx } = printContext(market, coin, nowMs);
    return [coin.name, { markPx, ...(midPx === null ? {} : { midPx }) }];
  });
  return Object.fromEntries(rows);
}

/** What has changed from one to the next. */
export function fastChanges(before: FastContexts, after: FastContexts): FastContexts {
  const changes: Record<string, { markPx?: string; midPx?: string }> = {};
  for (const [coin, { markPx, midPx }] of Object.entries(after)) {
    const change = {
      ...(markPx !== undefined && markPx !== before[coin]?.markPx ? { markPx } : {}),
      ...(midPx !== undefined && midPx !== before[coin]?.midPx ? { midPx } : {}),
    };
    if (Object.keys(change).length > 0) changes[coin] = change;
  }
  return changes;
}

/** As the venue packs them: JSON, raw DEFLATE, base64. */
export function packFast(contexts: FastContexts): string {
  return deflateRawSync(JSON.stringify(contexts)).toString('base64');
}
