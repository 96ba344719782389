import type { AlertRule } from '../../alerts/alert-rule.ts';
import { alertIntervals, figure } from '../../alerts/indicator-condition.ts';
import { alertLines, mainLine } from '../../alerts/indicator-lines.ts';
import { fundingVenueOf } from './market-figures.ts';
import type { Indicator } from './indicator.ts';
import { kindOf } from './indicator-choice.ts';
import type { MarketChoice } from './market-choice.ts';
import type { PaneLevel } from './pane-level.ts';

export type NewRule = Omit<AlertRule, 'id' | 'isOn'>;

/** What the alerts of a chart's menu are about. */
export interface AlertPlace {
  readonly market: MarketChoice;
  /** Interval of its candles; other bars have none. */
  readonly interval: string | undefined;
  /** Time of its first bar, where its CVD begins. */
  readonly firstTs: number;
  /** The newest value of each line of an indicator, by its name in the address. */
  readonly newest: (indicator: Indicator) => readonly (number | undefined)[];
}

const HOURS_PER_YEAR = 8_760;
/** Lines over the prices that a menu offers. */
const OVERLAY_LINES_MAX = 3;

const subjectOf = ({ isPrimary, coin, id }: MarketChoice): string => (isPrimary ? coin : id);

/** As a reader would type it. */
const typed = (value: number): number => Number(value.toPrecision(4));

/** The alert of a level of an indicator's pane; `undefined` where there are none. */
export function levelAlert(
  { indicator, value }: PaneLevel,
  { market, interval, firstTs, newest }: AlertPlace,
): NewRule | undefined {
  const place = mainLine(indicator.name);
  const last = newest(indicator)[place] ?? 0;
  const side = value < last ? 'below' : 'above';
  if (indicator.name === 'funding') {
    const venue = fundingVenueOf(market);
    if (venue === undefined) return undefined;
    const yearly = typed(value * HOURS_PER_YEAR);
    const where = market.isPrimary ? {} : { venue };
    return { kind: 'funding', subject: market.coin, side, value: yearly, minutes: 0, ...where };
  }
  const known = alertIntervals.find((one) => one === interval);
  const line = alertLines(indicator.name)[place];
  if (!line || !known) return undefined;
  const since = kindOf(indicator.name) === 'cvd' ? { sinceTs: firstTs } : {};
  const condition = { ...line, interval: known, ...since };
  return {
    kind: 'indicator',
    subject: subjectOf(market),
    side,
    value: typed(value),
    minutes: 0,
    indicator: condition,
  };
}

/** Alerts that the close crosses a line over the prices, and that the first two averages cross. */
export function overlayAlerts(
  overlays: readonly Indicator[],
  close: number | undefined,
  { market, interval, newest }: AlertPlace,
): readonly NewRule[] {
  const known = alertIntervals.find((one) => one === interval);
  if (!known || close === undefined) return [];
  const common = { kind: 'indicator', subject: subjectOf(market), value: 0, minutes: 0 } as const;
  const lines = overlays.flatMap((one) =>
    alertLines(one.name).map((line) => ({ line, now: newest(one)[line.line] })),
  );
  const crossings = lines.flatMap(({ line, now }): readonly NewRule[] =>
    now === undefined
      ? []
      : [
          {
            ...common,
            side: close > now ? 'below' : 'above',
            indicator: { ...line, interval: known, isOverlay: true },
          },
        ],
  );
  const [fast, slow] = lines.filter(({ line }) => kindOf(line.text) === 'ema');
  if (fast?.now === undefined || slow?.now === undefined) return crossings.slice(0, OVERLAY_LINES_MAX);
  const against = { ...fast.line, interval: known, isOverlay: true, against: slow.line } as const;
  const cross: NewRule = { ...common, side: fast.now > slow.now ? 'below' : 'above', indicator: against };
  return [cross, ...crossings].slice(0, OVERLAY_LINES_MAX);
}

/** The address of the form with the fields of a rule. */
export function formHref({ kind, subject, side, value, venue, indicator }: NewRule): string {
  const params = new URLSearchParams({ kind, coin: subject, side, value: String(value) });
  if (venue !== undefined) params.set('venue', venue);
  if (indicator) {
    params.set('ind', indicator.text);
    params.set('interval', indicator.interval);
    if (indicator.line > 0) params.set('line', String(indicator.line));
    if (indicator.against) params.set('against', indicator.against.text);
    if (indicator.sinceTs !== undefined) params.set('since', String(indicator.sinceTs));
  }
  return `/alerts?${params.toString().replaceAll('%3A', ':')}`;
}

/** `Alert when RSI 14 is above 70`. */
export function menuText({ kind, subject, side, value, indicator }: NewRule): string {
  if (!indicator) return `Alert when ${subject} ${kind} is ${side} ${figure(value)}% a year`;
  const { title, against, isOverlay } = indicator;
  if (!isOverlay) return `Alert when ${title} is ${side} ${figure(value)}`;
  return against
    ? `Alert when ${title} crosses ${side} ${against.title}`
    : `Alert when the close crosses ${side} ${title}`;
}
