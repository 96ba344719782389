import { HOUR_MS, type Trade } from '@crosstape/core';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gapTopic, tradeTopic } from '../../topics.ts';
import { readPast } from './trade-backfill.ts';
import { GatewayService, START_MS } from '../../gateway/testing/gateway-service.ts';
import type { WsClient } from '../../gateway/testing/ws-client.ts';

const isLong = process.env.LONG === '1';

let service: GatewayService;
beforeEach(async () => {
  service = await GatewayService.start({ hasTape: true });
});
afterEach(() => service.close());

interface Cursor {
  readonly ts: number;
  readonly count: number;
}

/** The cursor of a client that has received all of these. */
function cursorOf(trades: readonly { readonly ts: number }[]): Cursor {
  const ts = trades.at(-1)?.ts ?? START_MS - 1;
  return { ts, count: trades.filter((trade) => trade.ts === ts).length };
}

const ask = (since: Cursor | undefined, id = 1) => ({
  op: 'subscribe',
  id,
  channel: 'trades',
  symbol: 'BTC',
  ...(since && { since }),
});

function tradesOf(client: WsClient): readonly Record<string, unknown>[] {
  return client.data('trades').map(({ payload }) => payload);
}

function payloads(trades: readonly Trade[]): readonly Record<string, unknown>[] {
  return trades.map(({ price, size, side, ts, tid }) => ({ price, size, side, ts, tid }));
}

/** Seqs are consecutive, and the frame that ends the history is where it ended. */
function expectSeqLaw(client: WsClient): void {
  const seqs = client.data('trades').map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, n) => (seqs[0] as number) + n));
  expect(seqs.every((seq) => seq > 0)).toBe(true);
  const at = client.frames.findIndex(({ type }) => type === 'caughtUp');
  const before = client.frames.slice(0, at).findLast(({ type }) => type === 'data');
  if (at >= 0 && before) expect(client.frames[at]?.seq).toBe(before.seq);
}

