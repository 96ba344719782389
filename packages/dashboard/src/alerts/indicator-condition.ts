import { compact, percent, plain } from '../format/numbers.ts';

/** Bars that an indicator of an alert is computed from. */
export const alertIntervals = [
  '1m',
  '3m',
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '4h',
  '6h',
  '8h',
  '12h',
  '1d',
  '1w',
] as const;
export type AlertInterval = (typeof alertIntervals)[number];

/** A line of an indicator. */
export interface AlertLine {
  /** The indicator with its settings, as in the address of a chart: `rsi_14`. */
  readonly text: string;
  /** Place of the line among those of the indicator. */
  readonly line: number;
  /** `RSI 14`, kept with the rule: every page prints rules, and few load the indicators. */
  readonly title: string;
}

/** What a rule compares with its value. */
export interface IndicatorCondition extends AlertLine {
  readonly interval: AlertInterval;
  /** Over the prices: the close, less this line, in % of it. */
  readonly isOverlay?: true;
  /** Instead of the close: another line over the prices. */
  readonly against?: AlertLine;
  /** Where a CVD begins; default: at 00:00 UTC of each day. */
  readonly sinceTs?: number;
  /** Only bars that have closed count. */
  readonly isAtClose?: true;
}

/** What a form offers for a condition. */
export interface ConditionChoice {
  readonly condition: IndicatorCondition;
  /** A value to begin with, and its unit. */
  readonly first: number;
  readonly unit: string;
}

const TEXT = /^[a-z]+(_[a-z0-9.]+){0,6}$/;
const LINES_MAX = 8;
const TITLE_CHARS_MAX = 60;
const DIGITS = 5;
const COMPACT_FROM = 10_000;

function isLine(value: unknown): value is AlertLine {
  if (typeof value !== 'object' || value === null) return false;
  const { text, line, title } = value as Record<string, unknown>;
  const isPlace = Number.isInteger(line) && (line as number) >= 0 && (line as number) < LINES_MAX;
  return (
    typeof text === 'string' &&
    TEXT.test(text) &&
    isPlace &&
    typeof title === 'string' &&
    title !== '' &&
    title.length <= TITLE_CHARS_MAX
  );
}

/** Whether a stored value is one; its indicator may still be unknown. */
export function isCondition(value: unknown): value is IndicatorCondition {
  if (!isLine(value)) return false;
  const { interval, isOverlay, against, sinceTs, isAtClose } = value as unknown as Record<string, unknown>;
  return (
    alertIntervals.some((one) => one === interval) &&
    [isOverlay, isAtClose].every((flag) => flag === undefined || flag === true) &&
    (against === undefined || (isOverlay === true && isLine(against))) &&
    (sinceTs === undefined || Number.isSafeInteger(sinceTs))
  );
}

/** A value of any size and unit: `70.4`, `−12.35K`. */
export function figure(value: number): string {
  if (Math.abs(value) >= COMPACT_FROM) return compact(value, 2);
  const [, decimals = ''] = String(Number(value.toPrecision(DIGITS))).split('.');
  return plain(value, decimals.length);
}

const DAY_AND_TIME = { from: 5, to: 16 } as const;

/** `11-18 05:00 UTC` */
export function utcTime(ts: number): string {
  const { from, to } = DAY_AND_TIME;
  return `${new Date(ts).toISOString().slice(from, to).replace('T', ' ')} UTC`;
}

/** `5m RSI 14 above 70`, `1h close above EMA 20`. */
export function indicatorText(condition: IndicatorCondition, side: string, value: number): string {
  const { interval, title, isOverlay, against, sinceTs, isAtClose } = condition;
  const closed = isAtClose ? ', at the close of a bar' : '';
  if (!isOverlay) {
    const since = sinceTs === undefined ? '' : ` since ${utcTime(sinceTs)}`;
    return `${interval} ${title}${since} ${side} ${figure(value)}${closed}`;
  }
  const far = value === 0 ? '' : ` by ${percent(value, { digits: 2 })}`;
  return against
    ? `${interval} ${title} ${side} ${against.title}${far}${closed}`
    : `${interval} close ${side} ${title}${far}${closed}`;
}
