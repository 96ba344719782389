/** Pairs against the dollar itself exist in some countries only, and trade little [K]. */
const PAIR = /^([^-]+)-(USDT|USDC)$/;

/** `BTC-USDT` is BTC in USDT; `undefined` for a pair in another currency. */
export function splitInstId(instId: string): { readonly coin: string; readonly quote: string } | undefined {
  const [, coin, quote] = PAIR.exec(instId) ?? [];
  return coin === undefined || quote === undefined ? undefined : { coin, quote };
}
