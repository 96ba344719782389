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

/** How often a subscription is served; 0 is every block. Books are this rare since July 2026. */
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

export interface State {
  /** Payload of the frame. */
  readonly data: unknown;
  /** A state is sent again only when this has changed; every time if absent. */
  readonly novelty: unknown;
}

export function printState(subscription: StateSubscription, market: Market, moment: Moment): State {
  const { nowMs, skewMs } = moment;
  switch (subscription.type) {
    case 'l2Book': {
      const { coin, grain, isFast } = subscription;
      const data = printBook(market, coin, { atMs: nowMs, skewMs, grain, isFast });
      return { data, novelty: undefined };
    }
    case 'bbo': {
      const { coin } = subscription;
      const { ts, bids, asks } = market.book(coin.name, nowMs, 1);
      const bbo = [...bids, ...asks].map((level) => printLevel(level, coin));
      return { data: { coin: coin.name, time: ts + skewMs, bbo }, novelty: bbo };
    }
    case 'activeAssetCtx': {
      const ctx = printContext(market, subscription.coin, nowMs);
      return { data: { coin: subscription.coin.name, ctx }, novelty: ctx };
    }
    case 'assetCtxs': {
      const ctxs = printContexts(market, subscription.dex, nowMs);
      return { data: { dex: subscription.dex, ctxs }, novelty: ctxs };
    }
    case 'allMids': {
      const { dex } = subscription;
      const mids = printMids(market, dex, nowMs);
      return { data: { mids, ...(dex === '' ? {} : { dex }) }, novelty: mids };
    }
    default: {
      const ctxs = DEXES.map((dex) => [dex, printContexts(market, dex, nowMs)]);
      return { data: { ctxs }, novelty: ctxs };
    }
  }
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

/** Differences from one to the next. */
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

/** The venue's packing: JSON, raw DEFLATE, base64. */
export function packFast(contexts: FastContexts): string {
  return deflateRawSync(JSON.stringify(contexts)).toString('base64');
}
