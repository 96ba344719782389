/** Which markets of secondary venues are recorded: those of the `top` coins, or those whose ids fit a pattern. */
export type MarketChoice = { readonly top: number } | { readonly patterns: readonly RegExp[] };

const COINS_MAX = 500;
const PATTERNS_MAX = 50;

/** Reads `RECORD_MARKETS`: `primary`, `top:N`, or globs separated by commas; `undefined` when it is none of these. */
export function readMarketChoice(text: string): MarketChoice | undefined {
  if (text === 'primary') return { patterns: [] };
  const top = /^top:(\d{1,3})$/.exec(text)?.[1];
  if (top !== undefined)
    return Number(top) > 0 && Number(top) <= COINS_MAX ? { top: Number(top) } : undefined;
  const globs = text.split(',').map((glob) => glob.trim());
  const areGlobs =
    globs.length <= PATTERNS_MAX && globs.every((glob) => /^(?!top:)[\w*-]+:[\w*/.-]+$/i.test(glob));
  return areGlobs ? { patterns: globs.map(patternOf) } : undefined;
}

/** Whether the choice leaves secondary venues out. */
export function isPrimaryOnly(choice: MarketChoice): boolean {
  return 'patterns' in choice && choice.patterns.length === 0;
}

function patternOf(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i');
}
