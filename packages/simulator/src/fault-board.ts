import { type Clock, hash32, type Random, seededRandom } from '@crosstape/core';
import { type Fault, type FaultKind, type FaultOf, isKind, type Part } from './fault.ts';

const FAULTS_MAX = 100;

export interface ActiveFault {
  readonly id: number;
  readonly fault: Fault;
  readonly sinceMs: number;
  /** Absent when it stays until cleared. */
  readonly untilMs?: number;
  /** How often it has struck. */
  readonly hits: number;
}

/** Where a fault could strike. */
export interface Spot {
  readonly venue: string;
  readonly part: Part;
  /** The requested path below the venue's id, with its query; for a socket, its path. */
  readonly path?: string;
}

/** The active faults. Servers check at every step whether one applies. */
export class FaultBoard {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #active = new Map<number, { -readonly [Key in keyof ActiveFault]: ActiveFault[Key] }>();
  #nextId = 1;

  constructor(clock: Clock, seed: number) {
    this.#clock = clock;
    this.#random = seededRandom(hash32(seed, 0xfa17));
  }

  /** Switches a fault on. */
  add(fault: Fault): ActiveFault {
    this.#expire();
    if (this.#active.size >= FAULTS_MAX) throw new Error(`at most ${FAULTS_MAX} faults can be on at once`);
    const sinceMs = this.#clock.now();
    const until = fault.forMs === undefined ? {} : { untilMs: sinceMs + fault.forMs };
    const active = { id: this.#nextId++, fault, sinceMs, ...until, hits: 0 };
    this.#active.set(active.id, active);
    return active;
  }

  /** Switches faults off: one, those of a venue, or all. Returns how many. */
  clear(which: { readonly id?: number; readonly venue?: string } = {}): number {
    this.#expire();
    let cleared = 0;
    for (const { id, fault } of this.#active.values()) {
      if (which.id !== undefined && which.id !== id) continue;
      if (which.venue !== undefined && which.venue !== fault.venue) continue;
      this.#active.delete(id);
      cleared += 1;
    }
    return cleared;
  }

  list(): readonly ActiveFault[] {
    this.#expire();
    return [...this.#active.values()].map((active) => ({ ...active }));
  }

  /** Whether no fault is on anywhere. */
  get isQuiet(): boolean {
    return this.#active.size === 0;
  }

  /** The fault of a kind that applies now, if any; counts the hit. `path` is the request's. */
  strike<Kind extends FaultKind>({ venue, part, path = '' }: Spot, kind: Kind): FaultOf<Kind> | undefined {
    if (this.#active.size === 0) return undefined;
    this.#expire();
    for (const active of this.#active.values()) {
      const { fault } = active;
      if (fault.venue !== venue || !isKind(fault, kind)) continue;
      if (fault.part !== undefined && fault.part !== part) continue;
      if (fault.path !== undefined && !path.includes(fault.path)) continue;
      if (fault.probability !== undefined && this.#random() >= fault.probability) continue;
      active.hits += 1;
      return fault;
    }
    return undefined;
  }

  /** Randomness for carrying out faults, from the same seed. */
  random(): number {
    return this.#random();
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const { id, untilMs } of this.#active.values()) {
      if (untilMs !== undefined && untilMs <= now) this.#active.delete(id);
    }
  }
}
