import type { SignalMark } from '@crosstape/core';
import type { Confidence } from './etf-proxy.ts';
import type { FlowFigures } from './flow-figures.ts';
import { type SignalLayer, type SignalRule, signalRules, type SignalSeverity } from './signal-rules.ts';

const MINUTE_MS = 60_000;
/** A signal that has been below this part of its threshold … */
const CALM_SHARE = 0.8;
/** … for so long ends, or is no longer hot. */
export const CALM_MS = 120_000;

/** A condition that is worth a look, as it is served. */
export interface FlowSignal {
  /** `<coin>:<slug>:<minute in which it began>`, or the moment, if another ended in that minute */
  readonly id: string;
  readonly coin: string;
  readonly layer: SignalLayer;
  readonly severity: SignalSeverity;
  readonly title: string;
  readonly message: string;
  readonly confidence: Confidence;
  /** When it was last seen. */
  readonly ts: number;
}

interface Active {
  mark: SignalMark;
  signal: FlowSignal;
  /** How many times its threshold it was when last seen. */
  strength: number;
}

/** Which signals of a coin are on: they begin at a threshold, and end only after a calm while, so that none flaps. */
export class SignalWatch {
  readonly #coin: string;
  readonly #active = new Map<string, Active>();
  readonly #restored = new Map<string, SignalMark>();

  /** `marks`: the signals that were on when the last process ended. */
  constructor(coin: string, marks: readonly SignalMark[] = []) {
    this.#coin = coin;
    for (const mark of marks) this.#restored.set(mark.slug, mark);
  }

  /** The signals that are on, the strongest first. */
  update(figures: FlowFigures): readonly FlowSignal[] {
    for (const rule of signalRules) this.#judge(rule, figures);
    return [...this.#active.values()]
      .toSorted((a, b) => rank(b.signal) - rank(a.signal) || b.strength - a.strength)
      .map(({ signal }) => signal);
  }

  get marks(): readonly SignalMark[] {
    return [...this.#active.values()].map(({ mark }) => mark);
  }

  #judge(rule: SignalRule, figures: FlowFigures): void {
    const { slug, warm, hot } = rule;
    const { atMs } = figures;
    const told = rule.value(figures);
    const last = this.#markBefore(slug, atMs);
    const isTurned = told !== undefined && last?.sign !== undefined && told * last.sign < 0;
    // On the other side it is another signal, as soon as it is one; until then the first is no longer seen.
    const before = isTurned && Math.abs(told) >= warm ? undefined : last;
    const value = isTurned && before ? undefined : told;
    const size = value === undefined ? 0 : Math.abs(value);
    if (!before && size < warm) return;
    const minuteMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
    const mark: SignalMark = {
      slug,
      beganMs: before?.beganMs ?? (last && last.beganMs >= minuteMs ? atMs : minuteMs),
      sign: before?.sign ?? (value !== undefined && value < 0 ? -1 : 1),
      warmMs: size >= CALM_SHARE * warm ? atMs : (before?.warmMs ?? atMs),
      hotMs: size >= CALM_SHARE * hot ? atMs : (before?.hotMs ?? 0),
      severity: before?.severity ?? 'warm',
    };
    const isHot = size >= hot || (mark.severity === 'hot' && atMs - mark.hotMs < CALM_MS);
    const severity = isHot ? 'hot' : 'warm';
    const signal = this.#signal(rule, { ...mark, severity }, { value, figures });
    if (!signal) return;
    this.#restored.delete(slug);
    this.#active.set(slug, { mark: { ...mark, severity }, signal, strength: size / warm });
  }

  /** What is known of a signal that is on. One that was not seen for a calm while is over, be it that nobody looked. */
  #markBefore(slug: string, atMs: number): SignalMark | undefined {
    const mark = this.#active.get(slug)?.mark ?? this.#restored.get(slug);
    if (!mark || atMs - mark.warmMs < CALM_MS) return mark;
    this.#active.delete(slug);
    this.#restored.delete(slug);
    return undefined;
  }

  /** While its value is not seen, what was last said of it. `undefined` when that was said by another process. */
  #signal(
    { slug, layer, title, message, confidence }: SignalRule,
    { beganMs, severity, warmMs }: SignalMark,
    { value, figures }: { readonly value: number | undefined; readonly figures: FlowFigures },
  ): FlowSignal | undefined {
    const last = this.#active.get(slug)?.signal;
    if (value === undefined) return last && { ...last, severity, ts: warmMs };
    return {
      id: `${this.#coin}:${slug}:${beganMs}`,
      coin: this.#coin,
      layer,
      severity,
      title: title(value, severity),
      message: message(value, figures),
      confidence: confidence(figures),
      ts: warmMs,
    };
  }
}

function rank({ severity }: FlowSignal): number {
  return severity === 'hot' ? 1 : 0;
}
