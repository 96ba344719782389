import { marketIdOf, type MarketVenue, parseMarketId } from '@crosstape/core';

/** Which markets of secondary venues are recorded: those of the `top` coins, or those whose ids fit a pattern. */
export type MarketChoice =
  | { readonly top: number }
  | {
      readonly patterns: readonly RegExp[];
      /** The same as they are written. */
      readonly globs?: readonly string[];
    };

const COINS_MAX = 500;
const PATTERNS_MAX = 50;

/**
 * Reads `RECORD_MARKETS`: `primary`, `top:N`, or globs of ids of these venues' markets separated by commas; `undefined`
 * when it is none of these.
 */
export function readMarketChoice(text: string, venues: readonly MarketVenue[]): MarketChoice | undefined {
  if (text === 'primary') return { patterns: [] };
  const top = /^top:(\d{1,3})$/.exec(text)?.[1];
  if (top !== undefined)
    return Number(top) > 0 && Number(top) <= COINS_MAX ? { top: Number(top) } : undefined;
  const written = text.split(',');
  const globs = written.flatMap((glob) => readGlob(glob.trim(), venues) ?? []);
  if (written.length > PATTERNS_MAX || globs.length < written.length) return undefined;
  return { patterns: globs.map(patternOf), globs };
}

/** Whether the choice leaves secondary venues out. */
export function isPrimaryOnly(choice: MarketChoice): boolean {
  return 'patterns' in choice && choice.patterns.length === 0;
}

/** A glob with its venue spelled as in market ids. */
function readGlob(text: string, venues: readonly MarketVenue[]): string | undefined {
  const prefix = /^([\w*-]+):[^\s:]+$/.exec(text)?.[1];
  if (prefix === undefined || prefix.includes('*')) return prefix && text;
  const named = parseMarketId(text, venues);
  return named.type === 'market' ? marketIdOf(named) : undefined;
}

function patternOf(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'iu');
}
