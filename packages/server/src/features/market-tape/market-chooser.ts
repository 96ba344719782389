import type { Market } from '@crosstape/core';
import { marketPrefixOf, type Publisher } from '@crosstape/venues';
import type { Bus } from '../../platform/bus.ts';
import type { MarketChoice } from '../../platform/market-choice.ts';
import { snapshotTopic } from '../../topics.ts';

/** Preferred quote currencies of spot pairs. */
const SPOT_QUOTES: readonly string[] = ['USD', 'USDT'];

export interface MarketChooserOptions {
  readonly choice: MarketChoice;
  readonly bus: Bus;
  /** Id of the venue whose open interest ranks the coins. */
  readonly primaryVenue: string;
  /** Called once for each glob that no market matches of the venues that it may name. */
  readonly onUnmatched?: (glob: string) => void;
}

/** Chooses the markets of secondary venues that are recorded, by the open interest as last published. */
export class MarketChooser {
  readonly #options: MarketChooserOptions;
  #choice: MarketChoice;
  readonly #leaves: (() => void)[] = [];
  /** By the prefix of its market ids, the markets that each venue lists; absent until it does. */
  readonly #listed = new Map<string, readonly Market[] | undefined>();
  /** Globs that have matched, or were reported. */
  readonly #settled = new Set<string>();

  constructor(options: MarketChooserOptions) {
    this.#options = options;
    this.#choice = options.choice;
  }

  change(choice: MarketChoice): void {
    this.#choice = choice;
    this.#settled.clear();
  }

  /** A venue will list its markets. */
  expect(publisher: Publisher): void {
    this.#listed.set(marketPrefixOf(publisher), undefined);
  }

  /** Chooses from all markets that a venue lists. */
  readonly choose = (publisher: Publisher, markets: readonly Market[]): readonly Market[] => {
    if (markets.length > 0) this.#listed.set(marketPrefixOf(publisher), markets);
    this.#checkGlobs();
    return this.chosen(publisher, markets);
  };

  /** The chosen ones of some markets of a venue. */
  chosen(publisher: Publisher, markets: readonly Market[]): readonly Market[] {
    const choice = this.#choice;
    const rows = this.#openInterestOf(publisher.id);
    // Until a venue's open interest is known, none of its contracts is the largest.
    if (!rows && 'top' in choice && markets.some(({ kind }) => kind === 'perp')) return [];
    const values = new Map((rows ?? []).map(({ symbol, usd, value }) => [symbol, usd ?? value ?? 0]));
    return chooseMarkets(choice, markets, {
      coins: this.#rankedCoins(),
      openInterest: (symbol) => values.get(symbol) ?? 0,
    });
  }

  #checkGlobs(): void {
    const { globs = [], patterns = [] } = 'patterns' in this.#choice ? this.#choice : {};
    for (const [i, glob] of globs.entries()) {
      if (this.#settled.has(glob)) continue;
      const prefix = glob.slice(0, glob.indexOf(':'));
      const lists = prefix.includes('*') ? [...this.#listed.values()] : [this.#listed.get(prefix)];
      const isMatched = lists.some((list) => list?.some(({ id }) => patterns[i]?.test(id)));
      if (!isMatched && lists.includes(undefined)) continue;
      this.#settled.add(glob);
      if (!isMatched) this.#options.onUnmatched?.(glob);
    }
  }

  /** Calls `update` when the first open interest of a venue arrives: it is time to choose again. */
  onOpenInterest(venue: string, update: () => void): void {
    const leave = this.#options.bus.subscribe(snapshotTopic(venue, 'openInterest'), () => {
      leave();
      update();
    });
    this.#leaves.push(leave);
  }

  stop(): void {
    for (const leave of this.#leaves) leave();
  }

  #openInterestOf(venue: string) {
    return this.#options.bus.latest(snapshotTopic(venue, 'openInterest'))?.message.rows;
  }

  #rankedCoins(): readonly string[] {
    const byCoin = new Map<string, number>();
    for (const { coin, usd, value } of this.#openInterestOf(this.#options.primaryVenue) ?? [])
      byCoin.set(coin, Math.max(byCoin.get(coin) ?? 0, usd ?? value ?? 0));
    return [...byCoin].toSorted(([, a], [, b]) => b - a).map(([coin]) => coin);
  }
}

interface Ranking {
  /** The primary venue's coins with the most open interest first. */
  readonly coins: readonly string[];
  /** Open interest in USD by symbol of the venue; 0 if unknown. */
  readonly openInterest: (symbol: string) => number;
}

/**
 * The recorded markets of one venue. For the top coins: on a perpetual venue the contract with the most open interest,
 * on a spot venue the dollar pair, else the one in USDT.
 */
export function chooseMarkets(
  choice: MarketChoice,
  markets: readonly Market[],
  { coins, openInterest }: Ranking,
): readonly Market[] {
  if ('patterns' in choice) return markets.filter(({ id }) => choice.patterns.some((one) => one.test(id)));
  const best = new Map<string, Market>();
  const isBetter = (a: Market, b: Market): boolean =>
    a.kind === 'spot'
      ? SPOT_QUOTES.indexOf(a.quote) < SPOT_QUOTES.indexOf(b.quote)
      : openInterest(a.symbol) > openInterest(b.symbol);
  for (const market of markets) {
    if (market.kind === 'spot' && !SPOT_QUOTES.includes(market.quote)) continue;
    const other = best.get(market.coin);
    if (!other || isBetter(market, other)) best.set(market.coin, market);
  }
  return coins.slice(0, choice.top).flatMap((coin) => best.get(coin) ?? []);
}
