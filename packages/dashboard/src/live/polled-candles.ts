import type { AnswerOf, Client, FeedStatus } from '@crosstape/client';
import { candleBar, candleIntervalsMs, type CandleSpec, type LiveBars } from '@crosstape/client/bars';

type Bar = LiveBars['closed'][number];
type Asked = Pick<Client, 'get' | 'now' | 'wait'>;

interface Options {
  readonly signal: AbortSignal;
  /** Called with each answer: whether the feeds of all its markets deliver. */
  readonly onStatus?: (status: FeedStatus) => void;
}

/** Between two requests for candles of a minute: the one in progress is this old, at most. */
const EVERY_MS = 5_000;
/** For longer candles, which look the same after a few more seconds. */
const LONGER_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;

/** How many charts each client requests. */
const charts = new WeakMap<Asked, number>();

/** All charts of a client together make no more requests than one of minutes would: a browser has 45 a minute. */
function everyMs(client: Asked, intervalMs: number): number {
  return Math.max(intervalMs > MINUTE_MS ? LONGER_EVERY_MS : EVERY_MS, EVERY_MS * (charts.get(client) ?? 1));
}

/**
 * Candles of several markets together, without end: no channel carries their trades, so the newest ones are requested
 * again and again. The last closed candle is read again with each request, as late trades may still change it.
 */
export async function* polledCandles(
  client: Asked,
  spec: CandleSpec,
  options: Options,
): AsyncGenerator<LiveBars, void, undefined> {
  charts.set(client, (charts.get(client) ?? 0) + 1);
  try {
    yield* poll(client, spec, options);
  } finally {
    charts.set(client, (charts.get(client) ?? 1) - 1);
  }
}

async function* poll(
  client: Asked,
  { market, interval, limit }: CandleSpec,
  { signal, onStatus }: Options,
): AsyncGenerator<LiveBars, void, undefined> {
  const intervalMs = candleIntervalsMs[interval];
  let last: Bar | undefined;
  let count = 0;
  for (;;) {
    const from = last ? { start: last.openTs } : { limit };
    const { data, meta } = await client.get('/candles', { market, interval, ...from }, { signal });
    onStatus?.(statusOf(meta, client.now()));
    const first: number = last ? count - 1 : 0;
    const bars = data.map((row, i) => candleBar(row, intervalMs, first + i));
    const isOpen = (bars.at(-1)?.closeTs ?? -Infinity) >= client.now();
    const open = (isOpen && bars.pop()) || null;
    const again = last && bars[0]?.openTs === last.openTs ? bars.shift() : undefined;
    const isAmended = again !== undefined && JSON.stringify(again) !== JSON.stringify(last);
    last = bars.at(-1) ?? again ?? last;
    count += bars.length;
    yield {
      closed: bars,
      open: open && { ...open, index: count },
      amended: isAmended && again ? [again] : [],
    };
    await client.wait(everyMs(client, intervalMs), { signal });
  }
}

type Meta = Pick<AnswerOf<'/candles'>['meta'], 'stale' | 'ageMs' | 'partial' | 'sources'>;

function statusOf({ stale, ageMs = 0, partial, sources = [] }: Meta, nowMs: number): FeedStatus {
  if (!stale) return { state: 'live', sinceTs: nowMs, reason: '' };
  const reason = sources.map(({ source, error }) => `${source.replace(':', ' ')}: ${error}`).join(' ');
  return { state: 'stale', sinceTs: nowMs - ageMs, reason, ...(partial && { partial }) };
}
