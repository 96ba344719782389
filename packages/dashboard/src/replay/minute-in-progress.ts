import type { Schemas, TickPage } from '@crosstape/client';

type Candle = Schemas['Candle'];

/** The trades of a market from the start of the minute on, and the gaps of its record there. */
export interface MinuteOfMarket {
  readonly pages: readonly TickPage['ticks'][];
  readonly gaps: TickPage['gaps'];
}

interface MinuteOptions {
  readonly read: (market: string) => Promise<MinuteOfMarket>;
  /** Ids of the markets. */
  readonly members: readonly string[];
  /** Id of the market whose prices are shown. */
  readonly reference: string;
  /** Its last price before the minute, if any. */
  readonly lastPrice: number | undefined;
  readonly minuteTs: number;
  readonly nowMs: number;
}

/** The trades of one market in a minute, summed up. */
interface Flow {
  readonly market: string;
  readonly prices: readonly number[];
  readonly volume: number;
  readonly buyVolume: number;
  readonly trades: number;
  readonly buyTrades: number;
}

/**
 * The candle of several markets in the minute in progress, composed like the service's: volumes are sums, prices those
 * of the reference market. Dollars are counted at its last price, and liquidations when the minute is over. `undefined`
 * if nothing was traded, or before the reference has a price.
 */
export async function minuteInProgress({
  read,
  members,
  reference,
  lastPrice,
  minuteTs,
  nowMs,
}: MinuteOptions): Promise<Candle | undefined> {
  const all = await Promise.all(
    members.map(async (market) => {
      const { pages, gaps } = await read(market);
      const complete = !gaps.some(({ from, to }) => from <= nowMs && to > minuteTs);
      return { ...flowOf(market, pages), complete };
    }),
  );
  const flows = all.filter(({ trades }) => trades > 0);
  const own = flows.find(({ market }) => market === reference)?.prices;
  const prices = own ?? (lastPrice === undefined ? [] : [lastPrice]);
  const [open] = prices;
  const close = prices.at(-1);
  if (flows.length === 0 || open === undefined || close === undefined) return undefined;
  const total = (name: 'volume' | 'buyVolume' | 'trades' | 'buyTrades'): number =>
    tidy(flows.reduce((sum, flow) => sum + flow[name], 0));
  const volume = total('volume');
  return {
    ts: minuteTs,
    open,
    high: prices.reduce((a, b) => Math.max(a, b)),
    low: prices.reduce((a, b) => Math.min(a, b)),
    close,
    volume,
    buyVolume: total('buyVolume'),
    notionalUsd: tidy(volume * close),
    trades: total('trades'),
    buyTrades: total('buyTrades'),
    liqLongUsd: 0,
    liqShortUsd: 0,
    complete: all.every(({ complete }) => complete),
    origin: 'tape',
    byMarket: Object.fromEntries(
      flows.map(({ market, volume: traded, buyVolume }) => [
        market,
        [tidy(buyVolume), tidy(traded - buyVolume)],
      ]),
    ),
  };
}

function flowOf(market: string, pages: MinuteOfMarket['pages']): Flow {
  const prices: number[] = [];
  let [volume, buyVolume, buyTrades] = [0, 0, 0];
  for (const { length, price, size, isBuy, priceDecimals, sizeDecimals } of pages)
    for (let i = 0; i < length; i += 1) {
      const coins = size[i]! / 10 ** sizeDecimals;
      prices.push(price[i]! / 10 ** priceDecimals);
      volume += coins;
      if (isBuy[i] !== 1) continue;
      buyVolume += coins;
      buyTrades += 1;
    }
  return { market, prices, volume, buyVolume, trades: prices.length, buyTrades };
}

/** Without the noise of binary fractions. */
function tidy(value: number): number {
  return Number(value.toPrecision(15));
}
