import { ManualClock } from '@crosstape/core';
import { type Market, type Simulator, startSimulator, TradeColumns } from '@crosstape/simulator';
import { HttpTransport, InfoClient, SubscriptionClient, WebSocketTransport } from '@nktkas/hyperliquid';
import { pro } from 'ccxt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ourContexts, watchOurTrades } from './our-connector.ts';

/** Clients written by others, pointed at the simulator: what they understand must be what the market says. */

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const HOUR_MS = 3_600_000;
const WATCHED = ['BTC', 'ETH', 'kPEPE'] as const;

interface ContextRow {
  readonly coin: string;
  readonly mark: number;
  readonly index: number;
  readonly funding: number;
  readonly openInterest: number;
}

interface TradeRow {
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly size: number;
  readonly ts: number;
  readonly tid: number;
}

interface BookRow {
  readonly bids: readonly (readonly [price: number, size: number])[];
  readonly asks: readonly (readonly [price: number, size: number])[];
}

interface BarRow {
  readonly ts: number;
  readonly prices: readonly number[];
  readonly volume: number;
}

/** Rows by venue time and id; duplicates are removed. */
type Tape = Map<string, TradeRow>;

interface Witness {
  readonly name: string;
  /** Of every contract that trades, in the venue's order. */
  contexts(): Promise<readonly ContextRow[]>;
  paid(coin: string, sinceMs: number): Promise<readonly { readonly ts: number; readonly rate: number }[]>;
  /** Of five minutes; prices are open, high, low, close. */
  bars(coin: string, sinceMs: number, untilMs: number): Promise<readonly BarRow[]>;
  book(coin: string): Promise<BookRow>;
  /** Resolves once subscribed; trades are added as they come. */
  watchTrades(coin: string, tape: Tape): Promise<void>;
  /** The next book that is pushed. */
  watchBook(coin: string): Promise<BookRow>;
  close(): Promise<void>;
}

function note(tape: Tape, row: TradeRow): void {
  tape.set(`${row.coin} ${row.ts} ${row.tid}`, row);
}

function bookRow(levels: readonly (readonly { readonly px: string; readonly sz: string }[])[]): BookRow {
  const [bids = [], asks = []] = levels.map((one) =>
    one.map(({ px, sz }) => [Number(px), Number(sz)] as const),
  );
  return { bids, asks };
}

async function openNktkas(url: string): Promise<Witness> {
  const info = new InfoClient({ transport: new HttpTransport({ apiUrl: `${url}/hyperliquid/` }) });
  // Node 20 has no WebSocket of its own.
  vi.stubGlobal('WebSocket', WebSocket);
  const socket = new WebSocketTransport({ url: `${url.replace('http', 'ws')}/hyperliquid/ws` });
  const subscriptions = new SubscriptionClient({ transport: socket });
  return {
    name: '@nktkas/hyperliquid',
    async contexts() {
      const [meta, contexts] = await info.metaAndAssetCtxs();
      return meta.universe.flatMap(({ name, isDelisted }, i) => {
        const context = contexts[i];
        if (!context || isDelisted === true) return [];
        return [
          {
            coin: name,
            mark: Number(context.markPx),
            index: Number(context.oraclePx),
            funding: Number(context.funding),
            openInterest: Number(context.openInterest),
          },
        ];
      });
    },
    async paid(coin, sinceMs) {
      const rows = await info.fundingHistory({ coin, startTime: sinceMs });
      return rows.map(({ time, fundingRate }) => ({ ts: time, rate: Number(fundingRate) }));
    },
    async bars(coin, sinceMs, untilMs) {
      const rows = await info.candleSnapshot({ coin, interval: '5m', startTime: sinceMs, endTime: untilMs });
      return rows.map(({ t, o, h, l, c, v }) => ({
        ts: t,
        prices: [o, h, l, c].map(Number),
        volume: Number(v),
      }));
    },
    async book(coin) {
      const book = await info.l2Book({ coin });
      return bookRow(book?.levels ?? []);
    },
    async watchTrades(coin, tape) {
      await subscriptions.trades({ coin }, (trades) => {
        for (const { side, px, sz, time, tid, coin: name } of trades) {
          const taker = side === 'B' ? 'buy' : 'sell';
          note(tape, { coin: name, side: taker, price: Number(px), size: Number(sz), ts: time, tid });
        }
      });
    },
    async watchBook(coin) {
      let seen: BookRow | undefined;
      const subscription = await subscriptions.l2Book({ coin }, ({ levels }) => {
        seen = bookRow(levels);
      });
      const book = await vi.waitUntil(() => seen);
      await subscription.unsubscribe();
      return book;
    },
    async close() {
      await socket.close();
      vi.unstubAllGlobals();
    },
  };
}

