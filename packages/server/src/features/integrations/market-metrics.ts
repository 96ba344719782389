import { Counter, Gauge, Registry } from 'prom-client';
import type { Bus } from '../../platform/bus.ts';
import { Failure, failureCodes } from '../../platform/errors.ts';
import type { Page } from '../../http/route.ts';
import { liquidationTopic, printTopic } from '../../topics.ts';
import type { Rest, RestOptions } from '../mcp/rest.ts';
import { integrationPage } from './integration-page.ts';

/** Coins in one answer. */
const COINS_MAX = 50;
const COINS_DEFAULT = ['BTC', 'ETH', 'SOL'];
/** Series of each counter; further markets are not counted. */
const SERIES_MAX = 20_000;
const HOURS_8 = 8;

/**
 * Figures of the market for Prometheus at `/metrics/market`, so that its alerts can watch them. Counters begin with the
 * process.
 */
export function marketMetricsPage(options: RestOptions): Page {
  const { bus, venues } = options.resources;
  const counts = countMarket(bus);
  const perpetual = venues.filter(({ supplies }) => supplies.has('oi')).map(({ id }) => id);
  return integrationPage(options, {
    path: '/metrics/market',
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    failed: ({ code, message }) => ({ status: failureCodes[code].status, body: { error: message } }),
    async handle({ params, rest }) {
      const coins = readCoins(params.get('coins'));
      const registry = new Registry();
      await addPerpetuals(registry, rest, coins, perpetual.join(','));
      addCounters(registry, counts, new Set(coins));
      return registry.metrics();
    },
  });
}

function readCoins(text: string | null): readonly string[] {
  const coins = text === null || text === '' ? COINS_DEFAULT : text.split(',');
  if (coins.length <= COINS_MAX && coins.every((coin) => /^[\w.-]{1,32}$/.test(coin))) return coins;
  throw new Failure('bad_request', `coins must be a comma-separated list of 1 to ${COINS_MAX} tickers`);
}

async function addPerpetuals(
  registry: Registry,
  rest: Rest,
  coins: readonly string[],
  venues: string,
): Promise<void> {
  const registers = [registry];
  const labelNames = ['venue', 'coin'];
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, labelNames, registers });
  const query = { coins: coins.join(','), ...(venues !== '' && { venues }) };
  const read = async <Row>(path: string, own: typeof query | { coins: string }): Promise<readonly Row[]> => {
    try {
      return (await rest.get<readonly Row[]>(path, own)).data;
    } catch (error) {
      // Only the figures of a failing source are missing.
      if (error instanceof Failure && error.code !== 'bad_request') return [];
      throw error;
    }
  };
  type Named = { readonly venue: string; readonly coin: string };
  const interest = gauge('crosstape_open_interest_usd', 'Open interest in USD, one-sided.');
  for (const { venue, coin, oiUsd } of await read<Named & { oiUsd: number }>('/perps/oi', query))
    interest.set({ venue, coin }, oiUsd);
  const funding = gauge('crosstape_funding_rate_8h', 'Funding rate per 8 hours, as a fraction.');
  for (const { venue, coin, rate, periodHours } of await read<Named & { rate: number; periodHours: number }>(
    '/perps/funding',
    query,
  ))
    funding.set({ venue, coin }, (rate * HOURS_8) / periodHours);
  const mark = gauge('crosstape_mark_price_usd', 'Mark price in USD.');
  for (const { venue, coin, mark: price } of await read<Named & { mark: number }>('/perps/tickers', {
    coins: query.coins,
  }))
    mark.set({ venue, coin }, price);
}

interface Counted {
  readonly venue: string;
  readonly coin: string;
  readonly side: string;
  usd: number;
}

interface MarketCounts {
  readonly volumes: ReadonlyMap<string, Counted>;
  readonly liquidations: ReadonlyMap<string, Counted>;
}

/** Sums published data from now on. */
function countMarket(bus: Bus): MarketCounts {
  const volumes = new Map<string, Counted>();
  const liquidations = new Map<string, Counted>();
  const add = (sums: Map<string, Counted>, one: Omit<Counted, 'usd'>, usd: number): void => {
    const key = `${one.venue} ${one.coin} ${one.side}`;
    const sum = sums.get(key);
    if (sum) sum.usd += usd;
    else if (sums.size < SERIES_MAX) sums.set(key, { ...one, usd });
  };
  bus.subscribe(printTopic, ({ venue, coin, side, notionalUsd }) =>
    add(volumes, { venue, coin, side }, notionalUsd),
  );
  bus.subscribe(liquidationTopic, ({ venue, coin, side, notionalUsd, isUnconverted }) => {
    // The forced order of a long is a sale.
    if (!isUnconverted)
      add(liquidations, { venue, coin, side: side === 'sell' ? 'long' : 'short' }, notionalUsd);
  });
  return { volumes, liquidations };
}

function addCounters(registry: Registry, counts: MarketCounts, coins: ReadonlySet<string>): void {
  const labelNames = ['venue', 'coin', 'side'];
  const registers = [registry];
  const fill = (sums: ReadonlyMap<string, Counted>, name: string, help: string): void => {
    const counter = new Counter({ name, help, labelNames, registers });
    for (const { usd, ...labels } of sums.values())
      if (coins.has(labels.coin)) counter.inc({ ...labels }, usd);
  };
  fill(
    counts.volumes,
    'crosstape_trade_volume_usd_total',
    'Notional of the taker orders of the primary venue since the start, by side of the taker.',
  );
  fill(
    counts.liquidations,
    'crosstape_liquidations_usd_total',
    'Notional of the liquidations since the start, by liquidated position.',
  );
}
