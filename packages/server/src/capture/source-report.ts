import { briefly, kindOfRefusal } from '../ingest/refusals.ts';
import { FieldCounter, fieldGroup, type FieldInventory } from './field-inventory.ts';

/** Kinds of reasons per source; further ones are counted together. */
const REASONS_MAX = 10;
/** A refused frame is compared with one of these to name the fields that differ. */
const dataKinds = ['trades', 'marketTrades', 'liquidations', 'book', 'bookChange', 'quotes'] as const;
const OTHER_REASONS = 'other reasons';

export interface CountedReason {
  /** The first of its kind: others differ in symbols and values. */
  readonly reason: string;
  readonly count: number;
}

/** The result of one source. */
export interface SourceReport {
  readonly source: string;
  readonly payloads: number;
  readonly accepted: number;
  /** Payloads that the parser refused as a whole. */
  readonly refused: number;
  /** Rows refused in accepted payloads. */
  readonly refusedRows: number;
  readonly reasons: readonly CountedReason[];
  /** Requests without a payload to parse: HTTP errors, refusals, no answer. */
  readonly errors: number;
  readonly errorReasons: readonly CountedReason[];
  readonly newFields: readonly string[];
  readonly missingFields: readonly string[];
}

/** Counts the results of one source. */
export class SourceCounter {
  readonly #source: string;
  #payloads = 0;
  #refused = 0;
  #refusedRows = 0;
  #errors = 0;
  readonly #reasons = new ReasonCounts();
  readonly #errorReasons = new ReasonCounts();
  readonly #fields = new Map<string, FieldCounter>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Counts an accepted payload; `refusedRows` has the reasons of rows left out. */
  accept(refusedRows: readonly string[] = []): void {
    this.#payloads += 1;
    this.#refusedRows += refusedRows.length;
    for (const reason of refusedRows) this.#reasons.add(reason);
  }

  refuse(reason: string): void {
    this.#payloads += 1;
    this.#refused += 1;
    this.#reasons.add(reason);
  }

  fail(reason: string): void {
    this.#errors += 1;
    this.#errorReasons.add(reason);
  }

  /** For a JSON payload; `frameKind` for a frame. */
  countFields(payload: unknown, frameKind?: string): void {
    const group = fieldGroup(this.#source, frameKind);
    this.#fields.set(group, (this.#fields.get(group) ?? new FieldCounter()).add(payload));
  }

  report(samples: Readonly<Record<string, FieldInventory>>): SourceReport {
    // Without a sample every field would count as new.
    const compared = [...this.#fields].flatMap(([group, counter]) => {
      const { [group]: inventory } = samples;
      return inventory ? [{ counter, inventory }] : [];
    });
    const refused = this.#fields.get(fieldGroup(this.#source, 'refused'));
    const wanted = dataKinds.map((kind) => samples[fieldGroup(this.#source, kind)]).find(Boolean);
    const unseen = refused && wanted ? refused.unseenIn(wanted) : [];
    return {
      source: this.#source,
      payloads: this.#payloads,
      accepted: this.#payloads - this.#refused,
      refused: this.#refused,
      refusedRows: this.#refusedRows,
      reasons: this.#reasons.sorted,
      errors: this.#errors,
      errorReasons: this.#errorReasons.sorted,
      newFields: unique([
        ...unseen,
        ...compared.flatMap(({ counter, inventory }) => counter.unseenIn(inventory)),
      ]),
      missingFields: unique(compared.flatMap(({ counter, inventory }) => counter.missingOf(inventory))),
    };
  }
}

class ReasonCounts {
  readonly #byKind = new Map<string, { readonly reason: string; count: number }>();

  add(why: string): void {
    const kind = kindOfRefusal(why);
    const isKept = this.#byKind.has(kind) || this.#byKind.size < REASONS_MAX;
    const [key, reason] = isKept ? [kind, briefly(why)] : [OTHER_REASONS, OTHER_REASONS];
    const counted = this.#byKind.get(key) ?? { reason, count: 0 };
    counted.count += 1;
    this.#byKind.set(key, counted);
  }

  /** Most frequent first. */
  get sorted(): readonly CountedReason[] {
    return [...this.#byKind.values()].toSorted((a, b) => b.count - a.count);
  }
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}