function sideRows(levels: readonly (readonly unknown[])[]): BookRow['bids'] {
  return levels.map(([price, size]) => [Number(price), Number(size)]);
}

async function openCcxt(url: string): Promise<Witness> {
  const client = new pro.hyperliquid({ enableRateLimit: false });
  client.urls['api'] = {
    public: `${url}/hyperliquid`,
    private: `${url}/hyperliquid`,
    ws: { public: `${url.replace('http', 'ws')}/hyperliquid/ws` },
  };
  await client.loadHttpProxyAgent();
  await client.loadMarkets();
  const symbolOf = (coin: string): string => {
    const found = Object.values(client.markets ?? {}).find(
      (market) => market.info.name === coin && market.swap,
    );
    if (!found) throw new Error(`ccxt knows no ${coin}`);
    return found.symbol;
  };
  const closing = new AbortController();
  const follow = async (coin: string, tape: Tape): Promise<void> => {
    while (!closing.signal.aborted) {
      for (const trade of await client.watchTrades(symbolOf(coin))) {
        const taker = trade.side === 'buy' ? 'buy' : 'sell';
        note(tape, {
          coin: trade.info.coin,
          side: taker,
          price: Number(trade.price),
          size: Number(trade.amount),
          ts: Number(trade.timestamp),
          tid: Number(trade.id),
        });
      }
    }
  };
  return {
    name: 'ccxt',
    async contexts() {
      const [rates, interests] = await Promise.all([client.fetchFundingRates(), client.fetchOpenInterests()]);
      return Object.values(rates).flatMap((rate) => {
        if (rate.info.isDelisted === true) return [];
        return [
          {
            coin: String(rate.info.name),
            mark: Number(rate.markPrice),
            index: Number(rate.indexPrice),
            funding: Number(rate.fundingRate),
            openInterest: Number(interests[String(rate.symbol)]?.openInterestAmount),
          },
        ];
      });
    },
    async paid(coin, sinceMs) {
      const rows = await client.fetchFundingRateHistory(symbolOf(coin), sinceMs);
      return rows.map(({ timestamp, fundingRate }) => ({ ts: Number(timestamp), rate: Number(fundingRate) }));
    },
    async bars(coin, sinceMs, untilMs) {
      const rows = await client.fetchOHLCV(symbolOf(coin), '5m', sinceMs, undefined, { until: untilMs });
      return rows.map(([ts, open, high, low, close, volume]) => ({
        ts: Number(ts),
        prices: [open, high, low, close].map(Number),
        volume: Number(volume),
      }));
    },
    async book(coin) {
      const { bids, asks } = await client.fetchOrderBook(symbolOf(coin));
      return { bids: sideRows(bids), asks: sideRows(asks) };
    },
    async watchTrades(coin, tape) {
      void follow(coin, tape).catch((error: unknown) => {
        if (!closing.signal.aborted) throw error;
      });
      await vi.waitUntil(() => [...tape.values()].some((row) => row.coin === coin));
    },
    async watchBook(coin) {
      const { bids, asks } = await client.watchOrderBook(symbolOf(coin));
      return { bids: sideRows(bids), asks: sideRows(asks) };
    },
    async close() {
      closing.abort();
      await client.close();
    },
  };
}

/** Every witness, by how it is opened. */
const WITNESSES: readonly { readonly name: string; readonly open: (url: string) => Promise<Witness> }[] = [
  { name: '@nktkas/hyperliquid', open: openNktkas },
  { name: 'ccxt', open: openCcxt },
];

/** The market's own trades in a time span. */
function marketTrades(market: Market, name: string, fromMs: number, toMs: number): TradeRow[] {
  const coin = market.coins.find((one) => one.name === name);
  if (!coin) throw new Error(`no such coin: ${name}`);
  const columns = new TradeColumns(1 << 16);
  expect(market.fill(name, fromMs, toMs, columns)).toBe(toMs);
  return Array.from({ length: columns.length }, (_, i) => ({
    coin: name,
    side: columns.isBuy[i] === 1 ? ('buy' as const) : ('sell' as const),
    price: Number(columns.price.at(i)) / 10 ** (6 - coin.sizeDecimals),
    size: Number(columns.lots.at(i)) / 10 ** coin.sizeDecimals,
    ts: Number(columns.ts.at(i)),
    tid: Number(columns.tid.at(i)),
  }));
}

