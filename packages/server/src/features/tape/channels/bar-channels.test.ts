import { createBuilder, MINUTE_MS, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TickBuffer } from '../tick-buffer.ts';
import { seedingTopic } from '../../../topics.ts';
import { intervalsMs } from './bar-interval.ts';
import { GatewayService, START_MS } from '../../../gateway/testing/gateway-service.ts';
import type { WsClient } from '../../../gateway/testing/ws-client.ts';

let service: GatewayService;
beforeEach(async () => {
  service = await GatewayService.start({ hasTape: true });
});
afterEach(() => service.close());

const subscribe = (channel: string, interval: string) => ({
  op: 'subscribe',
  id: interval,
  channel,
  symbol: 'BTC',
  interval,
});

/** Bars of the recorded ticks, built at once. */
function builtBars(trades: readonly Trade[], intervalMs: number): readonly Record<string, unknown>[] {
  const buffer = new TickBuffer();
  for (const trade of trades) buffer.add(trade);
  const builder = createBuilder({ kind: 'time', params: { intervalMs }, tick: 1 });
  builder.add(buffer.columns);
  // Closing the last bar as well makes all bars look alike.
  const end = new TickBuffer();
  end.add({ ...(trades.at(-1) as Trade), ts: (trades.at(-1)?.ts ?? 0) + intervalMs });
  builder.add(end.columns);
  const { bars } = builder;
  return Array.from({ length: bars.length }, (_, i) => ({
    openTs: bars.openTs[i],
    closeTs: bars.closeTs[i],
    open: bars.open[i],
    high: bars.high[i],
    low: bars.low[i],
    close: bars.close[i],
    volume: bars.volume[i],
    buyVolume: bars.buyVolume[i],
    trades: bars.trades[i],
  }));
}

/** The same for footprints, in whole numbers of another kind. */
function builtFootprint(trades: readonly Trade[]): Record<string, unknown> {
  const units = (size: number): bigint => BigInt(Math.round(size * 1e8));
  const levels = new Map<number, [bigint, bigint]>();
  for (const { price, size, side } of trades) {
    const level = levels.get(price) ?? [0n, 0n];
    level[side === 'buy' ? 0 : 1] += units(size);
    levels.set(price, level);
  }
  const rows = [...levels].toSorted(([a], [b]) => a - b);
  const total = ([, [bought, sold]]: (typeof rows)[number]): bigint => bought + sold;
  const most = rows.reduce((best, row) => (total(row) > total(best) ? row : best));
  const sum = (of: (level: readonly [bigint, bigint]) => bigint): number =>
    Number(rows.reduce((all, [, level]) => all + of(level), 0n)) / 1e8;
  return {
    levels: rows.map(([price, [bought, sold]]) => [price, Number(bought) / 1e8, Number(sold) / 1e8]),
    poc: most[0],
    delta: sum(([bought, sold]) => bought - sold),
    volume: sum(([bought, sold]) => bought + sold),
  };
}

/** Two hours of trades, some of them sealed, some in the tail, the rest released later. */
async function pastOf(): Promise<Trade[]> {
  const gapsMs = [0, 40, 700, 1_000, 9_000, 65_000];
  const trades: Trade[] = [];
  for (
    let ts = START_MS - 7_200_000, n = 0;
    ts < START_MS;
    ts += gapsMs[(n * 7) % gapsMs.length] as number, n += 1
  ) {
    trades.push(
      service.trade({ ts, price: 100_000 + ((n * 37) % 11) / 2, size: ((n % 29) + 1) / 10 ** (1 + (n % 5)) }),
    );
  }
  let split = Math.floor(trades.length * 0.8);
  while (trades[split]?.ts === trades[split - 1]?.ts) split += 1;
  await service.tape.record(trades.slice(0, split), 'sealed');
  await service.tape.record(trades.slice(split), 'tail');
  return trades;
}

const closedOf = (client: WsClient, channel: string, interval: string) =>
  client
    .data(channel)
    .map(({ payload }) => payload)
    .filter(({ closed, interval: own }) => closed === true && own === interval);

