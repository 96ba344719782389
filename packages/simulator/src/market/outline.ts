import { mix, uniformOf } from './noise.ts';
import type { Outline } from './tape.ts';

/** No market is older. */
export const LISTED_MS = Date.UTC(2023, 0, 1);
/** Trades that represent all trades of a span, the first at its start and the last at its end. */
const DEALS = 4;

export interface OutlineOptions {
  readonly salt: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Number of the first trade, and of the first one after. */
  readonly first: number;
  readonly next: number;
  /** Average value of a trade. */
  readonly usdMean: number;
  /** Size of a deal worth `usd`. */
  readonly sizeOf: (usd: number, at: { readonly price: number; readonly ts: number }) => number;
  readonly quote: (atMs: number) => { readonly bid: number; readonly ask: number };
}

/** Draws the deals of an outline. Those of consecutive spans join. */
export function outlineOf(options: OutlineOptions): Outline {
  const { salt, fromMs, toMs, first, next, usdMean, sizeOf, quote } = options;
  const trades = next - first;
  if (trades <= 0) return { trades: 0, deals: [] };
  const deals = Array.from({ length: DEALS }, (_, i) => {
    const part = i / (DEALS - 1);
    const ts = fromMs + Math.floor(part * (toMs - 1 - fromMs));
    const hash = mix(salt, ts);
    const side = (hash & 1) === 0 ? ('buy' as const) : ('sell' as const);
    const { bid, ask } = quote(ts);
    const price = side === 'buy' ? ask : bid;
    const usd = (trades * usdMean * (0.5 + uniformOf(mix(hash, 1)))) / DEALS;
    const number = first + Math.floor(part * (trades - 1));
    return {
      number,
      order: number,
      ts,
      side,
      price,
      size: sizeOf(usd, { price, ts }),
      isLiquidation: false,
    };
  });
  return { trades, deals };
}
