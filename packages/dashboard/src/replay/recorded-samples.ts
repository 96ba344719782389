import type { RequestOptions, Client, SocketItem } from '@crosstape/client';
import type { ReplayClock } from './replay-clock.ts';
import { samplesAt } from './replay-time.ts';

/** The newest of the last three samples is the state at the beginning: one may be missing. */
const BEFORE = 3;
const intervalsMs = { '10m': 600_000, '1h': 3_600_000 } as const;
const VENUE = 'hyperliquid';

interface RecordedSamplesOptions {
  readonly channel: 'openInterest' | 'funding';
  readonly coin: string;
  readonly clock: ReplayClock;
  /** The live service. */
  readonly client: Client;
  readonly signal?: AbortSignal | undefined;
}

interface SamplesQuery {
  readonly coin: string;
  readonly interval?: keyof typeof intervalsMs;
  readonly sinceMs: number;
}

type SampleItem = SocketItem<'openInterest'> | SocketItem<'funding'>;

/** Recorded samples as their channel sends them live: the newest one at once, the others when the clock reaches them. */
export async function* recordedSamples({
  channel,
  coin,
  clock,
  client,
  signal,
}: RecordedSamplesOptions): AsyncGenerator<readonly SampleItem[], void, undefined> {
  const options = signal ? { signal } : {};
  const samples = samplesAt(clock.now(), clock.endMs);
  const sinceMs = Math.max(0, clock.now() - BEFORE * intervalsMs[samples.interval ?? '10m']);
  const query = { coin, sinceMs, ...samples };
  const items =
    channel === 'openInterest'
      ? await readOi(client, query, options)
      : await readFunding(client, query, options);
  const reader = clock.join();
  try {
    yield [{ type: 'joined' }];
    for (let at = 0; at < items.length; ) {
      await reader.wait(items[at]!.ts, 'other', signal);
      const nowMs = clock.now();
      let due: SampleItem | undefined;
      for (; at < items.length && items[at]!.ts <= nowMs; at += 1) due = items[at];
      if (due) yield [due];
    }
    // Nothing newer was on record when the replay began.
    await reader.wait(Infinity, 'other', signal);
  } finally {
    reader.leave();
  }
}

type Dated<Item> = Item extends { readonly type: 'data' } ? Item : never;

async function readOi(
  client: Client,
  query: SamplesQuery,
  options: RequestOptions,
): Promise<readonly Dated<SocketItem<'openInterest'>>[]> {
  const { data } = await client.get('/perps/oi/history', query, options);
  return data.points.map(({ t, v }) => ({
    type: 'data',
    ts: t,
    // Dollars are not recorded: consumers multiply by the price.
    payload: { oiContracts: v, oiUsd: NaN, quote: 'USD', ts: t },
  }));
}

async function readFunding(
  client: Client,
  query: SamplesQuery,
  options: RequestOptions,
): Promise<readonly Dated<SocketItem<'funding'>>[]> {
  const { data } = await client.get('/perps/funding/history', query, options);
  const periodHours = (data.periodHours as Readonly<Record<string, number>>)[VENUE] ?? 1;
  return data.points.flatMap(({ ts, byVenue }) => {
    const rate = (byVenue as Readonly<Record<string, number>>)[VENUE];
    if (rate === undefined) return [];
    return [{ type: 'data', ts, payload: { rate, periodHours, prevRate: rate, delta: 0, ts } } as const];
  });
}
