/** Bars of a market that charts name by one symbol, such as bars of a fixed number of trades. */
export interface NamedBars {
  readonly kind: 'time' | 'range' | 'tick' | 'volume' | 'delta';
  readonly params: Readonly<Record<string, number>>;
}

interface NamedKind {
  readonly kind: NamedBars['kind'];
  readonly param: string;
  /** Suggested when a search names only the kind. */
  readonly usual: number;
}

/** Suffixes of symbols: `hyperliquid:BTC.RANGE50` is range bars of 50 ticks. */
const suffixes: Readonly<Record<string, NamedKind>> = {
  RANGE: { kind: 'range', param: 'rangeTicks', usual: 50 },
  TICK: { kind: 'tick', param: 'trades', usual: 500 },
  VOL: { kind: 'volume', param: 'volume', usual: 100 },
  DELTA: { kind: 'delta', param: 'delta', usual: 50 },
};
const pattern = new RegExp(`^(.+)\\.(${Object.keys(suffixes).join('|')})(\\d{0,12}(?:\\.\\d{1,8})?)$`, 'i');

/** A parsed symbol with a suffix. */
export interface BarSymbol {
  /** The symbol of the market. */
  readonly of: string;
  /** In capitals, with its number: `.RANGE50`. */
  readonly suffix: string;
  readonly bars: NamedBars;
}

/** The bars that a symbol names; `undefined` if it names only a market. Default of a missing number: the usual one. */
export function parseBarSymbol(text: string): BarSymbol | undefined {
  const [, of = '', name = '', number = ''] = pattern.exec(text) ?? [];
  const named = suffixes[name.toUpperCase()];
  if (!named) return undefined;
  const value = number === '' ? named.usual : Number(number);
  const suffix = `.${name.toUpperCase()}${value}`;
  return { of, suffix, bars: { kind: named.kind, params: { [named.param]: value } } };
}

/** Most bars of a day that can have different times in whole seconds. */
const DAY_SECONDS = 86_400;

/** Throws a `RangeError` for more bars than a day has seconds. */
export function checkDayBars(length: number): void {
  if (length > DAY_SECONDS)
    throw new RangeError(`there are more than ${DAY_SECONDS} bars in a day; choose larger ones`);
}

/**
 * The times of the bars of a day in whole seconds, which charts need to be different and ascending: bars that begin in
 * the same second move to the next free one, within their day. Throws a `RangeError` for more bars than seconds.
 */
export function barSeconds(openTs: ArrayLike<number>, length: number, dayStartMs: number): number[] {
  checkDayBars(length);
  const seconds: number[] = [];
  let next = 0;
  for (let i = 0; i < length; i += 1) {
    const time = Math.max(Math.floor(openTs[i]! / 1_000), next);
    seconds.push(time);
    next = time + 1;
  }
  let last = dayStartMs / 1_000 + DAY_SECONDS - 1;
  for (let i = length - 1; i >= 0 && seconds[i]! > last; i -= 1, last -= 1) seconds[i] = last;
  return seconds;
}
