import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { printTopic, tradeTopic } from '../topics.ts';
import type { SseClient } from '../api/testing/sse-client.ts';
import {
  printOf,
  START_MS,
  type StreamService,
  startStreamService,
  tradeOf,
} from '../api/testing/stream-service.ts';

const running: StreamService[] = [];

/** Waits until a check holds; the machine may be busy. */
function soon(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000, interval: 5 });
}

async function start(): Promise<StreamService> {
  const service = await startStreamService();
  running.push(service);
  return service;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

async function tidsOf(client: SseClient, count: number): Promise<unknown[]> {
  await soon(() => expect(client.events.length).toBeGreaterThanOrEqual(count + 1));
  return client.events.slice(1).map(({ data }) => data['tid']);
}

/** Five trades, a second apart, identified by their number. */
async function startWithTrades(): Promise<StreamService> {
  const service = await start();
  for (let tid = 1; tid <= 5; tid += 1) {
    service.clock.advance(1_000);
    service.bus.publish(tradeTopic('BTC'), tradeOf(service.clock, tid));
  }
  return service;
}

describe('Last-Event-ID', () => {
  test('replays from the event with that id, and says so under that id', async () => {
    const { connect, clock, bus } = await startWithTrades();
    const client = await connect('trades?coin=BTC', { lastEventId: String(START_MS + 3_000) });
    expect(await tidsOf(client, 3)).toEqual([3, 4, 5]);
    expect(client.events[0]).toEqual({
      name: 'heartbeat',
      id: String(START_MS + 3_000),
      data: { ts: START_MS + 3_000, now: START_MS + 5_000, resumed: true },
    });
    bus.publish(tradeTopic('BTC'), tradeOf(clock, 6));
    expect(await tidsOf(client, 4)).toEqual([3, 4, 5, 6]);
  });

  test('accepts the id as a query parameter; the header takes precedence', async () => {
    const { connect } = await startWithTrades();
    const path = `trades?coin=BTC&lastEventId=${START_MS + 2_000}`;
    expect(await tidsOf(await connect(path), 4)).toEqual([2, 3, 4, 5]);
    expect(await tidsOf(await connect(path, { lastEventId: String(START_MS + 4_000) }), 2)).toEqual([4, 5]);
  });

  test('keeps to the filter', async () => {
    const { connect, clock, bus } = await start();
    const first = await connect('trades?coin=BTC');
    for (let tid = 1; tid <= 6; tid += 1) {
      bus.publish(tradeTopic('BTC'), tradeOf(clock, tid, { notionalUsd: tid * 100 }));
    }
    await tidsOf(first, 6);
    const client = await connect('trades?coin=BTC&minUsd=400', { lastEventId: String(START_MS) });
    expect(await tidsOf(client, 3)).toEqual([4, 5, 6]);
  });

  test('reports the loss for an id older than the log, then sends the retained events', async () => {
    const { connect, clock, bus } = await startWithTrades();
    clock.advance(12 * 60_000 - 2_000);
    bus.publish(tradeTopic('BTC'), tradeOf(clock, 6));
    const client = await connect('trades?coin=BTC', { lastEventId: String(START_MS + 2_000) });
    expect(await tidsOf(client, 4)).toEqual([3, 4, 5, 6]);
    expect(client.events[0]?.data).toMatchObject({
      ts: START_MS + 2_000,
      resumed: false,
      lostFrom: START_MS + 2_000,
      lostTo: START_MS + 2_000,
    });
  });

  test('of ten minutes ago is still good', async () => {
    const { connect, clock, bus } = await startWithTrades();
    clock.advance(10 * 60_000);
    bus.publish(tradeTopic('BTC'), tradeOf(clock, 6));
    const client = await connect('trades?coin=BTC', { lastEventId: String(START_MS + 1_000) });
    expect(await tidsOf(client, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(client.events[0]?.data['resumed']).toBe(true);
  });

  test('from before the service started continues from its start', async () => {
    const { connect } = await startWithTrades();
    const client = await connect('trades?coin=BTC', { lastEventId: String(START_MS - 60_000) });
    expect(await tidsOf(client, 5)).toEqual([1, 2, 3, 4, 5]);
    expect(client.events[0]?.data).toMatchObject({
      resumed: false,
      lostFrom: START_MS - 60_000,
      lostTo: START_MS - 1,
    });
  });

  test('ahead of the tape is not resumed, and continues with what is new', async () => {
    const { connect, clock, bus } = await startWithTrades();
    const ahead = START_MS + 5_001;
    const client = await connect('trades?coin=BTC', { lastEventId: String(ahead) });
    await soon(() => expect(client.events).toHaveLength(1));
    expect(client.events[0]).toEqual({
      name: 'heartbeat',
      id: String(ahead),
      data: { ts: ahead, now: START_MS + 5_000, resumed: false },
    });
    bus.publish(tradeTopic('BTC'), tradeOf(clock, 6));
    expect(await tidsOf(client, 1)).toEqual([6]);
  });

  test('of a heartbeat before the first event gets the first event, though that is older', async () => {
    const { connect, clock, bus } = await start();
    clock.advance(500);
    const early = await connect('trades?coin=BTC');
    await soon(() => expect(early.lastEventId).toBe(String(START_MS + 500)));
    early.hangUp();
    clock.advance(10);
    bus.publish(tradeTopic('BTC'), tradeOf(clock, 1, { ts: START_MS + 480 }));
    const client = await connect('trades?coin=BTC', { lastEventId: early.lastEventId });
    expect(await tidsOf(client, 1)).toEqual([1]);
    expect(client.events[0]?.data['resumed']).toBe(true);
  });

  test('replays late prints of another coin that were published after it', async () => {
    const { connect, clock, bus } = await start();
    clock.advance(1_000);
    bus.publish(printTopic, printOf(clock, 1));
    bus.publish(printTopic, printOf(clock, 2, { coin: 'ETH', ts: START_MS + 400 }));
    const client = await connect('whales', { lastEventId: String(START_MS + 1_000) });
    expect(await tidsOf(client, 2)).toEqual([1, 2]);
  });

  test('a cut before the replay loses nothing: the verdict repeats the id it answers', async () => {
    const { connect } = await startWithTrades();
    const id = String(START_MS + 2_000);
    const first = await connect('trades?coin=BTC', { lastEventId: id, paused: true });
    first.hangUpAfter(140);
    first.read();
    await soon(() => expect(first.finished).toBe('cut'));
    expect(first.events.length).toBeLessThan(3);
    const again = await connect('trades?coin=BTC', { lastEventId: first.lastEventId ?? id });
    expect(await tidsOf(again, 4)).toEqual([2, 3, 4, 5]);
  });
});

type Move =
  | { readonly kind: 'publish'; readonly gapsMs: readonly number[]; readonly usd: number }
  | { readonly kind: 'wait'; readonly turns: number }
  | { readonly kind: 'hang up'; readonly afterBytes: number }
  | { readonly kind: 'connect' };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      gapsMs: fc.array(fc.constantFrom(0, 0, 0, 1, 7, 16_000, 400_000), { minLength: 1, maxLength: 40 }),
      usd: fc.integer({ min: 1, max: 99 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.integer({ min: 1, max: 12 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('hang up' as const), afterBytes: fc.nat(3_000) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('connect' as const) }) },
);

const MIN_USD = 30;
const runs = process.env['LONG'] ? 1_000 : 20;

describe.each([
  { stream: 'trades', path: `trades?coin=BTC&minUsd=${MIN_USD}` },
  { stream: 'whales', path: `whales?minUsd=${MIN_USD}` },
])('a client of $stream that resumes', ({ stream, path }) => {
  test('has every event in order, or a report of its loss, wherever it was cut', {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
        const service = await startStreamService();
        try {
          expect(await play(service, { stream, path }, moves)).toEqual('complete');
        } finally {
          await service.close();
        }
      }),
      { numRuns: runs },
    );
  });
});

