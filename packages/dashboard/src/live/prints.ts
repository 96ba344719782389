import type { Client, Cursor, FollowOptions, TickPage } from '@crosstape/client';

/** Trades of one market, as columns. */
export interface Prints {
  readonly ts: Float64Array;
  readonly price: Float64Array;
  /** In coins: bought is positive, sold negative. */
  readonly size: Float64Array;
}

/** Which trades: from a time until another, or without end. */
export interface PrintsSpec {
  readonly coin: string;
  /** A recorded market of the coin, where it is not the primary venue's. */
  readonly market?: string;
  readonly start: number;
  readonly end?: number;
}

interface PrintsNews {
  readonly items: readonly Prints[];
  /** Earlier batches are dropped. */
  readonly isWhole: boolean;
}

/** After this many batches everything is sent as one: a later follower begins with little. */
export const BATCHES_MAX = 1_000;

/** The recorded trades of a time, and after them, where it has no end, those that follow. */
export async function* followPrints(
  client: Client,
  { coin, market, start, end }: PrintsSpec,
  options: FollowOptions,
): AsyncGenerator<PrintsNews, void, undefined> {
  let all: Prints[] = [];
  for await (const { ticks } of client.ticks(coin, { start, end: end ?? client.now() + 1, market }, options))
    if (ticks.length > 0) all.push(printsOf(ticks));
  all = [joinPrints(all)];
  yield { items: [...all], isWhole: true };
  if (end !== undefined) return;
  const since = cursorAfter(all[0]!.ts, start);
  const params = market === undefined ? { since } : { since, market };
  for await (const items of client.followBatches('trades', coin, params, options)) {
    const trades = items.flatMap((item) => (item.type === 'data' ? [item.payload] : []));
    if (trades.length === 0) continue;
    const batch: Prints = {
      ts: Float64Array.from(trades, ({ ts }) => ts),
      price: Float64Array.from(trades, ({ price }) => price),
      size: Float64Array.from(trades, ({ size, side }) => (side === 'buy' ? size : 0 - size)),
    };
    all.push(batch);
    const isWhole = all.length > BATCHES_MAX;
    if (isWhole) all = [joinPrints(all)];
    yield { items: isWhole ? [...all] : [batch], isWhole };
  }
}

/** The last known trade: the number of trades in its millisecond. */
function cursorAfter(ts: Float64Array, startMs: number): Cursor {
  const last = ts.at(-1);
  if (last === undefined) return { ts: startMs, count: 0 };
  return { ts: last, count: ts.length - ts.indexOf(last) };
}

function printsOf({
  length,
  ts,
  price,
  size,
  isBuy,
  priceDecimals,
  sizeDecimals,
}: TickPage['ticks']): Prints {
  const [perPrice, perSize] = [10 ** priceDecimals, 10 ** sizeDecimals];
  return {
    ts: ts.slice(0, length),
    price: price.slice(0, length).map((value) => value / perPrice),
    size: size.slice(0, length).map((value, i) => (isBuy[i] === 1 ? value : 0 - value) / perSize),
  };
}

function joinPrints(parts: readonly Prints[]): Prints {
  const join = (name: keyof Prints): Float64Array => {
    const joined = new Float64Array(parts.reduce((sum, { ts }) => sum + ts.length, 0));
    let at = 0;
    for (const part of parts) {
      joined.set(part[name], at);
      at += part.ts.length;
    }
    return joined;
  };
  return { ts: join('ts'), price: join('price'), size: join('size') };
}
