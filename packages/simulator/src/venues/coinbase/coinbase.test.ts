import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { RecordedSocket } from '../../testing/recorded-socket.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const PRODUCT = 'BTC-USD';

/** Each look at it takes a millisecond, as on a busy machine. */
class SlowClock extends ManualClock {
  #looks = 0;

  override now(): number {
    this.#looks += 1;
    return super.now() + (this.#looks % 3);
  }
}

let clock: ManualClock;
let simulator: Simulator;
beforeEach(async () => {
  clock = new SlowClock(T0);
  simulator = await startSimulator({ port: 0, seed: 5, clock, sources: ['coinbase'] });
});
afterEach(() => simulator.close());

interface Row {
  readonly type?: string;
  readonly trade_id: number;
  readonly time: string;
}

it('gives a trade one time, on every socket, in every channel and over REST', async () => {
  const sockets = await Promise.all(
    [['matches'], ['matches', 'heartbeat'], ['ticker']].map(async (channels) => {
      const socket = await RecordedSocket.open(simulator.url, '/coinbase/');
      socket.send({ type: 'subscribe', product_ids: [PRODUCT], channels });
      await vi.waitUntil(() => socket.frames.some((frame) => frame.includes('subscriptions')));
      return socket;
    }),
  );
  for (let i = 0; i < 240; i += 1) clock.advance(250);
  const rowsOf = ({ frames }: RecordedSocket): readonly Row[] =>
    frames.map((frame) => JSON.parse(frame) as Row).filter(({ trade_id: id }) => id !== undefined);
  const answer = await fetch(`${simulator.url}/coinbase/products/${PRODUCT}/trades`);
  const rest = (await answer.json()) as readonly Row[];
  await vi.waitUntil(() => sockets.every((socket) => rowsOf(socket).length > 20));
  const times = new Map<number, string>();
  let repeated = 0;
  for (const { trade_id: id, time } of [...sockets.flatMap(rowsOf), ...rest]) {
    if (times.has(id)) repeated += 1;
    expect(times.get(id) ?? time, `trade ${id}`).toBe(time);
    times.set(id, time);
  }
  expect(repeated).toBeGreaterThan(40);
  for (const socket of sockets) socket.close();
});
