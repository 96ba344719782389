import { ManualClock } from '@crosstape/core';
import { afterEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Client } from './client.ts';
import { followBook } from './local-book.ts';
import { type Frame, ScriptedGateway } from './testing/scripted-gateway.ts';

let gateway: ScriptedGateway;
afterEach(() => gateway.close());

function keyframe(seq: number): Frame {
  const payload = { kind: 'snapshot', bids: [[1, 1, 1]], asks: [], ts: seq };
  return { type: 'data', channel: 'orderbook', symbol: 'BTC', seq, ts: seq, payload };
}

it('is stale after a reconnect until it is received again', async () => {
  const clock = new ManualClock(1_790_000_000_000);
  gateway = await ScriptedGateway.open((frame, socket) => {
    if (frame.op !== 'subscribe') return [];
    const ack = { type: 'ack', id: frame.id, op: 'subscribe', channel: 'orderbook', symbol: 'BTC' };
    return socket === 0 ? [ack, keyframe(1)] : [ack];
  });
  const client = new Client({ url: gateway.url, clock, random: () => 0, WebSocket });
  const ending = new AbortController();
  const reported: (readonly [ts: number, isStale: boolean])[] = [];
  const reading = (async () => {
    for await (const { ts, isStale } of followBook(client, 'BTC', { signal: ending.signal }))
      reported.push([ts, isStale]);
  })();
  const wait = { timeout: 10_000, interval: 2 };
  await vi.waitUntil(() => reported.length === 1, wait);
  gateway.sockets[0]?.terminate();
  await vi.waitUntil(() => {
    if (reported.length < 2) clock.advance(200);
    return reported.length === 2;
  }, wait);
  gateway.send(keyframe(2));
  await vi.waitUntil(() => reported.length === 3, wait);
  expect(reported).toEqual([
    [1, false],
    [1, true],
    [2, false],
  ]);
  ending.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});
