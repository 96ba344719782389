import type { VenueLiquidation } from '@crosstape/core';
import { type Known, venues } from '@crosstape/venues';
import { vi } from 'vitest';
import { WebSocket } from 'ws';

/** A busy machine may take its time. */
const PATIENCE = { timeout: 10_000 };

export interface LiquidationWatch {
  /** In order of arrival. */
  readonly liquidations: readonly VenueLiquidation[];
  /** Why frames and rows were not taken. */
  readonly refusals: readonly string[];
  /** Pings and waits for the answer: all that was sent before it has arrived then, and the venue knows that we live. */
  settle(): Promise<void>;
  close(): void;
}

/** A simulated venue's liquidations as our connector reads them off one socket of its own; resolves once subscribed. */
export async function watchOurLiquidations(
  url: string,
  venueId: string,
  known: Known,
): Promise<LiquidationWatch> {
  const feeds = venues.find(({ id }) => id === venueId)?.connector?.feeds ?? [];
  const feed = feeds.find(({ name }) => name === 'liquidations');
  if (!feed) throw new Error(`${venueId} has no feed of liquidations`);
  const { path, headers = {}, ping } = feed;
  const socket = new WebSocket(`${url.replace('http', 'ws')}/${venueId}${path}`, { headers });
  const parse = feed.open(() => known);
  const liquidations: VenueLiquidation[] = [];
  const refusals: string[] = [];
  const subscribed = new Set<string>();
  let heartbeats = 0;
  socket.on('pong', () => (heartbeats += 1));
  socket.on('message', (data) => {
    const frame = parse((data as Buffer).toString());
    if ('topics' in frame) for (const topic of frame.topics ?? []) subscribed.add(topic);
    if (frame.kind === 'liquidations') {
      if (!frame.isBackfill) liquidations.push(...frame.liquidations);
      refusals.push(...(frame.refused ?? []));
    } else if (frame.kind === 'heartbeat') heartbeats += 1;
    else if (frame.kind === 'refused') refusals.push(frame.why);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const topics = feed.topics(known.instruments ?? []).slice(0, feed.topicsPerSocket);
  for (const topic of topics) socket.send(feed.subscribe([topic]));
  await vi.waitUntil(() => subscribed.size === topics.length || refusals.length > 0, PATIENCE);
  return {
    liquidations,
    refusals,
    async settle() {
      const before = heartbeats;
      if (ping.frame === undefined) socket.ping();
      else socket.send(ping.frame);
      await vi.waitUntil(() => heartbeats > before || refusals.length > 0, PATIENCE);
      if (refusals.length > 0) throw new Error(refusals.join('; '));
    },
    close: () => socket.terminate(),
  };
}
