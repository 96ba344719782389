import { parseKept, printKept } from '../parts/kept-file.ts';

/** Coins by the name of their list. */
export type Watchlists = Readonly<Record<string, readonly string[]>>;

export const LISTS_MAX = 20;
export const COINS_MAX = 200;
const NAME_CHARS_MAX = 40;
const COIN_CHARS_MAX = 40;

export function isWatchlists(value: unknown): value is Watchlists {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= LISTS_MAX &&
    entries.every(
      ([name, coins]) =>
        name !== '' &&
        Array.isArray(coins) &&
        coins.length <= COINS_MAX &&
        coins.every((coin) => typeof coin === 'string' && coin !== '' && coin.length <= COIN_CHARS_MAX),
    )
  );
}

/** Names were not limited before there were files. */
function isOfFile(value: unknown): value is Watchlists {
  return isWatchlists(value) && Object.keys(value).every((name) => name.length <= NAME_CHARS_MAX);
}

/** Lists as a file. */
export function printWatchlists(lists: Watchlists): string {
  return printKept('watchlists', lists);
}

/** These lists with those of a file, whose coins join those of a list with the same name; or what is wrong with it. */
export function importWatchlists(
  lists: Watchlists,
  text: string,
): { readonly lists: Watchlists } | { readonly error: string } {
  const read = parseKept(text, 'watchlists', isOfFile);
  if ('error' in read) return read;
  const added = Object.entries(read.value).map(
    ([name, coins]) => [name, [...new Set([...(lists[name] ?? []), ...coins])]] as const,
  );
  const next = { ...lists, ...Object.fromEntries(added) };
  if (Object.keys(next).length > LISTS_MAX)
    return { error: `Importing this file would exceed ${LISTS_MAX} lists.` };
  const full = added.find(([, coins]) => coins.length > COINS_MAX);
  return full ? { error: `The list “${full[0]}” would exceed ${COINS_MAX} coins.` } : { lists: next };
}
