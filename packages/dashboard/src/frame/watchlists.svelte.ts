import { Kept } from './kept.svelte.ts';
import {
  COINS_MAX,
  importWatchlists,
  isWatchlists,
  LISTS_MAX,
  printWatchlists,
  type Watchlists as Lists,
} from './watchlist.ts';

const FIRST = 'Watchlist';

/** Named lists of coins. */
class Watchlists {
  readonly #lists = new Kept<Lists>('watchlists', { [FIRST]: [] }, isWatchlists);

  get names(): readonly string[] {
    return Object.keys(this.#lists.value);
  }

  has(list: string, coin: string): boolean {
    return this.#lists.value[list]?.includes(coin) ?? false;
  }

  coinsOf(list: string): readonly string[] {
    return this.#lists.value[list] ?? [];
  }

  /** Puts a coin on a list, or takes it off. */
  toggle(list: string, coin: string): void {
    const coins = this.coinsOf(list);
    const next = coins.includes(coin) ? coins.filter((one) => one !== coin) : [...coins, coin];
    this.#lists.value = { ...this.#lists.value, [list]: next.slice(-COINS_MAX) };
  }

  /** Creates an empty list; returns why it cannot, in a sentence. */
  add(name: string): string | undefined {
    if (name in this.#lists.value) return 'There is a list of this name.';
    if (this.names.length >= LISTS_MAX) return `Limit reached: ${LISTS_MAX} lists.`;
    this.#lists.value = { ...this.#lists.value, [name]: [] };
    return undefined;
  }

  /** The text of a file with all lists. */
  toFile(): string {
    return printWatchlists(this.#lists.value);
  }

  /** Adds the lists of a file; returns what is wrong with it, in a sentence. */
  addFile(text: string): string | undefined {
    const read = importWatchlists(this.#lists.value, text);
    if ('error' in read) return read.error;
    this.#lists.value = read.lists;
    return undefined;
  }

  remove(name: string): void {
    const { [name]: _, ...others } = this.#lists.value;
    this.#lists.value = Object.keys(others).length > 0 ? others : { [FIRST]: [] };
  }
}

export const watchlists = new Watchlists();
