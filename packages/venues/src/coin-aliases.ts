/** Coins that a venue lists under another name than all others. */
const ALIASES: Readonly<Record<string, string>> = {
  // Kraken keeps the names of its early years [D].
  XBT: 'BTC',
  XDG: 'DOGE',
  // Bybit's name of the token that others, Hyperliquid's kNEIRO among them, list as NEIRO [L].
  NEIROCTO: 'NEIRO',
};

/** `1000NEIROCTO` is a thousand of a coin that has another name. */
const MULTIPLE = /^(?:1000000|100000|10000|1000|1M)(?=[A-Z])/;

/** The usual name of a base coin, with the multiple that it is counted in. */
export function usualName(base: string): string {
  const multiple = MULTIPLE.exec(base)?.[0] ?? '';
  const name = base.slice(multiple.length);
  return `${multiple}${ALIASES[name] ?? name}`;
}
