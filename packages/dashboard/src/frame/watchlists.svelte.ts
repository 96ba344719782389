import { Kept } from './kept.svelte.ts';

type Lists = Readonly<Record<string, readonly string[]>>;

const LISTS_MAX = 20;
const COINS_MAX = 200;
const FIRST = 'Watchlist';

function isLists(value: unknown): value is Lists {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (coins) => Array.isArray(coins) && coins.every((coin) => typeof coin === 'string'),
    )
  );
}

/** Named lists of coins. */
class Watchlists {
  readonly #lists = new Kept<Lists>('watchlists', { [FIRST]: [] }, isLists);

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

  /** Creates an empty list; false if there are too many, or the name is taken. */
  add(name: string): boolean {
    if (name === '' || name in this.#lists.value || this.names.length >= LISTS_MAX) return false;
    this.#lists.value = { ...this.#lists.value, [name]: [] };
    return true;
  }

  remove(name: string): void {
    const { [name]: _, ...others } = this.#lists.value;
    this.#lists.value = Object.keys(others).length > 0 ? others : { [FIRST]: [] };
  }
}

export const watchlists = new Watchlists();
