import { describe, expect, it } from 'vitest';
import { LoadingTopics } from './loading-topics.ts';
import { recordedFootprints } from './recorded-footprints.ts';
import { ReplayClient } from './replay-client.ts';
import { MINUTE_MS, name, open, PRESENT_MS, START_MS, trade } from './testing/recorded-replay.ts';

describe('a replay', () => {
  it('plays recorded trades at its speed, each once, and stops at the present', async () => {
    const trades = [0, 0, 500, 1_000, 2_500, 9_000].map((afterMs) => trade(START_MS + afterMs));
    const { player, follow, pass, times, clock, statuses } = open(trades);
    // The follower already has one of the two in the first millisecond.
    await follow({ ts: START_MS, count: 1 });
    expect(times()).toEqual([START_MS]);
    player.play();
    await pass(1_000);
    expect(times().slice(1)).toEqual([START_MS + 500, START_MS + 1_000]);
    player.setSpeed(10);
    await pass(200);
    expect(clock.now()).toBe(START_MS + 3_000);
    player.pause();
    await pass(5_000);
    expect(times()).toHaveLength(4);
    player.setSpeed(100);
    player.play();
    await pass(60_000);
    expect(times()).toEqual(trades.slice(1).map(({ ts }) => ts));
    expect(statuses.at(-1)).toMatchObject({ state: 'ended' });
    expect(clock.now()).toBeLessThanOrEqual(clock.endMs);
  });

  it('is playing on a busy market, and loading only while a reader needs longer than a tick', async () => {
    const trades = Array.from({ length: 600 }, (_, i) => trade(START_MS + i * 100));
    const { player, follow, pass, clock, statuses, system } = open(trades, { speed: 10 });
    await follow();
    player.play();
    await pass(50);
    statuses.length = 0;
    await pass(2_000);
    expect(statuses).toHaveLength(40);
    expect(new Set(statuses.map(({ state }) => state))).toEqual(new Set(['playing']));
    const reader = clock.join();
    system.advance(50);
    expect(statuses.at(-1)).toMatchObject({ state: 'loading', isPlaying: true });
    player.pause();
    expect(statuses.at(-1)).toMatchObject({ state: 'loading', isPlaying: false });
    reader.leave();
    const pausedMs = clock.now();
    await pass(1_000);
    expect(statuses.at(-1)).toMatchObject({ state: 'paused', nowMs: pausedMs });
  });

  it('stands still until something has loaded, and a step waits for it', async () => {
    const { player, follow, clock, system } = open([trade(START_MS + 10)], { speed: 100 });
    player.play();
    system.advance(1_000);
    expect(clock.now()).toBe(START_MS);
    const stepping = player.step('trade');
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.now()).toBe(START_MS);
    await follow();
    await stepping;
    expect(clock.now()).toBe(START_MS + 10);
  });

  it('does not step where there is neither a tape nor a chart', async () => {
    const { player, clock } = open([]);
    void clock.join().wait(Infinity, 'other');
    for (const step of ['trade', 'bar', 'bar-back'] as const) await player.step(step);
    expect(clock.now()).toBe(START_MS);
  });

  it('stands still while a topic loads its past, though others have theirs', async () => {
    const { player, follow, clock, system } = open([trade(START_MS)]);
    const loading = new LoadingTopics(system, clock);
    const topics = ['BTC', 'ETH'].map(
      (symbol) => ({ from: 'channel', channel: 'trades', symbol, params: {} }) as const,
    );
    for (const topic of topics) loading.start(topic);
    void follow();
    player.play();
    await new Promise((resolve) => setImmediate(resolve));
    system.advance(1_000);
    loading.note(topics[0]!);
    system.advance(1_000);
    expect(clock.now()).toBe(START_MS);
    loading.end(topics[1]!);
    system.advance(50);
    expect(clock.now()).toBe(START_MS + 50);
  });

  it('reads each window once for all that play it, one ahead, and stands still until it is there', async () => {
    const trades = Array.from({ length: 40 }, (_, i) => trade(START_MS + i * MINUTE_MS + 1));
    const { player, follow, pass, client, clock, items } = open(trades, { speed: 10 });
    await Promise.all([follow(), follow()]);
    expect(client.asked).toEqual(['0 to 10', '10 to 20']);
    player.play();
    await pass(61_000);
    expect(client.asked).toEqual(['0 to 10', '10 to 20', '20 to 30']);
    expect(items).toHaveLength(22);
    const reader = clock.join();
    const nowMs = clock.now();
    player.play();
    const passing = pass(1_000);
    expect(clock.now()).toBe(nowMs);
    reader.leave();
    await passing;
    expect(clock.now()).toBeGreaterThan(nowMs);
  });

  it('follows a step with the newest of those that were requested during it', async () => {
    const { player, follow, clock } = open([10, 20, 30].map((afterMs) => trade(START_MS + afterMs)));
    await follow();
    const stepping = player.step('trade');
    void player.step('trade-back');
    void player.step('trade');
    await stepping;
    expect(clock.now()).toBe(START_MS + 20);
  });

  it('steps from trade to trade across windows, and back', async () => {
    const trades = [10, 20, 20 + 25 * MINUTE_MS].map((afterMs) => trade(START_MS + afterMs));
    const { player, follow, clock, jumps } = open(trades);
    await follow();
    const seen: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      await player.step('trade');
      seen.push(clock.now());
    }
    expect(seen).toEqual(trades.map(({ ts }) => ts));
    await player.step('trade-back');
    expect(jumps).toEqual([START_MS + 20]);
    const back = open(trades, { startMs: START_MS + 20 });
    await back.follow();
    await back.player.step('trade-back');
    expect(back.jumps).toEqual([START_MS + 10]);
    const first = open(trades, { startMs: START_MS + 10 });
    await first.follow();
    await first.player.step('trade-back');
    expect(first.jumps).toEqual([]);
    expect(first.statuses.at(-1)?.problem).toContain('No trade recorded');
    // With several tapes, to the newest trade of any.
    const several = open(trades, { startMs: START_MS + 26 * MINUTE_MS });
    several.client.ofMarket('okx:BTC', [trade(START_MS + 10 * MINUTE_MS), trade(START_MS + 19 * MINUTE_MS)]);
    await several.follow(undefined, { coin: 'BTC', market: 'okx:BTC' });
    await several.follow();
    await several.player.step('trade-back');
    expect(several.jumps).toEqual([START_MS + 19 * MINUTE_MS]);
  });

  it('steps to the end of a candle, and begins again for one that is long', async () => {
    const { player, clock, jumps, follow } = open([trade(START_MS + 1)], { startMs: START_MS + 90_000 });
    await follow();
    const bar = { openTs: START_MS + MINUTE_MS } as never;
    const bars = (interval: '1m' | '1d') =>
      ({ from: 'bars', spec: { market: 'hyperliquid:BTC', interval, limit: 10 } }) as const;
    player.note(bars('1m'), { items: [], open: bar });
    player.follow(bars('1m'));
    // A chart that was left a moment ago still sends.
    player.note(bars('1d'), { items: [], open: { openTs: START_MS } as never });
    await player.step('bar');
    expect(clock.now()).toBe(START_MS + 2 * MINUTE_MS - 1);
    await player.step('bar');
    expect(clock.now()).toBe(START_MS + 3 * MINUTE_MS - 1);
    await player.step('bar-back');
    expect(jumps).toEqual([START_MS + MINUTE_MS - 1]);
  });

  it('steps over other bars by their trades', async () => {
    const trades = Array.from({ length: 10 }, (_, i) => trade(START_MS + (i + 1) * 100));
    const { player, follow, clock, items } = open(trades);
    await follow();
    const topic = { from: 'bars', spec: { coin: 'BTC', kind: 'tick', params: { trades: 4 } } } as const;
    const newest = { openTs: START_MS } as never;
    player.follow(topic);
    player.note(topic, { items: [], open: newest, isWhole: true });
    let played = 0;
    const watch = async (): Promise<void> => {
      const reader = clock.join();
      for (const { ts } of trades) {
        await reader.wait(ts, 'trade');
        played += 1;
        if (played === 4) player.note(topic, { items: [{}], open: newest });
      }
      reader.leave();
    };
    const watching = watch();
    await player.step('bar');
    expect(clock.now()).toBe(START_MS + 400);
    expect(items).toHaveLength(4);
    clock.moveTo(PRESENT_MS);
    await watching;
  });

  it('reads a window again after a failure', async () => {
    const { windows, client } = open([trade(START_MS)]);
    const ticks = client.ticks.bind(client);
    client.ticks = () => {
      client.ticks = ticks;
      throw new Error('cannot be reached');
    };
    await expect(windows.load(name, START_MS)).rejects.toThrow('cannot be reached');
    await expect(windows.load(name, START_MS)).resolves.toMatchObject({ pages: [{ length: 1 }] });
  });
});

