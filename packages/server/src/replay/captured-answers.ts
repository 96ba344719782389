import type { StoredBody } from './body-file.ts';
import type { RequestKey } from './request-key.ts';

/** A venue's answer, or its absence. */
export interface CapturedAnswer {
  readonly receivedAtMs: number;
  /** Times in its request. */
  readonly timesMs: readonly number[];
  /** Absent if the request was never answered. */
  readonly answer?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: StoredBody;
  };
}

/** The answers of a capture, by request. */
export class CapturedAnswers {
  readonly #exact = new Map<string, CapturedAnswer[]>();
  readonly #timeless = new Map<string, CapturedAnswer[]>();

  /** In order of receipt. */
  add({ exact, timeless }: RequestKey, answer: CapturedAnswer): void {
    append(this.#exact, exact, answer);
    append(this.#timeless, timeless, answer);
  }

  /**
   * The answer to a request at a time: the newest received by then, else the first received later. A request that was
   * never captured gets the answer to the same one with the nearest times.
   */
  find({ exact, timeless, timesMs }: RequestKey, atMs: number): CapturedAnswer | undefined {
    const same = this.#exact.get(exact);
    if (same) return newestAt(same, atMs);
    const all = this.#timeless.get(timeless);
    if (!all || timesMs.length === 0) return undefined;
    const answered = all.filter(({ answer }) => answer);
    const similar = answered.length > 0 ? answered : all;
    const apart = similar.map((one) =>
      one.timesMs.reduce((sum, ms, i) => sum + Math.abs(ms - (timesMs[i] ?? ms)), 0),
    );
    const nearest = Math.min(...apart);
    return newestAt(
      similar.filter((_, i) => apart[i] === nearest),
      atMs,
    );
  }
}

function append(answers: Map<string, CapturedAnswer[]>, key: string, answer: CapturedAnswer): void {
  const before = answers.get(key);
  if (before) before.push(answer);
  else answers.set(key, [answer]);
}

function newestAt(answers: readonly CapturedAnswer[], atMs: number): CapturedAnswer | undefined {
  return answers.findLast(({ receivedAtMs }) => receivedAtMs <= atMs) ?? answers[0];
}