describe.each(['candles', 'footprint'])('%s', (channel) => {
  it('of every interval are those of the recorded ticks, from the first bar on', async () => {
    const trades = await pastOf();
    const client = await service.connect();
    const intervals = Object.entries(intervalsMs);
    for (const [interval] of intervals)
      expect(await client.ask(subscribe(channel, interval))).toMatchObject({ type: 'ack', interval });
    await client.until(() => client.data(channel).length === intervals.length);
    // An hour and a half of live trades.
    for (let n = 0; n < 400; n += 1) {
      service.clock.advance([0, 3, 400, 1_100, 30_000][n % 5] as number);
      const trade = service.trade({ size: ((n % 17) + 1) / 10 ** (n % 6) });
      trades.push(trade);
      service.release(trade);
      // Silent clients are dropped, so it sends something when much time passes.
      if (n % 5 === 4) await client.ask({ op: 'auth', id: `n${n}` });
    }
    await client.ask({ op: 'auth', id: 'end' });
    for (const [interval, intervalMs] of intervals) {
      const bars = builtBars(trades, intervalMs);
      const closed = closedOf(client, channel, interval);
      const closedBars = bars.slice(bars.length - 1 - closed.length, -1);
      const expected = closedBars.map((bar) => {
        const own = trades.filter(({ ts }) => ts >= (bar.openTs as number) && ts <= (bar.closeTs as number));
        const { openTs, closeTs } = bar;
        const fields = channel === 'candles' ? bar : { openTs, closeTs, ...builtFootprint(own) };
        return { interval, ...fields, closed: true };
      });
      expect(closed).toEqual(expected);
      if (intervalMs <= 900_000) expect(closed.length).toBeGreaterThan(0);
    }
  });
});

describe('candles with `since`', () => {
  it('are the closed ones from there on, each once, whatever comes meanwhile, and continue', async () => {
    const trades = await pastOf();
    const client = await service.connect();
    let released = 0;
    const release = (): void => {
      released += 1;
      const trade = service.trade({ ts: START_MS + released * 23_000, size: (released % 17) / 100 });
      trades.push(trade);
      service.release(trade);
    };
    // Candles close between the reading of the recorded ones and their sending.
    const { candles } = service.tape;
    const read = candles.read.bind(candles);
    let reads = 0;
    vi.spyOn(candles, 'read').mockImplementation(async (...query) => {
      const page = await read(...query);
      reads += 1;
      if (reads <= 3) for (let n = 0; n < 5; n += 1) release();
      return page;
    });
    const since = Math.floor((START_MS - 6_000_000) / MINUTE_MS) * MINUTE_MS;
    await client.ask({ ...subscribe('candles', '1m'), since });
    await client.until(() => client.of('caughtUp').length > 0);
    for (let n = 0; n < 5; n += 1) release();
    await client.ask({ op: 'auth', id: 'end' });
    const expected = builtBars(trades, MINUTE_MS).filter(({ openTs }) => (openTs as number) >= since);
    const closed = closedOf(client, 'candles', '1m').map(({ closed: _, interval: __, ...bar }) => bar);
    expect(closed).toEqual(expected.slice(0, -1));
    expect(closed.length).toBeGreaterThan(40);
    expect(client.of('caughtUp')).toMatchObject([{ channel: 'candles', symbol: 'BTC', interval: '1m' }]);
  });

  it.each([
    [{ interval: '5s' }, START_MS, 'at least 1m'],
    [{ interval: '1m' }, START_MS + 1, 'start of a candle of 1m'],
    [{ interval: '1m' }, 0, 'is recorded since'],
    [{ interval: '1m' }, -1, 'at least 0'],
  ])('%o refuses %i', async (params, since, words) => {
    await pastOf();
    const client = await service.connect();
    const answer = await client.ask({ ...subscribe('candles', params.interval), since });
    expect(answer).toMatchObject({ type: 'error', code: 'bad_request' });
    expect(answer.message).toContain(words);
  });
});

it('omits the default interval; others are named to distinguish them', async () => {
  const client = await service.connect();
  for (const interval of ['5s', '1m', '1h']) await client.ask(subscribe('candles', interval));
  const leave = { op: 'unsubscribe', channel: 'candles', symbol: 'BTC' };
  expect(await client.ask({ ...leave, id: 1 })).toMatchObject({ type: 'ack', interval: '1m' });
  const refused = await client.ask({ ...leave, id: 2 });
  expect(refused).toMatchObject({ type: 'error', code: 'bad_request' });
  expect(refused.message).toBe(
    'There is no subscription to candles of BTC, `interval` 1m; there are: `interval` 5s, `interval` 1h.',
  );
  expect(service.gateway.counts()).toMatchObject({ subscriptions: 2 });
});

