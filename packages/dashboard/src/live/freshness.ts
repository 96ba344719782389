import type { Topic, Update } from './topic.ts';

/** How far a panel's figures can be relied on, and how old they are. */
export interface Freshness {
  readonly state: 'loading' | 'live' | 'delayed' | 'stale' | 'gap' | 'limited';
  readonly ageMs: number | undefined;
  /** One sentence on why, for whoever asks. */
  readonly reason: string;
}

/** Half as old again as it should be: delayed. */
const LATE_SHARE = 1.5;
const LATE_EXTRA_MS = 30_000;
/** A gap is told for so long. */
const GAP_SHOWN_MS = 120_000;

interface Meta {
  readonly fetchedAt?: number;
  readonly stale?: boolean;
  readonly partial?: boolean;
  readonly sources?: readonly { readonly source: string; readonly status: string }[];
}

export interface Heard {
  readonly topic: Topic | undefined;
  readonly last: Update | undefined;
  /** When the newest item came, by this machine's clock; 0 when none has. */
  readonly dataMs: number;
  readonly latest: unknown;
  readonly nowMs: number;
}

export function freshnessOf({ topic, last, dataMs, latest, nowMs }: Heard): Freshness {
  if (!topic || !last || (last.state === 'up' && dataMs === 0 && topic.from === 'rest')) {
    return { state: 'loading', ageMs: undefined, reason: 'Nothing has come yet.' };
  }
  const meta = topic.from === 'rest' ? ((latest as { meta?: Meta } | undefined)?.meta ?? {}) : {};
  const toldMs =
    topic.from === 'channel' || topic.from === 'book'
      ? (latest as { ts?: number } | undefined)?.ts
      : undefined;
  const ageMs = dataMs === 0 ? undefined : Math.max(0, nowMs - (meta.fetchedAt ?? toldMs ?? dataMs));
  if (last.limitedUntilMs !== undefined) {
    const seconds = Math.max(0, Math.ceil((last.limitedUntilMs - nowMs) / 1_000));
    const reason = `Too many requests from your address: what is here is kept, and asked for again in ${seconds} s.`;
    return { state: 'limited', ageMs, reason };
  }
  if (last.state === 'down') {
    return { state: 'stale', ageMs, reason: last.trouble ?? 'The service cannot be reached.' };
  }
  if (meta.stale) return { state: 'stale', ageMs, reason: 'A source fails: its last good value is shown.' };
  if (meta.partial) return { state: 'gap', ageMs, reason: `Something is missing${namesOf(meta)}.` };
  if (last.gap && nowMs - last.gap.to < GAP_SHOWN_MS) {
    return { state: 'gap', ageMs, reason: 'Something was missed while the connection was down.' };
  }
  const { everyMs } = topic as { everyMs?: number };
  if (everyMs !== undefined && nowMs - dataMs > everyMs * LATE_SHARE + LATE_EXTRA_MS) {
    return { state: 'delayed', ageMs, reason: 'The next answer is overdue.' };
  }
  return { state: 'live', ageMs, reason: 'As new as the source has it.' };
}

function namesOf({ sources = [] }: Meta): string {
  const names = sources.filter(({ status }) => status !== 'ok').map(({ source }) => source);
  return names.length === 0 ? '' : `: ${names.join(', ')}`;
}
