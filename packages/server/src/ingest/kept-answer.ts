import type { ParsedTables } from '@crosstape/core';
import type { BadStatus } from './source-failure.ts';

/** State that survives a restart, of a source that allows few requests. */
export interface KeptAnswer {
  /** Time of the last request, whatever its result: the source may have counted it. */
  readonly askedAtMs: number;
  /** Its last good answer. */
  readonly good?: GoodAnswer;
  /** The failure of the last request, if any. */
  readonly failed?: KeptFailure;
}

export interface KeptFailure {
  readonly status: BadStatus;
  readonly why: string;
  /** How many in a row, this one included. */
  readonly failures?: number;
}

export interface GoodAnswer {
  readonly parsed: ParsedTables;
  readonly fetchedAtMs: number;
  /** When the source last confirmed it. */
  readonly checkedAtMs?: number;
}

/** An unchanged answer is not a new one: it confirms the previous one. */
export function renewed(before: GoodAnswer | undefined, parsed: ParsedTables, atMs: number): GoodAnswer {
  const isSame = before !== undefined && JSON.stringify(before.parsed) === JSON.stringify(parsed);
  return isSame ? { ...before, checkedAtMs: atMs } : { parsed, fetchedAtMs: atMs };
}

/** Stores such answers by source: `<venue>:<resource>`. */
export interface KeptAnswers {
  get(source: string): KeptAnswer | undefined;
  put(source: string, answer: KeptAnswer): void;
}

/** The place of one source among them. */
export interface AnswerKeeper {
  readonly last: KeptAnswer | undefined;
  keep(answer: KeptAnswer): void;
}

export function keeperOf(kept: KeptAnswers, source: string): AnswerKeeper {
  return {
    get last() {
      return kept.get(source);
    },
    keep: (answer) => kept.put(source, answer),
  };
}
