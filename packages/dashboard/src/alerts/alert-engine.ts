import type { systemClock } from '@crosstape/client';
import type { Hub, Port } from '../live/hub.ts';
import type { AlertState, Firing, HubReport, Report, Update } from '../live/topic.ts';
import { type AlertRule, COOLDOWN_MS, type Met, ruleText, RULES_MAX } from './alert-rule.ts';
import { type AlertWatch, type Measured, watchOf } from './alert-watch.ts';

type Clock = typeof systemClock;

/** How often rules are checked and tabs get the measured values. */
const CHECK_EVERY_MS = 1_000;
const ALIVE_EVERY_MS = 20_000;
/** A topic of a rule is followed under the number of the rule times this, plus its place. */
const TOPICS_MAX = 4;

interface Checked {
  readonly rule: AlertRule;
  readonly watch: AlertWatch;
  readonly id: number;
  /** The last measurement met the condition; `undefined` before the first one of a new rule. */
  isMet: boolean | undefined;
  firedMs: number;
  last: Measured | undefined;
  problem: string | undefined;
}

/** Where a tab takes reports. */
export interface AlertPort {
  postMessage(report: HubReport): void;
}

/** Checks the rules of this browser for all its tabs: follows the topics they need as another subscriber of the hub. */
export class AlertEngine implements Port {
  readonly #hub: Pick<Hub, 'take'>;
  readonly #clock: Clock;
  readonly #tabs = new Map<AlertPort, number>();
  #checked: Checked[] = [];
  #text = '[]';
  #lastId = 0;
  #firings = 0;

  constructor(hub: Pick<Hub, 'take'>, clock: Clock) {
    this.#hub = hub;
    this.#clock = clock;
    clock.every(CHECK_EVERY_MS, () => this.#check());
    clock.every(ALIVE_EVERY_MS, () => hub.take(this, { op: 'alive' }));
  }

  /** A tab was active. */
  see(port: AlertPort): void {
    this.#tabs.set(port, this.#clock.now());
  }

  forget(port: AlertPort): void {
    this.#tabs.delete(port);
  }

  /** Replaces the rules; unchanged ones continue, others resume from what the browser has stored. */
  set(rules: readonly AlertRule[], met: Met): void {
    const wanted = rules.filter(({ isOn }) => isOn).slice(0, RULES_MAX);
    const text = JSON.stringify(wanted);
    if (text === this.#text) return;
    this.#text = text;
    const before = new Map(this.#checked.map((one) => [JSON.stringify(one.rule), one]));
    const known = new Set<Checked>();
    this.#checked = wanted.map((rule) => {
      const one = before.get(JSON.stringify(rule));
      before.delete(JSON.stringify(rule));
      if (one) known.add(one);
      return one ?? this.#begin(rule, met[rule.id]);
    });
    // The hub reports its current state at once.
    for (const one of this.#checked) if (!known.has(one)) this.#follow(one);
    for (const one of before.values()) this.#end(one);
  }

  /** The hub's report of a topic. */
  postMessage({ id, others = [], update }: Report): void {
    for (const follower of [id, ...others]) this.#pass(follower, update);
  }

  #pass(id: number, update: Update): void {
    const one = this.#checked.find((checked) => checked.id === Math.floor(id / TOPICS_MAX));
    if (!one) return;
    one.problem = update.state === 'down' ? (update.problem ?? 'The service cannot be reached.') : undefined;
    one.watch.take(id % TOPICS_MAX, update);
  }

  #begin(rule: AlertRule, isMet: boolean | undefined): Checked {
    const id = (this.#lastId += 1);
    const watch = watchOf(rule);
    return { rule, watch, id, isMet, firedMs: -Infinity, last: undefined, problem: undefined };
  }

  #follow({ id, watch }: Checked): void {
    for (const [place, topic] of watch.topics.entries())
      this.#hub.take(this, { op: 'follow', id: id * TOPICS_MAX + place, topic });
  }

  #end({ id, watch }: Checked): void {
    for (const place of watch.topics.keys())
      this.#hub.take(this, { op: 'leave', id: id * TOPICS_MAX + place });
  }

  #check(): void {
    // An alert fired now would be lost.
    if (this.#tabs.size === 0) return;
    const nowMs = this.#clock.now();
    for (const one of this.#checked) {
      const measured = one.watch.measure(nowMs);
      one.last = measured ?? one.last;
      if (measured) this.#compare(one, measured, nowMs);
    }
    const states = this.#checked.map((one): AlertState => {
      const { rule, watch, last, isMet, problem = watch.problem } = one;
      return {
        id: rule.id,
        ...(last && { text: last.text }),
        ...(isMet !== undefined && watch.isEvent !== true && { isMet }),
        ...(problem !== undefined && { problem }),
      };
    });
    if (states.length > 0) for (const port of this.#tabs.keys()) port.postMessage({ alertStates: states });
  }

  #compare(one: Checked, { value, text, isPartial }: Measured, nowMs: number): void {
    const { rule, watch } = one;
    const isMet = rule.side === 'above' ? value >= rule.value : value <= rule.value;
    if (!isMet) {
      if (isPartial !== true || one.isMet === undefined) one.isMet = false;
      return;
    }
    if (watch.isEvent !== true) {
      // A condition that is true when its rule is made has not become true.
      one.isMet ??= true;
      if (one.isMet) return;
    }
    // A condition met during the cooldown fires when it ends, if it still holds.
    if (nowMs - one.firedMs < COOLDOWN_MS) return;
    one.isMet = true;
    one.firedMs = nowMs;
    this.#firings += 1;
    const id = `${nowMs}-${this.#firings}`;
    this.#fire({ id, rule: rule.id, atMs: nowMs, title: ruleText(rule), why: text });
  }

  /** Every tab logs it; the one that was active last announces it. */
  #fire(fired: Firing): void {
    const [lead] = [...this.#tabs].toSorted(([, a], [, b]) => b - a)[0] ?? [];
    for (const port of this.#tabs.keys()) port.postMessage({ fired, isLead: port === lead });
  }
}
