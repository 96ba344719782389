import { createServer, type Server } from 'node:http';
import { type Trade } from '@crosstape/core';
import { primaryVenue, sourceTerms } from '@crosstape/venues';
import { WebSocket } from 'ws';
import { noTape } from '../packages/server/src/api/testing/no-tape.ts';
import { silentLog } from '../packages/server/src/api/testing/stream-service.ts';
import { serveUpgrades } from '../packages/server/src/gateway/upgrades.ts';
import { readFrame } from '../packages/server/src/ingest/read-frame.ts';
import { Tape } from '../packages/server/src/features/tape/tape.ts';
import type { Bus } from '../packages/server/src/platform/bus.ts';
import { MemoryKeyStore } from '../packages/server/src/platform/key-store.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { snapshotTopic } from '../packages/server/src/topics.ts';
import { createGateway } from '../packages/server/src/api/create-gateway.ts';

/** Publishes the list of coins on a bus; clients can only subscribe to those. */
export function publishCoins(bus: Bus): void {
  bus.publish(snapshotTopic(primaryVenue.id, 'instruments'), {
    venue: primaryVenue.id,
    rows: [{ symbol: 'BTC', coin: 'BTC' }],
    fetchedAtMs: systemClock.now(),
    everyMs: 60_000,
  });
}

export interface ServedGateway {
  readonly server: Server;
  counts(): Readonly<Record<string, number>>;
}

/** The gateway alone, on a bus. */
export function serveGateway(bus: Bus): ServedGateway {
  const gateway = createGateway({
    clock: systemClock,
    bus,
    log: silentLog,
    tape: noTape.tape,
    coverage: noTape.coverage,
    candles: noTape.candles,
    rotations: noTape.rotations,
    keys: new MemoryKeyStore(),
    countBuild: () => undefined,
    onAbuse: () => undefined,
    primaryVenue: primaryVenue.id,
    flowCoins: ['BTC'],
    sources: sourceTerms,
    settings: { quota: 'off', trustProxy: false },
  });
  const server = createServer();
  serveUpgrades(server, gateway, { clock: systemClock, log: silentLog, source: 'bench' });
  return { server, counts: () => gateway.counts() };
}

let tid = 0;

/** Trades of a coin, numbered one after the other, whatever the coin. */
export function someTrades(count: number, coin = 'BTC'): readonly Trade[] {
  return Array.from({ length: count }, () => {
    tid += 1;
    const [price, size] = [105_000 + (tid % 997), Number((0.00001 * (1 + (tid % 5_003))).toFixed(5))];
    return {
      coin,
      venue: primaryVenue.id,
      side: tid % 2 ? 'buy' : 'sell',
      price,
      size,
      notionalUsd: price * size,
      ts: systemClock.now(),
      tid,
      sameOrder: false,
    };
  });
}

/** Connects to a venue as the service does: through its parser and the tape. */
export function connectVenue(port: number, release: (trade: Trade) => void, onOpen: () => void): void {
  const ws = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  ws.on('open', onOpen);
  const feed = primaryVenue.connector?.feeds.find(({ name }) => name === 'trades');
  if (!feed) throw new Error('the primary venue has no feed of trades');
  const reader = feed.open(() => ({}));
  const tape = new Tape({ venue: primaryVenue.id, clock: systemClock, release, onGap: () => undefined });
  tape.socket({ kind: 'up', socket: 0, atMs: systemClock.now() });
  ws.on('message', (data: Buffer) => {
    const frame = readFrame(reader, data);
    if (frame.kind === 'trades') tape.add(frame.trades, frame.isBackfill, systemClock.now(), 0);
  });
}
