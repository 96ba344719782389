import { compact, percent, plain, price } from '../format/numbers.ts';
import { perpVenues, venueName } from '../format/venues.ts';
import { figure, type IndicatorCondition, indicatorText, isCondition } from './indicator-condition.ts';

export const alertKinds = [
  'price',
  'indicator',
  'funding',
  'fundingSpread',
  'venueSpread',
  'oi',
  'liquidations',
  'whale',
  'cvd',
  'signal',
  'feed',
] as const;
export type AlertKind = (typeof alertKinds)[number];
export type AlertSide = 'above' | 'below';

/** A condition of the reader's, kept in the browser. */
export interface AlertRule {
  readonly id: string;
  readonly kind: AlertKind;
  /** A coin; of a price or an indicator also the id of a market; of a feed the name of a source, or `any`. */
  readonly subject: string;
  readonly side: AlertSide;
  readonly value: number;
  /** Length of the window, where the kind has one. */
  readonly minutes: number;
  readonly isOn: boolean;
  /** Of funding: a perpetual venue, or `any`; default: the primary one. */
  readonly venue?: string;
  /** Of an indicator: which, and how it is compared. */
  readonly indicator?: IndicatorCondition;
}

interface KindAbout {
  readonly title: string;
  /** What is compared, in a sentence. */
  readonly about: string;
  readonly unit: string;
  readonly hasBelow: boolean;
  readonly hasWindow: boolean;
  readonly first: number;
  readonly text: (value: number) => string;
}

const yearly = (value: number): string => `${percent(value, { digits: 1 })} a year`;
const dollars = (value: number): string =>
  value === 0 ? '$0' : `${value < 0 ? '−' : ''}$${compact(Math.abs(value), 1)}`;
/** Severities of signals, as values of a rule. */
const severities = ['info', 'warm', 'hot'] as const;

export function severityOf(name: string): number {
  return severities.findIndex((one) => one === name);
}

export const kindAbout: Readonly<Record<AlertKind, KindAbout>> = {
  price: {
    title: 'Price',
    about: 'The last price of a coin on Hyperliquid, or of a recorded market such as binance:BTCUSDT',
    unit: '$',
    hasBelow: true,
    hasWindow: false,
    first: 100_000,
    text: (value) => `$${price(value)}`,
  },
  indicator: {
    title: 'Indicator',
    about:
      'An indicator of a coin on Hyperliquid, or of a market such as binance:BTCUSDT; one over the prices is compared with the close of the bar or with another one, in %',
    unit: '',
    hasBelow: true,
    hasWindow: false,
    first: 70,
    text: figure,
  },
  funding: {
    title: 'Funding',
    about: 'Funding on one venue, or on any venue (the highest; for “below”, the lowest)',
    unit: '% a year',
    hasBelow: true,
    hasWindow: false,
    first: 30,
    text: yearly,
  },
  fundingSpread: {
    title: 'Funding spread',
    about: 'Highest minus lowest funding rate across venues',
    unit: '% a year',
    hasBelow: false,
    hasWindow: false,
    first: 20,
    text: yearly,
  },
  venueSpread: {
    title: 'Price spread',
    about: 'Highest minus lowest spot price across venues',
    unit: 'bps',
    hasBelow: false,
    hasWindow: false,
    first: 20,
    text: (value) => `${plain(value, 1)} bps`,
  },
  oi: {
    title: 'Open interest change',
    about: 'The change of open interest on Hyperliquid over the window',
    unit: '%',
    hasBelow: true,
    hasWindow: true,
    first: 5,
    text: (value) => percent(value, { digits: 2 }),
  },
  liquidations: {
    title: 'Liquidation burst',
    about: 'Long and short liquidations on all venues within the window',
    unit: '$',
    hasBelow: false,
    hasWindow: true,
    first: 1_000_000,
    text: dollars,
  },
  whale: {
    title: 'Whale',
    about: 'A taker order on Hyperliquid of at least this size',
    unit: '$',
    hasBelow: false,
    hasWindow: false,
    first: 1_000_000,
    text: dollars,
  },
  cvd: {
    title: 'CVD',
    about: 'Bought less sold value on Hyperliquid within the window, which begins with the last five minutes',
    unit: '$',
    hasBelow: true,
    hasWindow: true,
    first: 5_000_000,
    text: dollars,
  },
  signal: {
    title: 'Flow signal',
    about: 'A signal of the flows page: 1 for warm, 2 for hot',
    unit: 'severity',
    hasBelow: false,
    hasWindow: false,
    first: 2,
    text: (value) => severities[value] ?? String(value),
  },
  feed: {
    title: 'Feed down',
    about: 'A source has been failing for this long',
    unit: 's',
    hasBelow: false,
    hasWindow: false,
    first: 60,
    text: (value) => `${plain(value, 0)} s`,
  },
};

