import { systemClock } from '@crosstape/client';
import { Kept } from '../frame/kept.svelte.ts';
import { checkAlerts } from '../live/line.ts';
import type { AlertState, Firing } from '../live/topic.ts';
import { type AlertRule, COOLDOWN_MS, isMetOfRules, isRule, type Met, RULES_MAX } from './alert-rule.ts';
import { chime } from './chime.ts';

const LOG_MAX = 200;
const NOTICE_MS = 12_000;

function isRules(value: unknown): value is readonly AlertRule[] {
  return Array.isArray(value) && value.every(isRule);
}

function isLog(value: unknown): value is readonly Firing[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one: unknown) =>
        typeof one === 'object' &&
        one !== null &&
        ['id', 'rule', 'title', 'why'].every(
          (name) => typeof (one as Record<string, unknown>)[name] === 'string',
        ),
    )
  );
}

const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';

/** The alerts of this browser: rules and their log are stored only here. */
class Alerts {
  readonly #rules = new Kept<readonly AlertRule[]>('alerts', [], isRules);
  /** An alert fires when its condition becomes true, not when a page or a worker starts. */
  readonly #met = new Kept<Met>('alert-met', {}, isMetOfRules);
  readonly #log = new Kept<readonly Firing[]>('alert-log', [], isLog);
  readonly #sound = new Kept<boolean>('alert-sound', true, isFlag);
  states = $state.raw<ReadonlyMap<string, AlertState>>(new Map());
  /** Shown on the page for a moment. */
  notice = $state.raw<Firing>();
  permission = $state(typeof Notification === 'undefined' ? 'denied' : Notification.permission);
  #timer: ReturnType<typeof systemClock.after> | undefined;

  get rules(): readonly AlertRule[] {
    return this.#rules.value;
  }

  /** Newest first. */
  get log(): readonly Firing[] {
    return this.#log.value;
  }

  get isLoud(): boolean {
    return this.#sound.value;
  }

  set isLoud(next: boolean) {
    this.#sound.value = next;
    if (next) chime();
  }

  /** Starts checking the rules, if there are any. */
  start(): void {
    if (this.rules.length > 0) this.#check();
  }

  /** False if there are too many. */
  add(rule: Omit<AlertRule, 'id' | 'isOn'>): boolean {
    if (this.rules.length >= RULES_MAX) return false;
    const id = `${systemClock.now()}-${this.rules.length}`;
    this.#set([...this.rules, { ...rule, id, isOn: true }]);
    return true;
  }

  /** A rule that is switched on again starts as a new one. */
  toggle(id: string): void {
    this.#forgetMet(id);
    this.#set(this.rules.map((rule) => (rule.id === id ? { ...rule, isOn: !rule.isOn } : rule)));
  }

  /** A rule with another level starts as a new one. */
  move(id: string, level: Pick<AlertRule, 'value' | 'side'>): void {
    this.#forgetMet(id);
    this.#set(this.rules.map((rule) => (rule.id === id ? { ...rule, ...level } : rule)));
  }

  remove(id: string): void {
    this.#forgetMet(id);
    this.#set(this.rules.filter((rule) => rule.id !== id));
  }

  clearLog(): void {
    this.#log.value = [];
  }

  /** Asks the reader whether the browser may notify. */
  async askToNotify(): Promise<void> {
    this.permission = await Notification.requestPermission();
  }

  dismiss(): void {
    this.notice = undefined;
  }

  #set(rules: readonly AlertRule[]): void {
    this.#rules.value = rules;
    this.#check();
  }

  #check(): void {
    checkAlerts(this.rules, this.#met.value, (report) => {
      if ('fired' in report) this.#take(report.fired, report.isLead);
      else this.#show(report.alertStates);
    });
  }

  #show(states: readonly AlertState[]): void {
    this.states = new Map(states.map((state) => [state.id, state]));
    for (const { id, isMet } of states) if (isMet !== undefined) this.#keepMet(id, isMet);
  }

  #keepMet(id: string, isMet: boolean): void {
    const isOn = this.rules.some((rule) => rule.id === id && rule.isOn);
    if (isOn && this.#met.value[id] !== isMet) this.#met.value = { ...this.#met.value, [id]: isMet };
  }

  #forgetMet(id: string): void {
    const { [id]: _, ...others } = this.#met.value;
    this.#met.value = others;
  }

  #take(fired: Firing, isLead: boolean): void {
    // Where tabs share no worker, another one may have logged it.
    const logged = this.log.find(
      ({ rule, atMs }) => rule === fired.rule && Math.abs(fired.atMs - atMs) < COOLDOWN_MS,
    );
    if (logged && logged.id !== fired.id) return;
    if (!logged) this.#log.value = [fired, ...this.log].slice(0, LOG_MAX);
    this.notice = fired;
    this.#timer?.cancel();
    this.#timer = systemClock.after(NOTICE_MS, () => this.dismiss());
    if (!isLead) return;
    if (this.isLoud) chime();
    if (this.permission !== 'granted') return;
    const shown = new Notification(fired.title, { body: fired.why, tag: fired.rule });
    shown.addEventListener('click', () => focus());
  }
}

export const alerts = new Alerts();
