import { createMarket, TradeColumns } from '@crosstape/simulator';
import type { MarketTrade } from '../../../ingest/testing/market-venue.ts';

const ALWAYS_LISTED = ['BTC', 'ETH', 'SOL'];
/** Listed and delisted alternately: `periods` is the length of a turn, in turns of the first. */
const SOMETIMES_LISTED = [
  { coin: 'XRP', periods: 1 },
  { coin: 'HYPE', periods: 1.7 },
  { coin: 'DOGE', periods: 2.3 },
] as const;
const RATE = 0.2;
const TRADES_MAX = 100_000;

/** The trades of a simulated market whose coins are listed and delisted. */
export class MonthMarket {
  readonly coins: readonly string[] = [...ALWAYS_LISTED, ...SOMETIMES_LISTED.map(({ coin }) => coin)];
  readonly #market;
  readonly #listingMs: number;
  readonly #columns = new TradeColumns(TRADES_MAX);

  /** `listingMs`: how long the first of the changing coins is listed, and then delisted. */
  constructor(seed: number, listingMs: number) {
    this.#market = createMarket({ seed, rate: RATE, size: 'everyday' });
    this.#listingMs = listingMs;
  }

  /** The venue's list at a time. */
  listed(atMs: number): readonly string[] {
    return this.coins.filter((coin) => this.#isListed(coin, atMs));
  }

  /** Every trade of a stretch of time, by coin; a coin trades while it is listed. */
  trades(fromMs: number, toMs: number): ReadonlyMap<string, readonly MarketTrade[]> {
    return new Map(this.coins.map((coin) => [coin, this.#tradesOf(coin, fromMs, toMs)]));
  }

  #tradesOf(coin: string, fromMs: number, toMs: number): readonly MarketTrade[] {
    const trades: MarketTrade[] = [];
    const columns = this.#columns;
    for (let startMs = fromMs; startMs < toMs; ) {
      startMs = this.#market.fill(coin, startMs, toMs, columns);
      for (let i = 0; i < columns.length; i += 1) {
        const ts = columns.ts[i] as number;
        if (this.#isListed(coin, ts)) trades.push({ coin, ts, tid: columns.tid[i] as number });
      }
    }
    return trades;
  }

  #isListed(coin: string, atMs: number): boolean {
    const turn = SOMETIMES_LISTED.find((one) => one.coin === coin);
    return turn === undefined || Math.floor(atMs / (turn.periods * this.#listingMs)) % 2 === 0;
  }
}
