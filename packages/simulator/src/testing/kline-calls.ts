/** A kline as a client reads it. */
export interface ReadKline {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

export interface KlineCall {
  readonly path: (fromMs: number, toMs: number) => string;
  /** Oldest first. */
  readonly read: (body: never) => readonly ReadKline[];
}

type Texts = readonly string[];

const columns =
  (order: readonly (keyof ReadKline)[]) =>
  (row: readonly (string | number)[]): ReadKline => {
    const value = (name: keyof ReadKline): number => Number(row[order.indexOf(name)]);
    return {
      openMs: value('openMs'),
      open: value('open'),
      high: value('high'),
      low: value('low'),
      close: value('close'),
      volume: value('volume'),
    };
  };

const usual = columns(['openMs', 'open', 'high', 'low', 'close', 'volume']);

/** Minutes of the market that the feed of a venue is tested with, by the venue's id and symbol. */
export const KLINE_CALLS: Readonly<Record<string, KlineCall>> = {
  binance: {
    path: (from, to) => `/fapi/v1/klines?symbol=BTCUSDT&interval=1m&startTime=${from}&endTime=${to - 1}`,
    read: (body: readonly Texts[]) => body.map(usual),
  },
  'binance-spot': {
    path: (from, to) => `/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=${from}&endTime=${to - 1}`,
    read: (body: readonly Texts[]) => body.map(usual),
  },
  bybit: {
    path: (from, to) =>
      `/v5/market/kline?category=linear&symbol=BTCUSDT&interval=1&start=${from}&end=${to - 1}`,
    read: (body: { readonly result: { readonly list: readonly Texts[] } }) =>
      body.result.list.map(usual).toReversed(),
  },
  'bybit-spot': {
    path: (from, to) =>
      `/v5/market/kline?category=spot&symbol=BTCUSDT&interval=1&start=${from}&end=${to - 1}`,
    read: (body: { readonly result: { readonly list: readonly Texts[] } }) =>
      body.result.list.map(usual).toReversed(),
  },
  okx: {
    path: (from, to) =>
      `/api/v5/market/candles?instId=BTC-USDT-SWAP&bar=1m&before=${from - 60_000}&after=${to}`,
    read: (body: { readonly data: readonly Texts[] }) => body.data.map(usual).toReversed(),
  },
  'okx-spot': {
    path: (from, to) => `/api/v5/market/candles?instId=BTC-USDT&bar=1m&before=${from - 60_000}&after=${to}`,
    read: (body: { readonly data: readonly Texts[] }) => body.data.map(usual).toReversed(),
  },
  bitget: {
    path: (from, to) =>
      `/api/v2/mix/market/candles?productType=USDT-FUTURES&symbol=BTCUSDT&granularity=1m&startTime=${from}&endTime=${to - 1}`,
    read: (body: { readonly data: readonly Texts[] }) => body.data.map(usual),
  },
  gate: {
    path: (from, to) =>
      `/api/v4/futures/usdt/candlesticks?contract=SOL_USDT&interval=1m&from=${from / 1000}&to=${to / 1000 - 1}`,
    read: (body: readonly Readonly<Record<'t' | 'o' | 'h' | 'l' | 'c' | 'v', string>>[]) =>
      body.map(({ t, o, h, l, c, v }) => usual([Number(t) * 1000, o, h, l, c, v])),
  },
  mexc: {
    path: (from, to) =>
      `/api/v1/contract/kline/BTC_USDT?interval=Min1&start=${from / 1000}&end=${to / 1000 - 1}`,
    read: ({ data }: { readonly data: Readonly<Record<string, readonly number[]>> }) =>
      (data['time'] ?? []).map((time, i) =>
        usual([
          time * 1000,
          ...['open', 'high', 'low', 'close', 'vol'].map((name) => data[name]?.[i] ?? Number.NaN),
        ]),
      ),
  },
  dydx: {
    path: (from, to) =>
      `/v4/candles/perpetualMarkets/BTC-USD?resolution=1MIN&fromISO=${new Date(from).toISOString()}&toISO=${new Date(to).toISOString()}`,
    read: (body: { readonly candles: readonly Readonly<Record<string, string>>[] }) =>
      body.candles
        .map(({ startedAt = '', open = '', high = '', low = '', close = '', baseTokenVolume = '' }) =>
          usual([Date.parse(startedAt), open, high, low, close, baseTokenVolume]),
        )
        .toReversed(),
  },
  kraken: {
    path: (from, to) => `/api/charts/v1/trade/PF_XBTUSD/1m?from=${from / 1000}&to=${to / 1000 - 1}`,
    read: (body: { readonly candles: readonly Readonly<Record<string, string>>[] }) =>
      body.candles.map(({ time = '', open = '', high = '', low = '', close = '', volume = '' }) =>
        usual([time, open, high, low, close, volume]),
      ),
  },
  coinbase: {
    path: (from, to) => `/products/BTC-USD/candles?granularity=60&start=${from / 1000}&end=${to / 1000 - 1}`,
    read: (body: readonly (readonly number[])[]) =>
      body
        .map(columns(['openMs', 'low', 'high', 'open', 'close', 'volume']))
        .map((kline) => ({
          ...kline,
          openMs: kline.openMs * 1000,
        }))
        .toReversed(),
  },
};