describe('a subscription with a cursor', () => {
  /** Trades in all three places: sealed, in the tail, and only just released. */
  async function recordedTape(): Promise<readonly Trade[]> {
    const at = (ts: number): Trade => service.trade({ ts });
    const sealed = [0, 0, 0, 5, 5, 9].map((ms) => at(START_MS + ms));
    const tail = [10, 10, 12].map((ms) => at(START_MS + ms));
    service.clock.advance(20);
    const released = [14, 14, 20].map((ms) => at(START_MS + ms));
    await service.tape.record(sealed, 'sealed');
    await service.tape.record(tail, 'tail');
    service.release(...tail.slice(-1), ...released);
    return [...sealed, ...tail, ...released];
  }

  it('begins with the trades after it, wherever they are, says so, and continues live', async () => {
    const tape = await recordedTape();
    for (let had = 1; had <= tape.length; had += 1) {
      const client = await service.connect();
      client.send(ask(cursorOf(tape.slice(0, had))));
      await client.until(() => client.of('caughtUp').length === 1);
      expect(client.frames[0]).toMatchObject({ type: 'ack' });
      expect(tradesOf(client)).toEqual(payloads(tape.slice(had)));
      expectSeqLaw(client);
    }
    const live = service.trade();
    service.release(live);
    for (const client of service.clients) {
      await client.until(() => tradesOf(client).at(-1)?.tid === live.tid);
      expectSeqLaw(client);
    }
    expect(new Set(service.clients.map((client) => client.data('trades').at(-1)?.seq)).size).toBe(1);
  });

  it('is the same in msgpack', async () => {
    const tape = await recordedTape();
    const [json, packed] = [await service.connect(), await service.connect()];
    await packed.ask({ op: 'auth', id: 0, format: 'msgpack' });
    json.send(ask(cursorOf(tape.slice(0, 2))));
    packed.sendBinary(ask(cursorOf(tape.slice(0, 2))));
    for (const client of [json, packed]) await client.until(() => client.of('caughtUp').length === 1);
    expect(tradesOf(packed)).toEqual(payloads(tape.slice(2)));
    expect(packed.frames.slice(1)).toEqual(json.frames);
    expect(packed.binaries).not.toContain(false);
  });

  it('takes a time without trades, and one before all of them', async () => {
    const tape = await recordedTape();
    for (const [ts, had] of [
      [START_MS - 5, 0],
      [START_MS + 7, 5],
      [START_MS + 13, 9],
    ] as const) {
      const client = await service.connect();
      client.send(ask({ ts, count: 0 }));
      await client.until(() => client.of('caughtUp').length === 1);
      expect(tradesOf(client)).toEqual(payloads(tape.slice(had)));
    }
  });

  it('names the gaps since the cursor', async () => {
    const from = START_MS - 10_000;
    const gap = {
      coin: 'BTC',
      from: from + 2_000,
      to: from + 3_000,
      state: 'missing',
      reason: 'test',
    } as const;
    await service.tape.connected(from, START_MS, gap);
    await recordedTape();
    const client = await service.connect();
    client.send(ask({ ts: from, count: 0 }));
    await client.until(() => client.of('caughtUp').length === 1);
    const { coin: _, ...notice } = gap;
    expect(client.of('caughtUp')[0]?.gaps).toContainEqual(notice);
  });

  it.each([
    ['more than an hour back, with trades after it', { ts: START_MS - 2 * HOUR_MS, count: 0 }],
    ['more than an hour back, not whole', { ts: START_MS - 1.5 * HOUR_MS, count: 0 }],
    ['ahead of the tape', { ts: START_MS + 21, count: 0 }],
    ['that counts more trades than there are', { ts: START_MS + 14, count: 3 }],
  ])('%s is refused, with the oldest and the newest that can be used', async (_, since) => {
    await service.tape.record([service.trade({ ts: START_MS - 1.5 * HOUR_MS })], 'sealed');
    await recordedTape();
    const client = await service.connect();
    const answer = await client.ask(ask(since));
    expect(answer).toMatchObject({ type: 'error', code: 'bad_request' });
    expect(answer.message).toContain(`{"ts":${START_MS + 20 - HOUR_MS},"count":0}`);
    expect(answer.message).toContain(`{"ts":${START_MS + 20},"count":1}`);
    expect(service.gateway.counts()).toMatchObject({ topics: 0, subscriptions: 0 });
    expect(await client.ask(ask({ ts: START_MS + 20, count: 1 }))).toMatchObject({ type: 'ack' });
  });

  it.each([0, 1, 60_000, HOUR_MS, 2 * HOUR_MS, 48 * HOUR_MS])(
    'works on an empty tape, %i ms back and at whatever time it comes',
    async (agoMs) => {
      const client = await service.connect();
      const since = { ts: service.clock.now() - agoMs, count: 0 };
      service.clock.advance(1);
      expect(await client.ask(ask(since))).toMatchObject({ type: 'ack' });
      await client.until(() => client.of('caughtUp').length === 1);
      service.release(service.trade());
      await client.until(() => tradesOf(client).length === 1);
      expectSeqLaw(client);
    },
  );

  it('of a coin that has not been traded for hours is as good as ever', async () => {
    const old = [1, 2, 2].map((ms) => service.trade({ ts: START_MS - 5 * HOUR_MS + ms }));
    await service.tape.record(old, 'sealed');
    for (const since of [cursorOf(old), { ts: START_MS - 4 * HOUR_MS, count: 0 }]) {
      const client = await service.connect();
      expect(await client.ask(ask(since))).toMatchObject({ type: 'ack' });
      await client.until(() => client.of('caughtUp').length === 1);
      expect(tradesOf(client)).toEqual([]);
    }
    const trade = service.trade();
    service.release(trade);
    for (const client of service.clients) {
      await client.until(() => tradesOf(client).length === 1);
      expect(tradesOf(client)).toEqual(payloads([trade]));
    }
  });

  it('is refused on a topic that is followed already, by the name that the topic has', async () => {
    await recordedTape();
    const client = await service.connect();
    await client.ask({ ...ask(undefined, 1), symbol: 'kPEPE' });
    const again = { ...ask({ ts: START_MS, count: 0 }, 2), symbol: 'pepe' };
    expect(await client.ask(again)).toMatchObject({ code: 'bad_request', symbol: 'kPEPE' });
  });

  it('can be given up before history has ended', async () => {
    await service.tape.record(
      Array.from({ length: 8_000 }, (_, n) => service.trade({ ts: START_MS - 8_000 + n })),
      'sealed',
    );
    const client = await service.connect();
    client.send(ask({ ts: START_MS - 8_000, count: 0 }));
    await client.until(() => tradesOf(client).length > 0);
    await client.ask({ op: 'unsubscribe', id: 2, channel: 'trades', symbol: 'BTC' });
    const seen = tradesOf(client).length;
    service.release(service.trade());
    await client.ask({ op: 'auth', id: 3 });
    expect(tradesOf(client)).toHaveLength(seen);
    expect(client.of('caughtUp')).toEqual([]);
    expect(service.gateway.counts()).toMatchObject({ topics: 0 });
  });
});