it('begins the footprint with the bar in progress, also before its first trade', async () => {
  const trades = [10, 20, MINUTE_MS + 5].map((afterMs) => trade(START_MS + afterMs, 100 + afterMs));
  const { clock, windows, ending } = open(trades);
  const { signal } = ending;
  const bars = recordedFootprints({ clock, windows, name, interval: '1m', signal });
  const next = async () => {
    const { value } = await bars.next();
    return (value ?? []).flatMap((item) => (item.type === 'data' ? [item.payload] : []));
  };
  expect(await next()).toMatchObject([{ openTs: START_MS, levels: [], closed: false }]);
  const first = next();
  await clock.settled();
  clock.moveTo(START_MS + 2 * MINUTE_MS);
  expect(await first).toMatchObject([
    {
      openTs: START_MS,
      volume: 2,
      delta: 2,
      closed: true,
      levels: [
        [110, 1, 0],
        [120, 1, 0],
      ],
    },
    { openTs: START_MS + MINUTE_MS, volume: 1, closed: false },
  ]);
  ending.abort();
});

it('asks for nothing after the time of the replay', async () => {
  const { clock, windows } = open([], { startMs: START_MS + 90_500 });
  const asked: URL[] = [];
  const answer = { data: { points: [{ t: START_MS }, { t: START_MS + 600_000 }] }, meta: {} };
  const fetch = (input: unknown): Promise<Response> => {
    asked.push(new URL(String(input)));
    return Promise.resolve(Response.json(answer));
  };
  const client = new ReplayClient({ url: 'http://service', fetch, retries: 0 }, clock, windows);
  await client.get('/candles', { market: 'hyperliquid:BTC', interval: '1h', limit: 10 });
  await client.get('/candles', { market: 'hyperliquid:BTC', interval: '1m', end: START_MS });
  await client.get('/perps/liquidations/events', { coin: 'BTC', start: START_MS });
  await client.get('/flows/cvd', { coin: 'BTC', interval: '1m', start: START_MS - MINUTE_MS });
  const ends = asked.map(({ searchParams }) => Number(searchParams.get('end')));
  expect(ends).toEqual([START_MS, START_MS, START_MS + 90_501, START_MS + MINUTE_MS]);
  const { data } = await client.get('/perps/oi/history', { coin: 'BTC' });
  expect(data.points).toEqual([{ t: START_MS }]);
  const book = client.followBatches('orderbook', 'BTC', { mode: 'delta' });
  await expect(book.next()).rejects.toThrow('not recorded');
});

it('has bars built up to its time, or of a time before it', async () => {
  const { clock, windows } = open([]);
  const bodies: unknown[] = [];
  const fetch = (_: unknown, { body }: RequestInit = {}): Promise<Response> => {
    bodies.push(JSON.parse(body as string));
    return Promise.resolve(Response.json({ data: {}, meta: {} }));
  };
  const client = new ReplayClient({ url: 'http://service', fetch, retries: 0 }, clock, windows);
  const build = { coin: 'BTC', kind: 'time' } as const;
  const hour = 3_600_000;
  await client.post('/perps/rotations/build', { ...build, days: 1 / 24 });
  await client.post('/perps/rotations/build', { ...build, from: START_MS - hour, to: START_MS - 1 });
  await client.post('/perps/rotations/build', { ...build, from: START_MS - hour, to: START_MS + hour });
  const now = START_MS + 1;
  expect(bodies).toEqual([
    { ...build, from: now - hour, to: now, degraded: false },
    { ...build, from: START_MS - hour, to: START_MS - 1, degraded: false },
    { ...build, from: START_MS - hour, to: now, degraded: false },
  ]);
});
