import { candleIntervalsMs, chartResolutions, intervalStart } from '@crosstape/core';
import type { Client } from '../client.ts';
import { DatafeedHistory, type DatafeedBar, type DatafeedPeriod } from './datafeed-history.ts';
import { isTransient, liveChart } from './datafeed-live.ts';
import {
  type ChartSeries,
  type DatafeedSymbol,
  findSymbols,
  resolveSymbol,
  seriesOf,
} from './datafeed-symbol.ts';

export interface DatafeedMark {
  readonly id: string;
  readonly time: number;
  readonly color: string;
  readonly text: string;
  readonly label: string;
  readonly labelFontColor: string;
  readonly minSize: number;
}

type OnError = (reason: string) => void;

const SEARCH_MAX = 50;
/** Series whose newest bar is remembered. */
const SERIES_MAX = 200;
/** Delay before a failed chart is followed again, doubled each time. */
const FOLLOW_AGAIN_MS = 5_000;
const FOLLOW_AGAIN_MS_MAX = 80_000;

/**
 * A datafeed for TradingView's charting library, over REST and the gateway. Symbols are ids of recorded markets
 * (`hyperliquid:BTC`, `binance:BTCUSDT`, `coinbase-spot:BTC-USD`), of all markets of a coin (`perp:BTC`), and of bars
 * that are not time-based (`hyperliquid:BTC.RANGE50`). Bars continue live, and the chart reloads them when a gap of the
 * tape changed them.
 */
export function createDatafeed(client: Client) {
  const history = new DatafeedHistory(client);
  const subscriptions = new Map<string, AbortController>();
  /** Start of the newest bar passed to each chart: the library refuses older ones. */
  const newest = new Map<string, number>();
  const remember = (key: string, time: number): void => {
    newest.delete(key);
    newest.set(key, time);
    for (const oldest of newest.keys()) {
      if (newest.size <= SERIES_MAX) break;
      newest.delete(oldest);
    }
  };

  return {
    onReady(onReady: (configuration: object) => void): void {
      const configuration = {
        supported_resolutions: chartResolutions.market,
        supports_marks: true,
        supports_time: true,
      };
      queueMicrotask(() => onReady(configuration));
    },

    async searchSymbols(
      input: string,
      exchange: string,
      type: string,
      onResult: (found: readonly object[]) => void,
    ): Promise<void> {
      const all = await findSymbols(client, input).catch(() => []);
      const found = all.filter(
        (one) => (exchange === '' || one.exchange === exchange) && (type === '' || one.type === type),
      );
      onResult(
        found.slice(0, SEARCH_MAX).map((one) => ({ ...one, symbol: one.name, full_name: one.ticker })),
      );
    },

    async resolveSymbol(
      name: string,
      onResolve: (symbol: DatafeedSymbol) => void,
      onError: OnError,
    ): Promise<void> {
      const symbol = await resolveSymbol(client, name).catch(() => undefined);
      if (symbol) onResolve(symbol);
      else onError('unknown_symbol');
    },

    async getBars(
      { ticker }: Pick<DatafeedSymbol, 'ticker'>,
      resolution: string,
      period: DatafeedPeriod,
      onResult: (bars: readonly DatafeedBar[], meta: { noData: boolean; nextTime?: number }) => void,
      onError: OnError,
    ): Promise<void> {
      try {
        const { bars, ...next } = await history.read(seriesOf(ticker, resolution), period);
        const key = `${ticker} ${resolution}`;
        const last = bars.at(-1);
        if (last && last.time >= (newest.get(key) ?? 0)) remember(key, last.time);
        onResult(bars, { noData: bars.length === 0, ...next });
      } catch (error) {
        onError(error instanceof Error ? error.message : String(error));
      }
    },

    subscribeBars(
      { ticker }: Pick<DatafeedSymbol, 'ticker'>,
      resolution: string,
      onTick: (bar: DatafeedBar) => void,
      guid: string,
      onReset: () => void,
    ): void {
      const stop = new AbortController();
      subscriptions.get(guid)?.abort();
      subscriptions.set(guid, stop);
      const key = `${ticker} ${resolution}`;
      const { signal } = stop;
      let failures = 0;
      let isBehind = false;
      const follow = async (): Promise<void> => {
        const series = seriesOf(ticker, resolution);
        let updates = 0;
        for await (const { bars, isReset } of liveChart(client, history, series, { signal })) {
          // Bars missed since a failure are among those that the chart then loads.
          if (isReset || isBehind) onReset();
          isBehind = false;
          updates += 1;
          // The first update shows that the service answers, but not that it can be followed.
          if (updates > 1) failures = 0;
          for (const bar of bars) {
            if (bar.time < (newest.get(key) ?? 0)) continue;
            remember(key, bar.time);
            onTick(bar);
          }
        }
      };
      const followAgain = async (error: unknown): Promise<void> => {
        if (signal.aborted) return;
        if (!isTransient(error)) return onReset();
        const waitMs = Math.min(FOLLOW_AGAIN_MS_MAX, FOLLOW_AGAIN_MS * 2 ** failures);
        failures += 1;
        isBehind = true;
        await client.wait(waitMs, { signal });
        return follow().catch(followAgain);
      };
      follow()
        .catch(followAgain)
        // Unsubscribed while it waited.
        .catch(() => undefined);
    },

    unsubscribeBars(guid: string): void {
      subscriptions.get(guid)?.abort();
      subscriptions.delete(guid);
    },

    /** Gaps of the tape, each at the time of its bar. */
    async getMarks(
      { ticker }: Pick<DatafeedSymbol, 'ticker'>,
      from: number,
      to: number,
      onData: (marks: readonly DatafeedMark[]) => void,
      resolution: string,
    ): Promise<void> {
      const series = seriesOf(ticker, resolution);
      const { market } = series;
      const end = Math.min(to * 1_000, client.now());
      const range = { market, from: from * 1_000, to: end };
      const { data } = await client.get('/coverage', range).catch(() => ({ data: [] }));
      const gaps = data.filter(({ state }) => state === 'missing' || state === 'partial');
      if (gaps.length === 0) return onData([]);
      const timeOf = await barTimes(series, { from, to, countBack: 0 });
      onData(gaps.map((gap) => markOf(gap, Math.floor(timeOf(gap.from) / 1_000))));
    },

    getServerTime(onTime: (seconds: number) => void): void {
      onTime(Math.floor(client.now() / 1_000));
    },
  };

  /** The start of the bar that contains a time. */
  async function barTimes(series: ChartSeries, period: DatafeedPeriod): Promise<(ts: number) => number> {
    if ('interval' in series) {
      const intervalMs = candleIntervalsMs[series.interval];
      return (ts) => intervalStart(ts, intervalMs);
    }
    const { bars } = await history.read(series, period).catch(() => ({ bars: [] }));
    return (ts) => bars.findLast(({ time }) => time <= ts)?.time ?? ts;
  }
}

function markOf(
  { from, to, state }: { readonly from: number; readonly to: number; readonly state: string },
  time: number,
): DatafeedMark {
  const seconds = Math.round((to - from) / 1_000);
  return {
    id: `gap-${from}`,
    time,
    color: 'yellow',
    text: `Trades ${state === 'missing' ? 'are' : 'may be'} missing for ${seconds} s.`,
    label: 'G',
    labelFontColor: 'black',
    minSize: 14,
  };
}
