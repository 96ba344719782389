import type { ParsedTables } from '@crosstape/core';
import type { BadStatus } from './source-failure.ts';

/** What outlives a restart of a source that may be asked only seldom. */
export interface KeptAnswer {
  /** When it was last asked, whatever came of it: it may have counted the question. */
  readonly askedAtMs: number;
  /** Its last good answer. */
  readonly good?: GoodAnswer;
  /** What was wrong when it was last asked, if anything was. */
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

/** Where such answers are kept, by source: `<venue>:<resource>`. */
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
