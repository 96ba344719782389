/**
 * Tokens of gold. Some venues list them as crypto (Binance, Bybit), others among metals (Gate) or real-world assets
 * (Bitget) [L]: here they are coins everywhere, so that one coin is not kept on some venues and dropped on others.
 */
const GOLD_TOKENS: ReadonlySet<string> = new Set(['PAXG', 'XAUT']);

export function isGoldToken(coin: string): boolean {
  return GOLD_TOKENS.has(coin);
}
