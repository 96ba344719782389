import { expect, it } from 'vitest';
import { type SampleKind, venues } from './index.ts';

const HOUR_MS = 3_600_000;
const TO_MS = 1_703_088_000_000;
const FROM_MS = TO_MS - 24 * HOUR_MS;

function bybit(list: readonly unknown[]): unknown {
  return { retCode: 0, retMsg: 'OK', result: { category: 'linear', list }, retExtInfo: {}, time: TO_MS };
}

function okx(data: readonly unknown[]): unknown {
  return { code: '0', msg: '', data };
}

/** Shapes of the documents, with times of the span. */
const ANSWERS: readonly {
  readonly venue: string;
  readonly kind: SampleKind;
  readonly symbol: string;
  readonly path: string;
  readonly body: unknown;
  readonly samples: readonly (readonly [hour: number, value: number])[];
}[] = [
  {
    venue: 'hyperliquid',
    kind: 'funding',
    symbol: 'BTC',
    path: '/info',
    body: [
      { coin: 'BTC', fundingRate: '0.0000125', premium: '0.00029005', time: FROM_MS },
      { coin: 'BTC', fundingRate: '-0.00002', premium: '0.00029005', time: FROM_MS + HOUR_MS + 17 },
    ],
    samples: [
      [0, 0.0000125],
      [1, -0.00002],
    ],
  },
  {
    venue: 'binance',
    kind: 'funding',
    symbol: 'BTCUSDT',
    path: `/fapi/v1/fundingRate?symbol=BTCUSDT&startTime=${FROM_MS}&endTime=${TO_MS - 1}&limit=1000`,
    body: [
      {
        symbol: 'BTCUSDT',
        fundingRate: '-0.03750000',
        fundingTime: FROM_MS + 5,
        markPrice: '34287.54619963',
      },
    ],
    samples: [[0, -0.0375]],
  },
  {
    venue: 'binance',
    kind: 'openInterest',
    symbol: 'BTCUSDT',
    path: `/futures/data/openInterestHist?symbol=BTCUSDT&period=1h&startTime=${FROM_MS}&endTime=${TO_MS - 1}&limit=500`,
    body: [
      {
        symbol: 'BTCUSDT',
        sumOpenInterest: '20403.12345678',
        sumOpenInterestValue: '176196512.12345678',
        CMCCirculatingSupply: '165880.538',
        timestamp: FROM_MS,
      },
    ],
    samples: [[0, 20_403.12345678]],
  },
  {
    venue: 'bybit',
    kind: 'funding',
    symbol: 'ETHPERP',
    path: `/v5/market/funding/history?category=linear&symbol=ETHPERP&startTime=${FROM_MS}&endTime=${TO_MS - 1}&limit=200`,
    body: bybit([
      { symbol: 'ETHPERP', fundingRate: '0.0001', fundingRateTimestamp: String(FROM_MS + 8 * HOUR_MS) },
      { symbol: 'ETHPERP', fundingRate: '0.0002', fundingRateTimestamp: String(FROM_MS) },
    ]),
    samples: [
      [0, 0.0002],
      [8, 0.0001],
    ],
  },
  {
    venue: 'bybit',
    kind: 'openInterest',
    symbol: 'BTCUSDT',
    path: `/v5/market/open-interest?category=linear&symbol=BTCUSDT&intervalTime=1h&startTime=${FROM_MS}&endTime=${TO_MS - 1}&limit=200`,
    body: bybit([
      { openInterest: '63910691.0', singleOpenInterest: '31955346', timestamp: String(FROM_MS + HOUR_MS) },
      // Without the one-sided figure: half of the other.
      { openInterest: '63910692.0', timestamp: String(FROM_MS) },
    ]),
    samples: [
      [0, 31_955_346],
      [1, 31_955_346],
    ],
  },
  {
    venue: 'okx',
    kind: 'funding',
    symbol: 'BTC-USDT-SWAP',
    path: `/api/v5/public/funding-rate-history?instId=BTC-USDT-SWAP&before=${FROM_MS - 1}&after=${TO_MS}&limit=400`,
    body: okx([
      {
        fundingRate: '0.0000746604960499',
        fundingTime: String(FROM_MS),
        instId: 'BTC-USDT-SWAP',
        instType: 'SWAP',
        method: 'next_period',
        realizedRate: '0.0000746572360545',
      },
    ]),
    samples: [[0, 0.0000746572360545]],
  },
  {
    venue: 'okx',
    kind: 'openInterest',
    symbol: 'BTC-USDT-SWAP',
    path: `/api/v5/rubik/stat/contracts/open-interest-history?instId=BTC-USDT-SWAP&period=1H&begin=${FROM_MS}&end=${TO_MS - 1}&limit=100`,
    body: okx([[String(FROM_MS), '731377.57500501', '111', '8888888']]),
    samples: [[0, 731_377.57500501]],
  },
  {
    venue: 'bitget',
    kind: 'funding',
    symbol: 'BTCPERP',
    path: '/api/v2/mix/market/history-fund-rate?productType=USDC-FUTURES&symbol=BTCPERP&pageSize=100&pageNo=1',
    body: {
      code: '00000',
      msg: 'success',
      requestTime: TO_MS,
      data: [{ symbol: 'BTCPERP', fundingRate: '-0.000024', fundingTime: String(FROM_MS) }],
    },
    samples: [[0, -0.000024]],
  },
  {
    venue: 'gate',
    kind: 'funding',
    symbol: 'BTC_USDT',
    path: `/api/v4/futures/usdt/funding_rate?contract=BTC_USDT&from=${FROM_MS / 1000}&to=${TO_MS / 1000 - 1}&limit=1000`,
    body: [
      { t: FROM_MS / 1000 + 8 * 3600, r: '0.000157' },
      { t: FROM_MS / 1000, r: '-0.0001' },
    ],
    samples: [
      [0, -0.0001],
      [8, 0.000157],
    ],
  },
  {
    venue: 'mexc',
    kind: 'funding',
    symbol: 'BTC_USDT',
    path: '/api/v1/contract/funding_rate/history?symbol=BTC_USDT&page_num=1&page_size=100',
    body: {
      success: true,
      code: 0,
      data: {
        pageSize: 100,
        totalCount: 1,
        totalPage: 1,
        currentPage: 1,
        resultList: [{ symbol: 'BTC_USDT', fundingRate: 0.000266, settleTime: FROM_MS }],
      },
    },
    samples: [[0, 0.000266]],
  },
  {
    venue: 'dydx',
    kind: 'funding',
    symbol: 'BTC-USD',
    path: `/v4/historicalFunding/BTC-USD?effectiveBeforeOrAt=${new Date(TO_MS - 1).toISOString()}&limit=100`,
    body: {
      historicalFunding: [
        {
          ticker: 'BTC-USD',
          rate: '0.000002375',
          price: '89993.8',
          effectiveAt: new Date(FROM_MS + HOUR_MS + 219).toISOString(),
          effectiveAtHeight: '66623467',
        },
      ],
    },
    samples: [[1, 0.000002375]],
  },
  {
    // A rate is settled an hour after the time it is dated with.
    venue: 'kraken',
    kind: 'funding',
    symbol: 'PF_XBTUSD',
    path: '/derivatives/api/v3/historical-funding-rates?symbol=PF_XBTUSD',
    body: {
      result: 'success',
      rates: [
        {
          timestamp: new Date(FROM_MS).toISOString(),
          fundingRate: 1.0327058177,
          relativeFundingRate: 0.000018245,
        },
      ],
      serverTime: new Date(TO_MS).toISOString(),
    },
    samples: [[1, 0.000018245]],
  },
];

