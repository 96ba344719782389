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

/** The builds of this browser, the newest first; kept in it and nowhere else. */
class Jobs {
  list = $state.raw<readonly Job[]>(read());

  add(job: Job): void {
    this.#keep([job, ...this.list.filter(({ jobId }) => jobId !== job.jobId)].slice(0, JOBS_MAX));
  }

  end(jobId: string, end: NonNullable<Job['end']>): void {
    this.#keep(this.list.map((job) => (job.jobId === jobId ? { ...job, end } : job)));
  }

  remove(jobId: string): void {
    this.#keep(this.list.filter((job) => job.jobId !== jobId));
  }

  #keep(list: readonly Job[]): void {
    this.list = list;
    try {
      localStorage.setItem(PLACE, JSON.stringify(list));
    } catch {
      // A browser may refuse to keep anything: then they are gone with the page.
    }
  }
}

/** What another version has left behind is not read. */
function read(): readonly Job[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isJob).slice(0, JOBS_MAX) : [];
  } catch {
    return [];
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