describe.each(WITNESSES)('$name', ({ open: openWitness }) => {
  let clock: ManualClock;
  let simulator: Simulator;
  let witness: Witness;

  beforeAll(async () => {
    clock = new ManualClock(T0);
    simulator = await startSimulator({ port: 0, seed: 77, clock, sources: ['hyperliquid'] });
    witness = await openWitness(simulator.url);
  });

  afterAll(async () => {
    await witness.close();
    await simulator.close();
  });

  it('agrees on the coins, mark, index, funding and open interest', async () => {
    const { market } = simulator;
    const rows = await witness.contexts();
    const listed = market.coins.filter((coin) => coin.dex === '' && !coin.isDelisted);
    expect(rows.map((row) => row.coin)).toEqual(listed.map((coin) => coin.name));
    for (const row of rows) {
      const quote = market.quote(row.coin, clock.now());
      expect(row.mark).toBe(quote.mark);
      expect(row.index / quote.index).toBeCloseTo(1, 3);
      expect(row.funding).toBeCloseTo(market.funding(row.coin, clock.now()).rate, 10);
      expect(row.openInterest / market.openInterest(row.coin, clock.now())).toBeCloseTo(1, 4);
    }
  });

  it('agrees on the funding that was paid', async () => {
    const rows = await witness.paid('FARTCOIN', T0 - 12 * HOUR_MS);
    expect(rows).toHaveLength(12);
    for (const { ts, rate } of rows) {
      expect(rate).toBeCloseTo(simulator.market.fundingPaid('FARTCOIN', ts).rate, 10);
    }
  });

  it('agrees on the book', async () => {
    const { bids, asks } = simulator.market.book('ETH', clock.now(), 20);
    const expected = {
      bids: sideRows(bids.map(({ price, size }) => [price, size])),
      asks: sideRows(asks.map(({ price, size }) => [price, size])),
    };
    expect(await witness.book('ETH')).toEqual(expected);
    expect(await witness.watchBook('ETH')).toEqual(expected);
  });

  it('agrees on bars', async () => {
    const bars = await witness.bars('SOL', T0 - HOUR_MS, T0 - 1);
    expect(bars.length).toBeGreaterThanOrEqual(12);
    for (const { ts, prices, volume } of bars.slice(0, 12)) {
      const trades = marketTrades(simulator.market, 'SOL', ts, ts + 300_000);
      const traded = trades.map((trade) => trade.price);
      expect(prices).toEqual([traded[0], Math.max(...traded), Math.min(...traded), traded.at(-1)]);
      expect(volume).toBeCloseTo(
        trades.reduce((sum, trade) => sum + trade.size, 0),
        6,
      );
    }
  });

  it('agrees on every trade of two minutes: coin, side, price, size, time and id', async () => {
    const tape: Tape = new Map();
    const startMs = clock.now();
    for (const coin of WATCHED) await witness.watchTrades(coin, tape);
    clock.advance(120_000);
    for (const coin of WATCHED) {
      const expected = marketTrades(simulator.market, coin, startMs + 1, clock.now() + 1);
      const answer = (): TradeRow[] =>
        [...tape.values()].filter((row) => row.coin === coin && row.ts > startMs);
      await vi.waitUntil(() => answer().length >= expected.length, { timeout: 5000 });
      expect(answer()).toEqual(expected);
    }
    expect(tape.size).toBeGreaterThan(100);
  });

  it('agrees with our own connector on the same bytes', async () => {
    expect(await ourContexts(simulator.url, clock.now())).toEqual(await witness.contexts());
    const [theirs, ours]: [Tape, Tape] = [new Map(), new Map()];
    await witness.watchTrades('SOL', theirs);
    const leave = await watchOurTrades(simulator.url, 'SOL', (trade) => note(ours, trade));
    const startMs = clock.now();
    clock.advance(60_000);
    const since = (tape: Tape): TradeRow[] =>
      [...tape.values()].filter((row) => row.coin === 'SOL' && row.ts > startMs);
    const expected = marketTrades(simulator.market, 'SOL', startMs + 1, clock.now() + 1);
    await vi.waitUntil(() => [theirs, ours].every((tape) => since(tape).length >= expected.length), {
      timeout: 60_000,
    });
    expect(since(ours)).toEqual(since(theirs));
    leave();
  });

  it('broke no limit of the venue', () => {
    expect(simulator.violations['hyperliquid']).toEqual({});
  });
});