/** Plays the moves, then reads to the end. Returns what the client missed beyond the reported losses. */
async function play(
  { connect, bus, clock }: StreamService,
  { stream, path }: { stream: string; path: string },
  moves: readonly Move[],
): Promise<string> {
  const published = new Map<number, { readonly ts: number }>();
  const seen = new Set<unknown>();
  const losses: { readonly fromTs: number; readonly toTs: number }[] = [];
  let client = await connect(path);
  await soon(() => expect(client.events).toHaveLength(1));
  let lastEventId = client.lastEventId;

  const parsed = (): void => {
    lastEventId = client.lastEventId ?? lastEventId;
    for (const { data } of client.events.splice(0)) {
      if (data['tid'] !== undefined) seen.add(data['tid']);
      if (data['resumed'] === false) {
        losses.push({ fromTs: Number(data['lostFrom']), toTs: Number(data['lostTo']) });
      }
    }
  };
  const reconnect = async (): Promise<void> => {
    client.hangUp();
    parsed();
    client = await connect(path, { lastEventId });
  };
  const publish = (tid: number, usd: number): void => {
    const notionalUsd = (usd * tid) % 100;
    // Prints of different coins have different delays.
    const ts = clock.now() - (stream === 'whales' ? (tid * 13) % 40 : 3);
    if (stream === 'whales') bus.publish(printTopic, printOf(clock, tid, { notionalUsd, ts }));
    else bus.publish(tradeTopic('BTC'), tradeOf(clock, tid, { notionalUsd, ts }));
    if (notionalUsd >= MIN_USD) published.set(tid, { ts });
  };

  let tid = 0;
  for (const next of moves) {
    if (next.kind === 'publish') {
      for (const gapMs of next.gapsMs) {
        clock.advance(gapMs);
        publish((tid += 1), next.usd);
      }
    } else if (next.kind === 'wait') {
      for (let i = 0; i < next.turns; i += 1) await nextTurn();
    } else if (next.kind === 'hang up') {
      client.hangUpAfter(next.afterBytes);
    } else {
      await reconnect();
    }
  }
  publish((tid += 1), 0);
  published.set((tid += 1), { ts: clock.now() });
  await reconnect();
  if (stream === 'whales') bus.publish(printTopic, printOf(clock, tid));
  else bus.publish(tradeTopic('BTC'), tradeOf(clock, tid));
  await soon(() => {
    parsed();
    expect(seen).toContain(tid);
  });

  const isReportedLost = (ts: number): boolean =>
    losses.some(({ fromTs, toTs }) => fromTs <= ts && ts <= toTs);
  const owed = [...published]
    .filter(([one, { ts }]) => seen.has(one) || !isReportedLost(ts))
    .map(([one]) => one);
  const [has, needs] = [JSON.stringify([...seen]), JSON.stringify(owed)];
  return has === needs ? 'complete' : `has ${has} of ${needs}`;
}
