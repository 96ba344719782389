import { createTickColumns, type TickColumns } from '@crosstape/core';
import { createMarket, TradeColumns } from '@crosstape/simulator';

/** That of bench/rotations-tape.mjs. */
const SEED = 3;
const CHUNK_TRADES = 8192;
const START_MS = Date.UTC(2026, 0, 5);
const STEP_MS = 86_400_000;

/** Trades of the simulator's BTC at default settings, from one start on, in columns of a chunk each. */
export function simulatedTicks(trades: number): readonly TickColumns[] {
  const market = createMarket({ seed: SEED });
  const coin = market.coins.find(({ name }) => name === 'BTC');
  if (!coin) throw new Error('the simulator has no BTC');
  const source = new TradeColumns(2 ** 17);
  const chunks: TickColumns[] = [];
  let chunk = createTickColumns(CHUNK_TRADES);
  let atMs = START_MS;
  for (let count = 0; count < trades; ) {
    atMs = market.fill(coin.name, atMs, atMs + STEP_MS, source);
    for (let i = 0; i < source.length && count < trades; i += 1, count += 1) {
      if (chunk.length === 0) chunks.push(chunk);
      chunk.priceDecimals = 6 - coin.sizeDecimals;
      chunk.sizeDecimals = coin.sizeDecimals;
      chunk.ts[chunk.length] = source.ts[i] ?? 0;
      chunk.price[chunk.length] = source.price[i] ?? 0;
      chunk.size[chunk.length] = source.lots[i] ?? 0;
      chunk.isBuy[chunk.length] = source.isBuy[i] ?? 0;
      chunk.length += 1;
      if (chunk.length === CHUNK_TRADES) chunk = createTickColumns(CHUNK_TRADES);
    }
  }
  return chunks;
}