export const ANY_SOURCE = 'any';
/** Venues of a funding alert; the first is the default. */
export const fundingVenues: readonly string[] = [...perpVenues, 'any'];
export const RULES_MAX = 50;
/** A rule does not fire more often. */
export const COOLDOWN_MS = 30_000;
const WINDOW_MINUTES_MAX = 240;
const SUBJECT = /^[A-Za-z0-9._-]{1,40}$/;
const MARKET = /^[a-z0-9-]{1,30}:[A-Za-z0-9._/-]{1,40}$/;

/** Whether a rule is about a market, `binance:BTCUSDT` or `perp:BTC`, and not a coin. */
export function isOfMarket({ kind, subject }: Pick<AlertRule, 'kind' | 'subject'>): boolean {
  return (kind === 'price' || kind === 'indicator') && MARKET.test(subject);
}

/** What is wrong with a rule, in a sentence; `undefined` if it is valid. */
export function faultOf({
  kind,
  subject,
  side,
  value,
  minutes,
  venue,
  indicator,
}: Omit<AlertRule, 'id' | 'isOn'>): string | undefined {
  const { hasBelow, hasWindow, title } = kindAbout[kind];
  if (!SUBJECT.test(subject) && !isOfMarket({ kind, subject }))
    return kind === 'feed' ? "Enter a source, or 'any'." : 'Enter a coin, such as BTC.';
  if (!Number.isFinite(value)) return 'The value must be a number.';
  if (side === 'below' && !hasBelow) return `${title} alerts fire only above a value.`;
  if (!hasBelow && value <= 0) return 'The value must be above 0.';
  if (kind === 'price' && value <= 0) return 'The price must be above 0.';
  if (kind === 'signal' && ![1, 2].includes(value)) return 'The severity is 1 (warm) or 2 (hot).';
  if (kind === 'indicator' && !isCondition(indicator)) return 'Choose an indicator.';
  if (venue !== undefined && !(kind === 'funding' && fundingVenues.includes(venue)))
    return `${venue} reports no funding.`;
  if (hasWindow && !(minutes >= 1 && minutes <= WINDOW_MINUTES_MAX))
    return `The window must be 1 to ${WINDOW_MINUTES_MAX} minutes.`;
  return undefined;
}

/** Whether the condition of a rule, by its id, was true when it was last checked. */
export type Met = Readonly<Record<string, boolean>>;

export function isMetOfRules(value: unknown): value is Met {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one) => typeof one === 'boolean')
  );
}

export function isRule(value: unknown): value is AlertRule {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, subject, side, value: level, minutes, isOn } = value as Partial<AlertRule>;
  return (
    typeof id === 'string' &&
    alertKinds.some((one) => one === kind) &&
    typeof subject === 'string' &&
    (side === 'above' || side === 'below') &&
    typeof level === 'number' &&
    typeof minutes === 'number' &&
    typeof isOn === 'boolean' &&
    faultOf(value as AlertRule) === undefined
  );
}

/** Rules about the price of a market that are on: its id, or the coin of the primary venue. */
export function alertLevels(rules: readonly AlertRule[], subjects: readonly string[]): readonly AlertRule[] {
  return rules.filter(({ kind, subject, isOn }) => isOn && kind === 'price' && subjects.includes(subject));
}

/** How a value of a rule is printed: prices of markets are in their own currencies. */
export function textOf(rule: Pick<AlertRule, 'kind' | 'subject'>): (value: number) => string {
  return rule.kind === 'price' && isOfMarket(rule) ? (value) => price(value) : kindAbout[rule.kind].text;
}

/** `BTC price above $120,000`. */
export function ruleText(rule: AlertRule): string {
  const { kind, subject, side, value, minutes, venue, indicator } = rule;
  if (indicator) return `${subject} ${indicatorText(indicator, side, value)}`;
  const { title, hasWindow } = kindAbout[kind];
  const text = textOf(rule);
  const window = hasWindow ? ` within ${minutes} min` : '';
  const noun = title === kindAbout.cvd.title ? title : title.toLowerCase();
  const where = venue === undefined ? '' : venue === 'any' ? ' on any venue' : ` on ${venueName(venue)}`;
  return `${subject} ${noun}${where} ${side} ${text(value)}${window}`;
}
