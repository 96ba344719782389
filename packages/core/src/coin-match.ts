/** The primary venue's name of a venue's base coin, and the conversion between the two. */
export interface CoinMatch {
  readonly coin: string;
  /** Units of the venue's base coin in one of `coin`: 1000 from `PEPE` to `kPEPE`, 1 from `1000PEPE`. */
  readonly unit: number;
}

export interface CoinMatcher {
  match(base: string): CoinMatch;
}

/** `kPEPE` is a thousand PEPE. */
const THOUSANDS = /^k(?=[A-Z0-9])/;
/** `1000PEPE`, `1000000MOG`, `1MBABYDOGE`; not `1INCH`. */
const MULTIPLE_FIRST = /^(1000000|100000|10000|1000|1M)([A-Z].*)$/;
/** `SHIB1000`. */
const MULTIPLE_LAST = /^([A-Z]+)(1000000|100000|10000|1000)$/;

/** Matches base coins of other venues with those that the primary venue lists. Unlisted coins stay as they are. */
export function createCoinMatcher(primaryCoins: Iterable<string>): CoinMatcher {
  const byBare = new Map<string, CoinMatch>();
  const listed = new Set(primaryCoins);
  for (const coin of listed) {
    if (THOUSANDS.test(coin)) byBare.set(coin.slice(1), { coin, unit: 1_000 });
  }
  // If both are listed, the coin itself takes precedence over its thousands.
  for (const coin of listed) byBare.set(coin, { coin, unit: 1 });
  return {
    match(base) {
      const known = byBare.get(base);
      if (known) return known;
      const multiple = multipleOf(base);
      const bare = multiple && byBare.get(multiple.bare);
      // A prefix of thousands or millions may be part of a name: it is split only if the rest is a coin.
      return bare ? { coin: bare.coin, unit: bare.unit / multiple.factor } : { coin: base, unit: 1 };
    },
  };
}

function multipleOf(base: string): { readonly bare: string; readonly factor: number } | undefined {
  const [, first, rest] = MULTIPLE_FIRST.exec(base) ?? [];
  if (first !== undefined && rest !== undefined)
    return { bare: rest, factor: first === '1M' ? 1_000_000 : Number(first) };
  const [, bare, last] = MULTIPLE_LAST.exec(base) ?? [];
  return bare === undefined ? undefined : { bare, factor: Number(last) };
}

/** A size or count in the venue's base coins, converted to coins of the match. */
export function sizeInUnit(size: number, unit: number): number {
  return shifted(size, unit >= 1 ? 1 / unit : Math.round(1 / unit));
}

/** The price of one of the venue's base coins, converted to one coin of the match. */
export function priceInUnit(price: number, unit: number): number {
  return shifted(price, unit);
}

const SIGNIFICANT_DIGITS = 15;

/** A power of ten moves the decimal point and keeps the digits: floating-point noise is rounded away. */
function shifted(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(SIGNIFICANT_DIGITS));
}
