import type { OptionBook } from '@crosstape/core';

/** Prefixes of the options that are read: the book of USDC holds every coin that settles in it, and more than coins. */
const PREFIXES: Readonly<Record<OptionBook, readonly string[]>> = {
  btc: ['BTC-'],
  eth: ['ETH-'],
  usdc: ['BTC_USDC-', 'ETH_USDC-', 'SOL_USDC-', 'XRP_USDC-'],
};

/** Whether a row is of an option that is read. A row without a name is kept, to be refused and reported. */
export function isOfBook(book: OptionBook, row: unknown): boolean {
  const name = (row as { readonly instrument_name?: unknown } | null)?.instrument_name;
  return typeof name !== 'string' || PREFIXES[book].some((prefix) => name.startsWith(prefix));
}
