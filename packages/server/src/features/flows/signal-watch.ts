import { MINUTE_MS, roundTo, type SignalMark } from '@crosstape/core';
import type { Confidence } from './etf-proxy.ts';
import type { FlowFigures } from './flow-figures.ts';
import {
  inUnit,
  type SignalLayer,
  type SignalRule,
  signalRules,
  type SignalSeverity,
} from './signal-rules.ts';

const VALUE_DECIMALS = 3;
/** A signal ends after being below this share of its warm threshold … */
const CALM_SHARE = 0.8;
/** … for this long. */
export const CALM_MS = 120_000;

/** An active signal, as served. */
export interface FlowSignal {
  /** `<coin>:<slug>:<minute of its start>`; later ones of that slug and minute have a counter: `<slug>-2`. */
  readonly id: string;
  readonly coin: string;
  readonly layer: SignalLayer;
  /** Follows the current value; `info` below the warm threshold. */
  readonly severity: SignalSeverity;
  readonly title: string;
  readonly message: string;
  readonly confidence: Confidence;
  /** When it was last at or above 80 % of its warm threshold. */
  readonly ts: number;
  /** The value at present, in `unit`; null while it is unknown. */
  readonly current: number | null;
  /** The value with the largest size since the signal began, in `unit`. */
  readonly peak: number;
  /** Unit of `current`, `peak` and the thresholds. */
  readonly unit: SignalRule['unit'];
}

interface Active {
  readonly mark: SignalMark;
  readonly signal: FlowSignal;
  /** Size of the current value as a multiple of the warm threshold. */
  readonly strength: number;
}

/** Tracks the active signals of a coin. They begin at a threshold and end after a calm period, so that none flaps. */
export class SignalWatch {
  readonly #coin: string;
  readonly #active = new Map<string, Active>();
  readonly #restored = new Map<string, SignalMark>();

  /** `marks`: the signals that were active when the last process ended. */
  constructor(coin: string, marks: readonly SignalMark[] = []) {
    this.#coin = coin;
    for (const mark of marks) this.#restored.set(mark.slug, inWholeMinute(mark));
  }

  /** The active signals, strongest first. */
  update(figures: FlowFigures): readonly FlowSignal[] {
    for (const rule of signalRules) this.#judge(rule, figures);
    return [...this.#active.values()]
      .toSorted((a, b) => ranks[b.signal.severity] - ranks[a.signal.severity] || b.strength - a.strength)
      .map(({ signal }) => signal);
  }

  get marks(): readonly SignalMark[] {
    return [...this.#active.values()].map(({ mark }) => mark);
  }

  #judge(rule: SignalRule, figures: FlowFigures): void {
    const { slug, warm } = rule;
    const { atMs } = figures;
    const raw = rule.value(figures);
    const value = raw === undefined ? undefined : roundTo(raw, VALUE_DECIMALS);
    const size = value === undefined ? 0 : Math.abs(value);
    const last = this.#markBefore(slug, atMs);
    const isTurned = value !== undefined && last?.sign !== undefined && value * last.sign < 0;
    // Past the threshold of the other side it is another signal; short of it, the first one is calming down.
    const before = isTurned && size >= warm ? undefined : last;
    if (!before && (value === undefined || size < warm)) return;
    const mark: SignalMark = {
      ...(before ?? beginning(slug, atMs, last)),
      sign: before?.sign ?? (value !== undefined && value < 0 ? -1 : 1),
      warmMs: !isTurned && size >= CALM_SHARE * warm ? atMs : (before?.warmMs ?? atMs),
      ...peakOf(before, isTurned && before ? undefined : value),
    };
    this.#restored.delete(slug);
    const signal = this.#signal(rule, mark, { value, figures });
    this.#active.set(slug, { mark, signal, strength: size / warm });
  }

  /** The mark of an active signal. A signal that was calm, or not evaluated, for long enough has ended. */
  #markBefore(slug: string, atMs: number): SignalMark | undefined {
    const mark = this.#active.get(slug)?.mark ?? this.#restored.get(slug);
    if (!mark || atMs - mark.warmMs < CALM_MS) return mark;
    this.#active.delete(slug);
    this.#restored.delete(slug);
    return undefined;
  }

  #signal(
    rule: SignalRule,
    { slug, beganMs, count = 1, warmMs, peak = 0 }: SignalMark,
    { value, figures }: { readonly value: number | undefined; readonly figures: FlowFigures },
  ): FlowSignal {
    const { layer, unit, name } = rule;
    const severity = severityOf(rule, value);
    return {
      id: `${this.#coin}:${count > 1 ? `${slug}-${count}` : slug}:${beganMs}`,
      coin: this.#coin,
      layer,
      severity,
      title: value === undefined ? `${name} unknown` : rule.title(value, severity),
      message:
        value === undefined
          ? `It cannot be determined at present; its peak was ${inUnit(peak, unit)}.`
          : rule.message(value, figures),
      confidence: value === undefined ? 'low' : rule.confidence(figures),
      ts: warmMs,
      current: value ?? null,
      peak,
      unit,
    };
  }
}

const ranks: Readonly<Record<SignalSeverity, number>> = { info: 0, warm: 1, hot: 2 };

function severityOf({ warm, hot }: SignalRule, value = 0): SignalSeverity {
  const size = Math.abs(value);
  if (size >= hot) return 'hot';
  return size >= warm ? 'warm' : 'info';
}

/** A signal that begins now. `last`: the one that it replaces, which may have begun within the same minute. */
function beginning(
  slug: string,
  atMs: number,
  last: SignalMark | undefined,
): Pick<SignalMark, 'slug' | 'beganMs' | 'count'> {
  const minuteMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  if (!last || last.beganMs < minuteMs) return { slug, beganMs: minuteMs };
  return { slug, beganMs: last.beganMs, count: (last.count ?? 1) + 1 };
}

/** Older versions wrote the exact time of a signal that was not the first of its minute. */
function inWholeMinute(mark: SignalMark): SignalMark {
  const overMs = mark.beganMs % MINUTE_MS;
  return overMs === 0 ? mark : { ...mark, beganMs: mark.beganMs - overMs, count: 2 };
}

function peakOf(before: SignalMark | undefined, value: number | undefined): Pick<SignalMark, 'peak'> {
  if (value === undefined) return {};
  return before?.peak === undefined || Math.abs(value) > Math.abs(before.peak) ? { peak: value } : {};
}