it('has an answer for each history that a venue publishes', () => {
  const published = venues.flatMap(({ id, connector }) =>
    (connector?.histories ?? []).map(({ kind }) => `${id} ${kind}`),
  );
  expect(ANSWERS.map(({ venue, kind }) => `${venue} ${kind}`).toSorted()).toEqual(published.toSorted());
});

it.each(ANSWERS)('reads past $kind of $venue', ({ venue, kind, symbol, path, body, samples }) => {
  const connector = venues.find(({ id }) => id === venue)?.connector;
  const source = connector?.histories?.find((one) => one.kind === kind);
  const span = { market: { symbol }, fromMs: FROM_MS, toMs: TO_MS };
  expect(source?.request(span).path).toBe(path);
  const page = source?.parse(body, span);
  expect(page).toMatchObject({ fromMs: FROM_MS });
  expect(page?.samples.map(({ ts, value }) => [Math.floor((ts - FROM_MS) / HOUR_MS), value])).toEqual(
    samples,
  );
  // Rows outside the span, and such that make no sense, are left out.
  const later = { market: { symbol }, fromMs: TO_MS - HOUR_MS, toMs: TO_MS };
  expect(source?.parse(body, later).samples).toEqual([]);
  expect(() => source?.parse({ code: 1 }, span)).toThrow();
});

it('knows from a full answer that there is more before it', () => {
  const funding = venues
    .find(({ id }) => id === 'bybit')
    ?.connector?.histories?.find(({ kind }) => kind === 'funding');
  const rows = Array.from({ length: 200 }, (_, i) => ({
    symbol: 'BTCUSDT',
    fundingRate: '0.0001',
    fundingRateTimestamp: String(TO_MS - (i + 1) * HOUR_MS),
  }));
  const span = { market: { symbol: 'BTCUSDT' }, fromMs: TO_MS - 1600 * HOUR_MS, toMs: TO_MS };
  expect(funding?.parse(bybit(rows), span).fromMs).toBe(TO_MS - 200 * HOUR_MS);
  expect(funding?.parse(bybit(rows.slice(1)), span).fromMs).toBe(span.fromMs);
});
