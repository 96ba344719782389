import type { DataFrame, FeedSink } from './feed-sink.ts';

/** Coins, contracts and pairs that a venue's feeds may name: several times as many as the largest venue lists. */
const NAMES_MAX = 20_000;

export interface CoinBoundOptions {
  /** Called for each frame that is refused. */
  readonly onRefused: () => void;
  readonly namesMax?: number;
}

/**
 * Bounds how many coins the feeds of one venue can bring into memory. A frame that names another one is passed on as
 * refused, so that its trades are reported as missing.
 */
export function boundCoins(sink: FeedSink, { onRefused, namesMax = NAMES_MAX }: CoinBoundOptions): FeedSink {
  const names = new Set<string>();
  const admitsName = (name: string): boolean => {
    if (names.has(name)) return true;
    if (names.size >= namesMax) return false;
    names.add(name);
    return true;
  };
  const admits = (frame: DataFrame): boolean => {
    // Thousands of times a second.
    if (frame.kind === 'trades') return frame.trades.every(({ coin }) => admitsName(coin));
    if (frame.kind === 'marketTrades') return frame.trades.every(({ symbol }) => admitsName(symbol));
    return namesOf(frame).every(admitsName);
  };
  return (event) => {
    if ((event.type !== 'frame' && event.type !== 'refilled') || admits(event.frame)) return sink(event);
    onRefused();
    if (event.type === 'refilled') return;
    const { venue, feed, socket, receivedAtMs } = event;
    sink({ type: 'refused', venue, feed, socket, atMs: receivedAtMs });
  };
}

function namesOf(frame: Exclude<DataFrame, { readonly kind: 'trades' | 'marketTrades' }>): readonly string[] {
  switch (frame.kind) {
    case 'liquidations':
      return frame.liquidations.map(({ symbol }) => symbol);
    case 'quotes':
      return frame.quotes.map(({ symbol }) => symbol);
    case 'book':
      return [frame.book.coin];
    case 'bookChange':
      return [frame.change.symbol];
    default:
      return frame.symbols;
  }
}