it('sends the bar in progress at once, whole, and at most ten times a second', async () => {
  const trades = await pastOf();
  const client = await service.connect();
  await client.ask(subscribe('candles', '1h'));
  await client.until(() => client.data('candles').length === 1);
  const [joined] = client.data('candles');
  expect(joined?.payload).toEqual({ interval: '1h', ...builtBars(trades, 3_600_000).at(-1), closed: false });
  for (let n = 0; n < 50; n += 1) {
    service.clock.advance(10);
    service.release(service.trade());
    await client.ask({ op: 'auth', id: n });
  }
  service.clock.advance(100);
  await client.ask({ op: 'auth', id: 'end' });
  const updates = client.data('candles').slice(1);
  expect(updates.length).toBeGreaterThanOrEqual(5);
  expect(updates.length).toBeLessThanOrEqual(7);
  expect(updates.map(({ seq }) => seq)).toEqual(updates.map((_, n) => (joined?.seq as number) + 1 + n));
  expect(updates.at(-1)?.payload.trades).toBe((joined?.payload.trades as number) + 50);
});

it('misses no trade that is released while the bar is being made', async () => {
  const trades = await pastOf();
  const clients = await Promise.all(Array.from({ length: 5 }, () => service.connect()));
  for (const client of clients) {
    client.send(subscribe('candles', '1d'));
    for (let n = 0; n < 20; n += 1) {
      const trade = service.trade();
      trades.push(trade);
      service.release(trade);
      if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  for (const client of clients) await client.until(() => client.data('candles').length > 0);
  service.clock.advance(1_000);
  const last = service.trade();
  trades.push(last);
  service.release(last);
  for (const client of clients) {
    await client.until(
      () =>
        client.data('candles').at(-1)?.payload.close === last.price &&
        client.data('candles').at(-1)?.ts === last.ts,
    );
    expect(client.data('candles').at(-1)?.payload).toEqual({
      interval: '1d',
      ...builtBars(trades, 86_400_000).at(-1),
      closed: false,
    });
  }
});

it('is read again when the newest part of the first-run history is there, before a trade is released', async () => {
  service.bus.publish(seedingTopic, { isDone: false, progress: 0 });
  const client = await service.connect();
  for (const channel of ['candles', 'footprint']) await client.ask(subscribe(channel, '1h'));
  const trades = await pastOf();
  const toMs = START_MS;
  service.bus.publish(seedingTopic, { isDone: false, progress: 0.5, tape: { fromMs: 0, toMs } });
  const live = service.trade();
  trades.push(live);
  service.release(live);
  await client.until(() => ['candles', 'footprint'].every((channel) => client.data(channel).length > 0));
  const [first] = client.data('candles');
  const expected = builtBars(trades, 3_600_000).at(-1);
  expect(first?.payload).toEqual({ interval: '1h', ...expected, closed: false });
  const own = trades.filter(({ ts }) => ts >= (expected?.openTs as number));
  expect(client.data('footprint')[0]?.payload).toMatchObject(builtFootprint(own));
});

it('notifies trade subscribers of trades that were recorded with the first-run history and not sent', async () => {
  service.bus.publish(seedingTopic, { isDone: false, progress: 0 });
  const client = await service.connect();
  await client.ask({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC' });
  service.clock.advance(1_000);
  const tape = { fromMs: 0, toMs: START_MS + 900 };
  service.bus.publish(seedingTopic, { isDone: false, progress: 0.5, tape });
  service.bus.publish(seedingTopic, { isDone: true, progress: 1, tape });
  service.release(service.trade());
  await client.until(() => client.data('trades').length > 0);
  expect(client.of('gap')).toEqual([
    {
      type: 'gap',
      channel: 'trades',
      symbol: 'BTC',
      from: START_MS,
      to: START_MS + 900,
      state: 'refilled',
      reason: 'recorded with the first-run history',
    },
  ]);
});
