/** Tardis' names of exchanges, where they differ from the first part of our market ids. */
const prefixes: Readonly<Record<string, string>> = {
  'binance-futures': 'binance',
  binance: 'binance-spot',
  'okex-swap': 'okx',
  okex: 'okx-spot',
  coinbase: 'coinbase-spot',
  kraken: 'kraken-spot',
  'gate-io-futures': 'gate',
  'gate-io': 'gate-spot',
  'bitget-futures': 'bitget',
  bitget: 'bitget-spot',
};

/** The first part of the ids of an exchange's markets. */
export function prefixOf(exchange: string): string {
  return prefixes[exchange] ?? exchange;
}

/** A symbol in the name of a file. */
export function symbolInFile(symbol: string): string {
  return symbol.replaceAll(/[/:]/g, '-').toUpperCase();
}