describe('a subscription without a cursor', () => {
  it('learns where it begins, wherever the newest trade is', async () => {
    const begin = async (): Promise<unknown> => {
      const client = await service.connect();
      return (await client.ask(ask(undefined))).cursor;
    };
    const nothing = (await begin()) as Cursor;
    expect(nothing.count).toBe(0);
    expect(nothing.ts).toBeLessThan(START_MS);
    expect(nothing.ts).toBeGreaterThan(START_MS - HOUR_MS);
    const sealed = [0, 5, 5].map((ms) => service.trade({ ts: START_MS + ms }));
    service.clock.advance(10);
    await service.tape.record(sealed, 'sealed');
    expect(await begin()).toEqual({ ts: START_MS + 5, count: 2 });
    // The log alone has one of a millisecond that began before it.
    service.release(service.trade({ ts: START_MS + 5 }));
    expect(await begin()).toEqual({ ts: START_MS + 5, count: 3 });
    service.release(...[9, 9].map((ms) => service.trade({ ts: START_MS + ms })));
    expect(await begin()).toEqual({ ts: START_MS + 9, count: 2 });
  });
});

describe('a gap in the tape', () => {
  const gap = { from: START_MS - 2_000, to: START_MS - 1_000, state: 'missing', reason: 'test' } as const;

  it('is sent in its place among the trades, to every subscriber', async () => {
    const [json, packed] = [await service.connect(), await service.connect()];
    await packed.ask({ op: 'auth', id: 0, format: 'msgpack' });
    for (const client of [json, packed]) await client.ask(ask(undefined));
    const [before, after] = [service.trade(), service.trade()];
    service.release(before);
    service.bus.publish(gapTopic('BTC'), { ts: START_MS, ...gap });
    service.release(after);
    for (const client of [json, packed]) {
      await client.until(() => tradesOf(client).length === 2);
      expectSeqLaw(client);
      const frames = client.frames.filter(({ type }) => type === 'data' || type === 'gap');
      expect(frames.map(({ type }) => type)).toEqual(['data', 'gap', 'data']);
      expect(frames[1]).toEqual({ type: 'gap', channel: 'trades', symbol: 'BTC', ...gap });
    }
  });

  it('that is published but not written yet is sent once to clients that join meanwhile', async () => {
    await service.tape.connected(START_MS - 5_000, START_MS);
    service.bus.publish(gapTopic('BTC'), { ts: START_MS, ...gap });
    const client = await service.connect();
    client.send(ask({ ts: START_MS - 1_500, count: 0 }));
    await client.until(() => client.of('caughtUp').length === 1);
    expect(client.of('caughtUp')[0]?.gaps).toEqual([gap]);
  });

  it('that becomes known during a catch-up is sent at its end', async () => {
    const past = Array.from({ length: 8_000 }, (_, n) => service.trade({ ts: START_MS - 8_000 + n }));
    await service.tape.record(past, 'sealed');
    const client = await service.connect();
    client.send(ask({ ts: START_MS - 8_000, count: 0 }));
    await client.until(() => tradesOf(client).length > 0);
    expect(client.of('caughtUp')).toEqual([]);
    service.bus.publish(gapTopic('BTC'), { ts: START_MS, ...gap });
    await client.until(() => client.of('caughtUp').length === 1);
    expect(client.of('gap')).toEqual([]);
    expect(client.of('caughtUp')[0]?.gaps).toContainEqual(gap);
  });
});

