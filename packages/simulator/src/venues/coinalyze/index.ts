import type { Market } from '../../market/market.ts';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply } from '../wire.ts';
import { type FollowedMarket, followedMarkets } from './markets.ts';

const INTERVAL_S: Readonly<Record<string, number>> = {
  '1min': 60,
  '5min': 300,
  '15min': 900,
  '30min': 1800,
  '1hour': 3600,
  '2hour': 7200,
  '4hour': 14_400,
  '6hour': 21_600,
  '12hour': 43_200,
  daily: 86_400,
};
const SYMBOLS_MAX = 20;
/** Buckets of one symbol in an answer. */
const BUCKETS_MAX = 2000;
/** Span per read: only spans with a cascade are expensive. */
const SLICE_MS = 60_000;
/** Closed buckets that are remembered; trades are dear to read. */
const REMEMBERED_MAX = 200_000;

/**
 * Coinalyze's list of contracts and its sums of liquidations, made from the same forced orders that the venues send. A
 * key is required, any will do; each symbol of a request is a call [M]. Error texts are guesses [K].
 */
export const coinalyze = simulateVenue({
  shape: { id: 'coinalyze', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: [
    {
      path: '/v1/future-markets',
      costs: (question) => ({ calls: keyOf(question) === '' ? 0 : 1 }),
      answer: (question) => withKey(question, answerMarkets),
    },
    {
      path: '/v1/liquidation-history',
      costs: (question) => ({ calls: keyOf(question) === '' ? 0 : symbolsOf(question).length }),
      answer: (question) => withKey(question, answerHistory),
    },
  ],
  limits: [{ name: 'calls', spanMs: 60_000, max: 40 }],
  overLimit: () => ({ status: 429, type: 'application/json', body: '{"message":"Too Many Requests"}' }),
  notFound: { status: 404, type: 'application/json', body: '{"message":"Not Found"}' },
  sockets: [],
});

const marketsOf = new WeakMap<Market, readonly FollowedMarket[]>();
const closed = new WeakMap<Market, Map<string, Bucket>>();

function followed({ market: { market } }: Question): readonly FollowedMarket[] {
  let markets = marketsOf.get(market);
  if (!markets) marketsOf.set(market, (markets = followedMarkets(market)));
  return markets;
}

function keyOf({ headers, query }: Question): string {
  return String(headers['api_key'] ?? query.get('api_key') ?? '');
}

function symbolsOf({ query }: Question): readonly string[] {
  return (query.get('symbols') ?? '').split(',').filter((symbol) => symbol !== '');
}

function withKey(question: Question, answer: (question: Question) => Reply): Reply {
  if (keyOf(question) === '') return new Reply({ message: 'Invalid/Missing API key' }, 401);
  return answer(question);
}

function answerMarkets(question: Question): Reply {
  return new Reply(
    followed(question).map(({ symbol, exchange, base, quote, isLinear }) => ({
      symbol,
      exchange,
      symbol_on_exchange: `${base}${quote}`,
      base_asset: base,
      quote_asset: quote,
      is_perpetual: true,
      margined: isLinear ? 'STABLE' : 'COIN',
      expire_at: null,
      oi_lq_vol_denominated_in: isLinear ? 'BASE_ASSET' : 'QUOTE_ASSET',
      has_long_short_ratio_data: true,
      has_ohlcv_data: true,
      has_buy_sell_data: true,
    })),
  );
}

function answerHistory(question: Question): Reply {
  const { query, nowMs } = question;
  const symbols = symbolsOf(question);
  const spanS = INTERVAL_S[query.get('interval') ?? ''];
  const [fromS, toS] = [Number(query.get('from') ?? Number.NaN), Number(query.get('to') ?? Number.NaN)];
  if (symbols.length === 0 || symbols.length > SYMBOLS_MAX || spanS === undefined)
    return new Reply({ message: 'Invalid parameter' }, 400);
  if (!Number.isInteger(fromS) || !Number.isInteger(toS))
    return new Reply({ message: 'Invalid parameter' }, 400);
  // Callers that use milliseconds request a far future without data.
  const lastS = Math.min(toS, Math.floor(nowMs / 1000));
  const inUsd = query.get('convert_to_usd') === 'true';
  const rows = symbols.flatMap((symbol) => {
    const market = followed(question).find((one) => one.symbol === symbol);
    return market ? [{ symbol, history: historyOf(market, { fromS, lastS, spanS, nowMs, inUsd }) }] : [];
  });
  return new Reply(rows.filter(({ history }) => history.length > 0));
}

interface Stretch {
  readonly fromS: number;
  readonly lastS: number;
  readonly spanS: number;
  readonly nowMs: number;
  readonly inUsd: boolean;
}

interface Bucket {
  readonly longs: { readonly coins: number; readonly usd: number };
  readonly shorts: { readonly coins: number; readonly usd: number };
}

/** Without the buckets that have no liquidation. */
function historyOf(market: FollowedMarket, { fromS, lastS, spanS, nowMs, inUsd }: Stretch): object[] {
  const rows: object[] = [];
  if (!market.isLinear) return rows;
  const firstS = Math.max(Math.ceil(fromS / spanS) * spanS, lastS - BUCKETS_MAX * spanS);
  for (let t = firstS; t <= lastS; t += spanS) {
    const { longs, shorts } = bucketOf(market, { t, spanS, nowMs });
    if (longs.coins + shorts.coins === 0) continue;
    rows.push({ t, l: inUsd ? longs.usd : longs.coins, s: inUsd ? shorts.usd : shorts.coins });
  }
  return rows;
}

function bucketOf(
  { symbol, venue, coin, place }: FollowedMarket,
  { t, spanS, nowMs }: { readonly t: number; readonly spanS: number; readonly nowMs: number },
): Bucket {
  let known = closed.get(venue.market);
  if (!known) closed.set(venue.market, (known = new Map()));
  const key = `${symbol} ${spanS} ${t}`;
  const before = known.get(key);
  if (before) return before;
  const sums = { sell: { coins: 0, usd: 0 }, buy: { coins: 0, usd: 0 } };
  const endMs = (t + spanS) * 1000;
  for (let fromMs = t * 1000; fromMs < Math.min(endMs, nowMs); fromMs += SLICE_MS) {
    const toMs = Math.min(fromMs + SLICE_MS, nowMs);
    for (const { id, side, price, size } of venue.liquidations(coin, fromMs, toMs)) {
      if (id % place.of !== place.index) continue;
      sums[side].coins += size;
      sums[side].usd += price * size;
    }
  }
  const bucket = { longs: sums.sell, shorts: sums.buy };
  if (endMs > nowMs) return bucket;
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(key, bucket);
  return bucket;
}
