import { type Indicator, indicator } from '../pages/market/indicator.ts';
import { hasSettings, kindOf } from '../pages/market/indicator-choice.ts';
import { dayStart } from '../pages/market/earlier-bars.ts';
import { moreIndicator } from '../pages/market/more-indicators.ts';
import { type AlertLine, figure } from './indicator-condition.ts';

const CVD = 'cvd';
/** Kinds of indicators that alerts can be about: those that are computed from the bars of one market. */
export const alertableKinds: readonly string[] = [
  'vwap',
  'ema',
  'bollinger',
  'supertrend',
  'rsi',
  'macd',
  'stoch',
  'stochrsi',
  'atr',
  CVD,
  'delta',
];

interface Sum {
  /** Where it begins; NaN before the first bar. */
  readonly from: number;
  readonly sum: number;
  /** Bars since its beginning are missing. */
  readonly isCut: boolean;
}

/** Bought less sold size since 00:00 UTC, or since a time. */
function cvdSince(sinceTs: number | undefined): Indicator {
  return indicator<Sum>({
    name: CVD,
    title: 'CVD',
    isOverlay: false,
    lines: [{ name: 'CVD', color: '--series-1' }],
    text: figure,
    start: { from: NaN, sum: 0, isCut: false },
    step(before, { openTs, delta }) {
      const from = sinceTs ?? dayStart(openTs);
      if (openTs < from || Number.isNaN(delta)) return [before, [undefined]];
      const isFirst = Number.isNaN(before.from);
      const next = {
        from,
        sum: (before.from === from ? before.sum : 0) + delta,
        isCut: before.from === from ? before.isCut : isFirst && openTs > from,
      };
      return [next, [next.isCut ? undefined : next.sum]];
    },
  });
}

/** The indicator of a text, as alerts compute it; `undefined` if there is none. */
export function alertIndicator(text: string, sinceTs?: number): Indicator | undefined {
  if (text === CVD) return cvdSince(sinceTs);
  return alertableKinds.includes(kindOf(text)) ? moreIndicator(text, '', 0, undefined) : undefined;
}

/** The lines of an indicator. Its title has its settings, and so does the only line of one. */
export function alertLines(text: string): readonly AlertLine[] {
  const { title = text, lines = [] } = alertIndicator(text) ?? {};
  const isOnly = lines.length === 1 && hasSettings(kindOf(text));
  return lines.map(({ name }, line) => ({ text, line, title: isOnly ? title : name }));
}

/** The line that a level of its pane is about. */
export function mainLine(text: string): number {
  return Math.max(0, alertIndicator(text)?.lines.findIndex(({ isMain }) => isMain) ?? 0);
}
