import type { BuildSpec } from '@crosstape/client/bars';

/** Most jobs that a browser remembers. */
const JOBS_MAX = 20;
const PLACE = 'crosstape.jobs';

export interface Job {
  readonly jobId: string;
  readonly resultKey: string;
  readonly spec: BuildSpec;
  readonly submittedMs: number;
  /** How it ended; absent while it has not. */
  readonly end?: {
    readonly error?: string;
    readonly trades: number;
    readonly bars: number;
    readonly gaps: number;
    readonly buildMs: number;
  };
}

/** The builds of this browser, newest first; stored only in it. All tabs share them. */
class Jobs {
  list = $state.raw<readonly Job[]>(read() ?? []);

  constructor() {
    addEventListener('storage', ({ key }) => {
      if (key === PLACE) this.list = read() ?? this.list;
    });
  }

  add(job: Job): void {
    this.#change((list) => [job, ...list.filter(({ jobId }) => jobId !== job.jobId)].slice(0, JOBS_MAX));
  }

  end(jobId: string, end: NonNullable<Job['end']>, resultKey: string): void {
    this.#change((list) => list.map((job) => (job.jobId === jobId ? { ...job, resultKey, end } : job)));
  }

  remove(jobId: string): void {
    this.#change((list) => list.filter((job) => job.jobId !== jobId));
  }

  /** Another tab may have changed it meanwhile: the stored list is changed, not this tab's copy. */
  #change(change: (list: readonly Job[]) => readonly Job[]): void {
    this.list = change(read() ?? this.list);
    try {
      localStorage.setItem(PLACE, JSON.stringify(this.list));
    } catch {
      // Storage may be unavailable: then they are lost with the page.
    }
  }
}

/** Data of another version are ignored; `undefined` if nothing is stored. */
function read(): readonly Job[] | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? 'null');
    return Array.isArray(kept) ? kept.filter(isJob).slice(0, JOBS_MAX) : undefined;
  } catch {
    return undefined;
  }
}

function isJob(value: unknown): value is Job {
  const { jobId, resultKey, spec, submittedMs } = (value ?? {}) as Partial<Record<keyof Job, unknown>>;
  const isSpec = typeof spec === 'object' && spec !== null && 'kind' in spec && 'coin' in spec;
  return (
    typeof jobId === 'string' && typeof resultKey === 'string' && typeof submittedMs === 'number' && isSpec
  );
}

export const jobs = new Jobs();
