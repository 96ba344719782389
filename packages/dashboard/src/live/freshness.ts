import type { ChannelName } from '@crosstape/client';
import type { Book, Topic, Update } from './topic.ts';

/** How far a panel's figures can be relied on, and how old they are. */
export interface Freshness {
  readonly state:
    | 'loading'
    | 'live'
    | 'recorded'
    | 'replay'
    | 'delayed'
    | 'stale'
    | 'gap'
    | 'limited'
    | 'down';
  readonly ageMs: number | undefined;
  /** Of a history: the time of its newest sample. */
  readonly untilMs?: number | undefined;
  /** One sentence on why, for the badge's tooltip. */
  readonly reason: string;
}

/** Half as old again as it should be: delayed. */
const LATE_SHARE = 1.5;
const LATE_EXTRA_MS = 30_000;
/**
 * How often a channel has new data while its source is healthy. Event channels may be silent, and a funding rate can
 * stay the same for hours.
 */
const channelEveryMs: Partial<Record<ChannelName, number>> = {
  markPrice: 30_000,
  openInterest: 30_000,
  venueSpread: 10_000,
  kimchi: 10_000,
  etfProxy: 10_000,
};
/** A gap is shown for this long. */
const GAP_SHOWN_MS = 120_000;

/** Figures that are requested at least this often follow the health of their sources; slower ones stay valid for longer. */
const QUICK_MS = 120_000;

interface Meta {
  readonly source?: string;
  readonly fetchedAt?: number;
  readonly stale?: boolean;
  readonly ageMs?: number;
  readonly partial?: boolean;
  readonly sources?: readonly { readonly source: string; readonly status: string }[];
}

export interface ReceivedState {
  readonly topic: Topic | undefined;
  readonly last: Update | undefined;
  /** When the newest item was received, by this machine's clock; 0 if none was. */
  readonly dataMs: number;
  readonly latest: unknown;
  readonly nowMs: number;
  /** Whether there is anything to show, even an empty list; default: whether an item was received. */
  readonly hasCome?: boolean;
  /** Publishers whose feeds all fail, with their names. */
  readonly failing?: ReadonlyMap<string, string>;
  /** It shows the record of a past time, which has no age. */
  readonly isReplayed?: boolean;
}

export function freshnessOf(received: ReceivedState): Freshness {
  const { topic, last, dataMs, latest, nowMs, hasCome = dataMs > 0, failing } = received;
  const isNothing = last?.state === 'up' && last.limitedUntilMs === undefined && !hasCome && !last.status;
  if (!topic || !last || (isNothing && isNeverSilent(topic) && !received.isReplayed)) {
    return { state: 'loading', ageMs: undefined, reason: 'Waiting for data.' };
  }
  const meta = topic.from === 'rest' ? ((latest as { meta?: Meta } | undefined)?.meta ?? {}) : {};
  const reportedMs =
    topic.from === 'channel' || topic.from === 'book'
      ? (latest as { ts?: number } | undefined)?.ts
      : undefined;
  const ageMs = dataMs === 0 ? undefined : Math.max(0, nowMs - (meta.fetchedAt ?? reportedMs ?? dataMs));
  if (last.limitedUntilMs !== undefined) {
    const seconds = Math.max(0, Math.ceil((last.limitedUntilMs - nowMs) / 1_000));
    // The service refused it, or this browser did not send it, to leave some quota to others behind the same address.
    const why =
      last.state === 'down'
        ? 'Too many requests from your IP address'
        : "This browser's request limit for this minute is used up";
    const reason = `${why}: showing the last data, retrying in ${seconds} s.`;
    return { state: 'limited', ageMs, reason };
  }
  // Data that never arrived cannot be old.
  const failed = hasCome ? 'stale' : 'down';
  if (last.state === 'down') {
    return { state: failed, ageMs, reason: last.problem ?? 'The service cannot be reached.' };
  }
  if (received.isReplayed)
    return { state: 'replay', ageMs: undefined, reason: 'Recorded data as of the replay time.' };
  if (last.status && last.status.state !== 'live') {
    const { partial, reason } = last.status;
    return { state: partial ? 'gap' : failed, ageMs, reason };
  }
  if (meta.stale)
    return {
      state: 'stale',
      // The age of the oldest part, which `fetchedAt` of the newest does not show.
      ageMs: Math.max(ageMs ?? 0, (meta.ageMs ?? 0) + nowMs - dataMs),
      reason: `A source is failing; showing its last good value${namesOf(meta)}.`,
    };
  const away = topic.from === 'rest' && topic.everyMs <= QUICK_MS ? awayOf(meta, failing) : [];
  if (away.length > 0)
    return { state: 'stale', ageMs, reason: `${away.join(', ')} failing; showing the last good value.` };
  if (meta.partial) return { state: 'gap', ageMs, reason: `Some data is missing${namesOf(meta)}.` };
  if (last.gap && nowMs - last.gap.to < GAP_SHOWN_MS) {
    return { state: 'gap', ageMs, reason: 'Events were missed while disconnected.' };
  }
  if (topic.from === 'book' && (latest as Book | undefined)?.isStale) {
    return { state: 'stale', ageMs, reason: 'Order book feed lost: the last book is shown.' };
  }
  const everyMs = everyMsOf(topic);
  if (everyMs !== undefined && dataMs > 0 && nowMs - dataMs > everyMs * LATE_SHARE + LATE_EXTRA_MS) {
    const seconds = Math.round(everyMs / 1_000);
    return { state: 'delayed', ageMs, reason: `No update received; one is due every ${seconds} s.` };
  }
  if (isHistory(topic))
    return {
      state: 'recorded',
      ageMs: undefined,
      untilMs: meta.fetchedAt,
      reason: 'History, dated by its newest sample.',
    };
  return { state: 'live', ageMs, reason: 'Up to date.' };
}

/** Its answers are dated by their newest sample, which may be hours old and still be the newest there is. */
function isHistory(topic: Topic): boolean {
  return topic.from === 'rest' && topic.path.endsWith('/history');
}

/** Events may be rare; everything else has something to show from the beginning. */
function isNeverSilent(topic: Topic): boolean {
  if (topic.from === 'channel') return channelEveryMs[topic.channel] !== undefined;
  return topic.from !== 'stream' && topic.from !== 'build';
}

function everyMsOf(topic: Topic): number | undefined {
  if (topic.from === 'rest' || topic.from === 'service') return topic.everyMs;
  return topic.from === 'channel' ? channelEveryMs[topic.channel] : undefined;
}

function namesOf({ sources = [] }: Meta): string {
  const names = sources.filter(({ status }) => status !== 'ok').map(({ source }) => source);
  return names.length === 0 ? '' : `: ${names.join(', ')}`;
}

/** Names of the sources of an answer that fail: `sim:okx+sim:binance` names two. */
function awayOf({ source = '' }: Meta, failing: ReadonlyMap<string, string> = new Map()): readonly string[] {
  const publishers = source.split('+').map((one) => one.replace(/^(sim|replay):/, ''));
  return [...new Set(publishers.flatMap((one) => failing.get(one) ?? []))];
}
