import { describe, expect, it, vi } from 'vitest';
import { bareCoin } from '../../market/venue-market.ts';
import { dealsBetween } from '../../testing/deals-between.ts';
import type { RecordedSocket } from '../../testing/recorded-socket.ts';
import { T0, VenueRig } from '../../testing/venue-rig.ts';

const HOUR_MS = 3_600_000;
const SPAN_MS = 60_000;
const rig = new VenueRig('dydx', 3);

interface WireMarket {
  readonly status: string;
  readonly oraclePrice: string | null;
  readonly openInterest: string;
}

interface Message {
  readonly type: string;
  readonly message_id: number;
  readonly message?: string;
  readonly contents: unknown;
}

interface Trade {
  readonly type: string;
  readonly createdAt: string;
}

function messages(socket: RecordedSocket): readonly Message[] {
  return socket.frames.map((frame) => JSON.parse(frame) as Message);
}

function ask<Body = { readonly markets: Readonly<Record<string, WireMarket>> }>(
  path: string,
): Promise<{ status: number; body: Body }> {
  return rig.ask(`/v4/${path}`);
}

describe('the markets', () => {
  it('hold one that the oracle does not price, those that ended, and a token of a pool', async () => {
    const { markets } = (await ask('perpetualMarkets')).body;
    const all = Object.entries(markets);
    expect(all.filter(([, { oraclePrice }]) => oraclePrice === null)).toMatchObject([
      [expect.any(String), { status: 'INITIALIZING' }],
    ]);
    expect(markets['MATIC-USD']).toMatchObject({ status: 'FINAL_SETTLEMENT', openInterest: '0' });
    expect(all.filter(([ticker]) => ticker.includes(','))).toHaveLength(1);
  });

  it('refuse an unknown one with 400', async () => {
    expect(await ask('perpetualMarkets?market=NOPE-USD')).toMatchObject({
      status: 400,
      body: { errors: [{ value: 'NOPE-USD', location: 'query' }] },
    });
  });
});

describe('the socket', () => {
  it('back-fills the newest thousand, and sends every trade with its type, in numbered messages', async () => {
    const [deal] = rig.market.coins.flatMap((coin) =>
      rig.market.liquidations(coin, T0, T0 + HOUR_MS).map(({ ts }) => ({ coin, ts })),
    );
    if (!deal) throw new Error('nothing is liquidated');
    const ticker = `${bareCoin(deal.coin.name).name}-USD`;
    const tape = rig.market.tape({ symbol: ticker, coin: deal.coin });
    rig.clock.advance(Math.max(0, deal.ts - T0 - SPAN_MS / 2));
    const startMs = rig.clock.now();
    const expected = dealsBetween(tape, startMs, startMs + SPAN_MS);
    const socket = await rig.open('/v4/ws');
    socket.send({ type: 'subscribe', channel: 'v4_trades', id: ticker, batched: true });
    await vi.waitUntil(() => socket.frames.length === 2);
    const { trades } = JSON.parse(socket.frames[1] ?? '').contents as { trades: readonly Trade[] };
    const recorded = dealsBetween(tape, startMs - 4 * HOUR_MS, startMs)
      .slice(-1000)
      .toReversed();
    expect(recorded.length).toBeGreaterThan(100);
    expect(trades.map(({ createdAt }) => Date.parse(createdAt))).toEqual(recorded.map(({ ts }) => ts));
    for (let i = 0; i < SPAN_MS; i += 1000) rig.clock.advance(1000);
    const reported = (): readonly Trade[] =>
      messages(socket)
        .slice(2)
        .flatMap(({ contents }) => contents as readonly { trades: readonly Trade[] }[])
        .flatMap((block) => block.trades);
    await vi.waitUntil(() => reported().length >= expected.length);
    expect(reported().map(({ createdAt, type }) => [Date.parse(createdAt), type])).toEqual(
      expected.map(({ ts, isLiquidation }) => [ts, isLiquidation ? 'LIQUIDATED' : 'LIMIT']),
    );
    expect(expected.some(({ isLiquidation }) => isLiquidation)).toBe(true);
    expect(messages(socket).map((message) => message.message_id)).toEqual(socket.frames.map((_, i) => i));
  });

  it('takes 32 ids on a connection, and says why it takes no more', async () => {
    const socket = await rig.open('/v4/ws');
    const { markets } = (await ask('perpetualMarkets')).body;
    for (const id of Object.keys(markets).slice(0, 33)) {
      socket.send({ type: 'subscribe', channel: 'v4_trades', id });
    }
    await vi.waitUntil(() => socket.frames.length === 34, { timeout: 15_000 });
    expect(messages(socket).filter(({ type }) => type === 'subscribed')).toHaveLength(32);
    expect(messages(socket).at(-1)?.message).toBe(
      'Per-connection subscription limit reached for v4_trades (limit=32).',
    );
    expect(rig.violations).toEqual({ ids: 1 });
  });

  it('cuts off clients that subscribe to an id three times within a second', async () => {
    const socket = await rig.open('/v4/ws');
    for (let i = 0; i < 3; i += 1) socket.send({ type: 'subscribe', channel: 'v4_trades', id: 'ETH-USD' });
    await vi.waitUntil(() => socket.end !== undefined);
    expect(socket.end).toBe('1008');
    expect(rig.violations).toEqual({ subscribes: 1 });
  });

  it('refuses garbage, unknown types, channels and ids with a message', async () => {
    const socket = await rig.open('/v4/ws');
    const channel = 'v4_trades';
    const asked = [
      '{',
      {},
      { type: 'dance' },
      { type: 'subscribe' },
      { type: 'subscribe', channel: 'v4_dance' },
      { type: 'subscribe', channel },
      { type: 'subscribe', channel, id: 'NOPE-USD' },
    ];
    for (const frame of asked) socket.send(frame);
    await vi.waitUntil(() => socket.frames.length === asked.length + 1);
    expect(messages(socket).map(({ message }) => message)).toEqual([
      undefined,
      'Invalid message: could not parse',
      'Invalid message: type is required',
      'Invalid message type: dance',
      'Invalid subscribe message: channel is required',
      'Invalid channel: v4_dance',
      'Invalid id: undefined',
      'Invalid subscription id for channel: (v4_trades-NOPE-USD)',
    ]);
  });
});
