import { isBareAgent } from '../bare-agent.ts';
import { cacheHeaders } from '../http-cache.ts';
import { simulateVenue } from '../run-wire.ts';
import { wholeOf } from '../whole-number.ts';
import { type Question, Reply } from '../wire.ts';
import { companiesOf, HELD_COINS } from './companies.ts';

/** Answers are refreshed every five minutes [D]. */
const CACHE_MS = 300_000;
const PER_PAGE_MAX = 250;

const TOO_MANY =
  '{"status":{"error_code":429,"error_message":"You\'ve exceeded the Rate Limit. Please visit https://www.coingecko.com/en/api/pricing to subscribe to our API plans for higher rate limits."}}';

/** CoinGecko's call for companies' holdings. The answer to a page number out of range is a guess [K]. */
export const coingecko = simulateVenue({
  shape: { id: 'coingecko', share: 0, basisBps: 0, latencyMs: 0, listed: 0 },
  routes: [{ path: '/api/v3/companies/public_treasury/:coin', answer: answerTreasury }],
  limits: [{ name: 'requests', spanMs: 60_000, max: 10 }],
  overLimit: () => ({ status: 429, type: 'application/json', body: TOO_MANY }),
  notFound: { status: 404, type: 'application/json', body: '{"error":"Incorrect path."}' },
  sockets: [],
});

/** Since January 2026 programs that do not identify themselves are refused [M]; the body is a guess [K]. */
const BARE_AGENT = new Reply(
  { status: { error_code: 403, error_message: 'Please add a descriptive User-Agent to your requests.' } },
  403,
);

function answerTreasury({ market, params, query, nowMs, headers }: Question): Reply {
  if (isBareAgent(headers['user-agent'])) return BARE_AGENT;
  const held = Object.hasOwn(HELD_COINS, params.coin ?? '') ? HELD_COINS[params.coin ?? ''] : undefined;
  if (!held) return new Reply({ error: 'coin not found' }, 404);
  const perPage = wholeOf(query, 'per_page') ?? PER_PAGE_MAX;
  const page = wholeOf(query, 'page') ?? 1;
  if (!(perPage >= 1 && perPage <= PER_PAGE_MAX && page >= 1))
    return new Reply({ error: 'invalid parameter' }, 400);
  const atMs = Math.floor(nowMs / CACHE_MS) * CACHE_MS;
  const price = market.market.quote(held.coin, atMs).index;
  const { price: usual = price } = market.market.coins.find(({ name }) => name === held.coin) ?? {};
  const all = companiesOf(market.market.seed, held, atMs);
  const holdings = all.reduce((sum, one) => sum + one.holdings, 0);
  const body = {
    total_holdings: cents(holdings),
    total_value_usd: cents(holdings * price),
    market_cap_dominance: cents((100 * holdings) / held.supply),
    companies: all.slice((page - 1) * perPage, page * perPage).map((one) => ({
      name: one.name,
      symbol: one.symbol,
      country: one.country,
      total_holdings: one.holdings,
      total_entry_value_usd: cents((one.entryFactor ?? 0) * usual * one.holdings),
      total_current_value_usd: cents(one.holdings * price),
      percentage_of_total_supply: Math.round((100_000 * one.holdings) / held.supply) / 1000,
    })),
  };
  return new Reply(body, 200, cacheHeaders(nowMs, atMs, CACHE_MS / 1_000));
}

function cents(value: number): number {
  return Math.round(value * 100) / 100;
}
