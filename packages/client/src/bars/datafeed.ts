import { type CandleInterval, candleIntervalsMs, intervalStart } from '@crosstape/core';
import type { Schemas } from '../api-types.ts';
import type { Client } from '../client.ts';
import { liveCandles } from './live-candles.ts';

/** A bar as TradingView's charting library takes it: `time` in milliseconds, volume in coins. */
export interface DatafeedBar {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** As much of the library's `LibrarySymbolInfo` as this datafeed fills in. `ticker` is the id of the market. */
export interface DatafeedSymbol {
  readonly name: string;
  readonly ticker: string;
  readonly description: string;
  readonly type: string;
  readonly session: string;
  readonly timezone: string;
  readonly exchange: string;
  readonly listed_exchange: string;
  readonly minmov: number;
  readonly pricescale: number;
  readonly has_intraday: boolean;
  readonly has_weekly_and_monthly: boolean;
  readonly supported_resolutions: readonly string[];
  readonly volume_precision: number;
  readonly format: string;
  readonly data_status: string;
}

/** In seconds; `to` is not included. */
export interface DatafeedPeriod {
  readonly from: number;
  readonly to: number;
  readonly countBack: number;
}

export interface DatafeedMark {
  readonly id: string;
  readonly time: number;
  readonly color: string;
  readonly text: string;
  readonly label: string;
  readonly labelFontColor: string;
  readonly minSize: number;
}

type Market = Schemas['RecordedMarket'];
type OnError = (reason: string) => void;

const intervals: Readonly<Record<string, CandleInterval>> = {
  '1': '1m',
  '3': '3m',
  '5': '5m',
  '15': '15m',
  '30': '30m',
  '60': '1h',
  '120': '2h',
  '240': '4h',
  '360': '6h',
  '480': '8h',
  '720': '12h',
  '1D': '1d',
  '1W': '1w',
};
const resolutions = Object.keys(intervals);
const BARS_MAX = 10_000;
const SEARCH_MAX = 50;
/** Series whose newest bar is remembered. */
const SERIES_MAX = 200;
const DECIMALS = 2;
const VOLUME_DECIMALS = 5;

/**
 * A datafeed for TradingView's charting library, over REST and the gateway. Symbols are ids of recorded markets:
 * `hyperliquid:BTC`, `binance:BTCUSDT`, `coinbase-spot:BTC-USD`. Bars continue live, and a chart is asked to load its
 * bars again when a gap of the tape changed them.
 */
export function createDatafeed(client: Client) {
  const subscriptions = new Map<string, AbortController>();
  /** Start of the newest bar that a chart was given: the library refuses older ones. */
  const newest = new Map<string, number>();
  const remember = (key: string, time: number): void => {
    newest.delete(key);
    newest.set(key, time);
    for (const oldest of newest.keys()) {
      if (newest.size <= SERIES_MAX) break;
      newest.delete(oldest);
    }
  };
  const markets = async (): Promise<readonly Market[]> => (await client.get('/markets/recorded', {})).data;

  const readBars = async (
    market: string,
    interval: CandleInterval,
    { from, to, countBack }: DatafeedPeriod,
  ): Promise<{ readonly bars: readonly DatafeedBar[]; readonly nextTime?: number }> => {
    const intervalMs = candleIntervalsMs[interval];
    const end = Math.max(1, to * 1_000);
    const limit = Math.min(
      BARS_MAX,
      Math.max(1, countBack, Math.ceil((end - from * 1_000) / intervalMs) + 1),
    );
    const { data } = await client.get('/candles', { market, interval, end, limit });
    const firstWanted = data.length - countBack;
    const rows = data.filter(({ ts }, i) => ts >= from * 1_000 || i >= firstWanted);
    const older = data.at(-1);
    if (rows.length === 0 && older) return { bars: [], nextTime: older.ts / 1_000 };
    return { bars: rows.map(({ ts, ...row }) => barOf(ts, row)) };
  };

  return {
    onReady(onReady: (configuration: object) => void): void {
      queueMicrotask(() =>
        onReady({ supported_resolutions: resolutions, supports_marks: true, supports_time: true }),
      );
    },

    async searchSymbols(
      input: string,
      exchange: string,
      type: string,
      onResult: (found: readonly object[]) => void,
    ): Promise<void> {
      const wanted = input.toLowerCase();
      const all = await markets().catch(() => []);
      const found = all
        .filter(({ market }) => market.toLowerCase().includes(wanted))
        .map((market) => symbolOf(market))
        .filter(
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
      try {
        // The service knows every spelling of a market.
        const { meta } = await client.get('/candles', { market: name, limit: 1 });
        const market = (await markets()).find((one) => one.market === meta.market);
        if (market) onResolve(symbolOf(market));
        else onError('unknown_symbol');
      } catch {
        onError('unknown_symbol');
      }
    },

    async getBars(
      { ticker }: Pick<DatafeedSymbol, 'ticker'>,
      resolution: string,
      period: DatafeedPeriod,
      onResult: (bars: readonly DatafeedBar[], meta: { noData: boolean; nextTime?: number }) => void,
      onError: OnError,
    ): Promise<void> {
      try {
        const { bars, ...next } = await readBars(ticker, intervalOf(resolution), period);
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
      const follow = async (): Promise<void> => {
        const spec = { market: ticker, interval: intervalOf(resolution), limit: 2 };
        for await (const { closed, open, amended } of liveCandles(client, spec, { signal: stop.signal })) {
          if (amended.length > 0) onReset();
          for (const bar of [...closed, ...(open ? [open] : [])]) {
            if (bar.openTs < (newest.get(key) ?? 0)) continue;
            remember(key, bar.openTs);
            onTick(barOf(bar.openTs, bar));
          }
        }
      };
      // A chart that cannot be continued loads its bars again.
      follow().catch(() => {
        if (!stop.signal.aborted) onReset();
      });
    },

    unsubscribeBars(guid: string): void {
      subscriptions.get(guid)?.abort();
      subscriptions.delete(guid);
    },

    /** Gaps of the tape, each at the start of its bar. */
    async getMarks(
      { ticker: market }: Pick<DatafeedSymbol, 'ticker'>,
      from: number,
      to: number,
      onData: (marks: readonly DatafeedMark[]) => void,
      resolution: string,
    ): Promise<void> {
      const intervalMs = candleIntervalsMs[intervalOf(resolution)];
      const end = Math.min(to * 1_000, client.now());
      const range = { market, from: from * 1_000, to: end };
      const { data } = await client.get('/coverage', range).catch(() => ({ data: [] }));
      const gaps = data.filter(({ state }) => state === 'missing' || state === 'partial');
      onData(gaps.map((gap) => markOf(gap, intervalMs)));
    },

    getServerTime(onTime: (seconds: number) => void): void {
      onTime(Math.floor(client.now() / 1_000));
    },
  };
}

function intervalOf(resolution: string): CandleInterval {
  const text = resolution.toUpperCase();
  const interval = intervals[text === 'D' || text === 'W' ? `1${text}` : text];
  if (interval === undefined) throw new RangeError(`resolution ${resolution} is not served`);
  return interval;
}

function barOf(time: number, { open, high, low, close, volume }: Omit<DatafeedBar, 'time'>): DatafeedBar {
  return { time, open, high, low, close, volume };
}

function symbolOf({ market, venue, kind, symbol, coin, quote, tick }: Market): DatafeedSymbol {
  const decimals = tick === null ? DECIMALS : Math.max(0, Math.ceil(-Math.log10(tick)));
  return {
    name: symbol,
    ticker: market,
    description: `${coin}/${quote} ${kind === 'perp' ? 'perpetual' : 'spot'}, ${venue}`,
    type: kind === 'perp' ? 'swap' : 'crypto',
    session: '24x7',
    timezone: 'Etc/UTC',
    exchange: venue,
    listed_exchange: venue,
    minmov: 1,
    pricescale: 10 ** decimals,
    has_intraday: true,
    has_weekly_and_monthly: true,
    supported_resolutions: resolutions,
    volume_precision: VOLUME_DECIMALS,
    format: 'price',
    data_status: 'streaming',
  };
}

function markOf(
  { from, to, state }: { readonly from: number; readonly to: number; readonly state: string },
  intervalMs: number,
): DatafeedMark {
  const seconds = Math.round((to - from) / 1_000);
  return {
    id: `gap-${from}`,
    time: intervalStart(from, intervalMs) / 1_000,
    color: 'yellow',
    text: `Trades ${state === 'missing' ? 'are' : 'may be'} missing for ${seconds} s.`,
    label: 'G',
    labelFontColor: 'black',
    minSize: 14,
  };
}
