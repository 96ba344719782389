import type { Client } from '@crosstape/client';
import { candleBar, candleIntervalsMs, type CandleSpec, type LiveBars } from '@crosstape/client/bars';

type Bar = LiveBars['closed'][number];
type Asked = Pick<Client, 'get' | 'now' | 'wait'>;

/** Between two requests: the candle in progress is this old, at most. */
const EVERY_MS = 5_000;

/**
 * Candles of several markets together, without end: no channel carries their trades, so the newest ones are requested
 * again and again. The last closed candle is read again with each request, as late trades may still change it.
 */
export async function* polledCandles(
  client: Asked,
  { market, interval, limit }: CandleSpec,
  options: { readonly signal: AbortSignal },
): AsyncGenerator<LiveBars, void, undefined> {
  const intervalMs = candleIntervalsMs[interval];
  let last: Bar | undefined;
  let count = 0;
  for (;;) {
    const from = last ? { start: last.openTs } : { limit };
    const { data } = await client.get('/candles', { market, interval, ...from }, options);
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
    await client.wait(EVERY_MS, options);
  }
}