/** Events while clients join, leave and return. */
type Step =
  | { readonly kind: 'trades'; readonly counts: readonly number[] }
  | { readonly kind: 'write' }
  | { readonly kind: 'seal' }
  | { readonly kind: 'join' }
  | { readonly kind: 'wait'; readonly turns: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  // Trades within one turn: how many of each millisecond.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('trades' as const),
      counts: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'write' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'seal' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'join' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.integer({ min: 1, max: 8 }) }),
  },
);

it(
  'loses and doubles nothing at the seam, however trades, writes, joins and cuts fall together',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.integer({ min: 0, max: 500 }),
        async (steps, startAt) => {
          await service.close();
          service = await GatewayService.start({ hasTape: true });
          const { clock } = service;
          const tape: Trade[] = [];
          let written = 0;
          let sealed = 0;
          const release = (counts: readonly number[]): void => {
            for (const count of counts) {
              clock.advance(1);
              for (let n = 0; n < count; n += 1) {
                const trade = service.trade();
                tape.push(trade);
                service.release(trade);
              }
            }
          };
          const witness = await service.connect();
          await witness.ask(ask(undefined));
          release([3, 40, 200, 1, 7]);
          // One reader, which is cut off and returns with the cursor of what it has.
          const had: Record<string, unknown>[] = payloads(tape.slice(0, startAt % tape.length)) as never;
          let client: WsClient | undefined;
          const takeOver = (): void => {
            if (!client) return;
            expectSeqLaw(client);
            had.push(...tradesOf(client));
            client.ws.terminate();
            client = undefined;
          };
          for (const one of steps) {
            if (one.kind === 'trades') release(one.counts);
            if (one.kind === 'write' && written < tape.length) {
              await service.tape.record(tape.slice(written), 'tail');
              written = tape.length;
            }
            if (one.kind === 'seal' && sealed < written && tape[written - 1]?.ts !== tape[written]?.ts) {
              await service.tape.record(tape.slice(sealed, written), 'sealed');
              sealed = written;
            }
            if (one.kind === 'wait')
              for (let n = 0; n < one.turns; n += 1) await new Promise((resolve) => setImmediate(resolve));
            if (one.kind === 'join') {
              takeOver();
              client = await service.connect();
              client.send(ask(cursorOf(had as never)));
            }
          }
          takeOver();
          const last = await service.connect();
          last.send(ask(cursorOf(had as never)));
          release([5, 5]);
          const all = payloads(tape);
          await last.until(
            () => had.length + tradesOf(last).length >= all.length && last.of('caughtUp').length === 1,
          );
          expectSeqLaw(last);
          expect([...had, ...tradesOf(last)]).toEqual(all);
          // A client that was connected throughout saw the same trades under the same seqs.
          await witness.until(() => tradesOf(witness).length === all.length);
          expect(tradesOf(witness)).toEqual(all);
          const seqs = new Map(witness.data('trades').map(({ seq, payload }) => [payload.tid, seq]));
          for (const { seq, payload } of last.data('trades')) expect(seqs.get(payload.tid)).toBe(seq);
        },
      ),
      { numRuns: isLong ? 300 : 4 },
    );
  },
  isLong ? 600_000 : 120_000,
);

it('counts trades that are released while the record is being read', async () => {
  const late = [service.trade(), service.trade(), service.trade()];
  const past = await readPast(
    {
      clock: service.clock,
      bus: service.bus,
      coverage: service.tape.coverage,
      tape: {
        topicOf: tradeTopic,
        unsealed: () => Promise.reject(new Error('not needed')),
        sealed: () => Promise.reject(new Error('not needed')),
        page: async () => {
          service.release(...late.splice(0));
          return { chunks: [] };
        },
      },
    },
    'BTC',
    { ts: START_MS, count: 2 },
  );
  const log = service.bus.log(tradeTopic('BTC'));
  expect(log.end - past.position).toBe(1);
});
