import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { ManualClock } from '@crosstape/core';
import { startSimulator } from '@crosstape/simulator';
import { type Frame, primaryVenue, readablePublishers } from '@crosstape/venues';
import { WebSocket, WebSocketServer } from 'ws';
import { marketIdOf } from './ingest-markets.ts';

/**
 * The venues of `bench:ingest`, in a separate process: the simulator on a clock that stands still. Trades are made
 * and encoded ahead of time by moving the clock on; their frames are kept, then sent at a given rate, to the service or
 * to a bare loop. Venue times therefore pass faster or slower than real ones; numbers and shapes are the venue's.
 */
export interface Phase {
  readonly perS: number;
  readonly seconds: number;
}
export type SenderOrder =
  | { readonly kind: 'encode'; readonly trades: number; readonly markets: readonly string[] }
  /** Sends all frames of one `encode`, by its number. */
  | {
      readonly kind: 'play';
      readonly to: 'service' | 'bare';
      readonly lot: number;
      readonly phases: readonly Phase[];
    }
  /** How many trades of each recorded market were sent. */
  | { readonly kind: 'sent' };
export interface Encoded {
  readonly lot: number;
  readonly trades: number;
  /** Sockets that any frame so far was encoded for. */
  readonly sockets: number;
  /** Trades by venue. */
  readonly byVenue: Readonly<Record<string, number>>;
}

/** What was sent in a play. */
export interface Played {
  readonly ms: number;
  readonly trades: number;
  readonly frames: number;
  readonly bytes: number;
}

/** Trades of a market that no frame before has carried. */
type New = readonly [market: string, trades: number];

interface KeptFrame {
  readonly socket: WebSocket;
  readonly data: Buffer;
  readonly added: readonly New[];
  readonly trades: number;
}

/** With these, the simulated venues make tens of thousands of trades a second: a run spans few seconds of their time. */
const RATE = 200;
/** The clock of the venues begins this long ago, so that no trade is in the future when it is sent. */
const BEHIND_MS = 60_000;
/** Short, so that pings are answered in time. */
const STEP_MS = 1;
const PLAY_EVERY_MS = 2;
/** While frames are kept, each socket is sent its oldest this often: after 5 s without any the service would close it. */
const SIGN_EVERY_MS = 1_000;

const parsers = new Map<string, (text: string) => Frame>();
for (const { id, connector } of readablePublishers) {
  const feed =
    id === primaryVenue.id
      ? connector?.feeds?.find(({ name }) => name === 'trades')
      : connector?.marketTrades;
  if (feed)
    parsers.set(
      id,
      feed.open(() => ({})),
    );
}

const venueOf = new WeakMap<WebSocket, string>();
/**
 * Markets of other venues than the primary that the service records. It receives trades of others as well: two venues report liquidations among the trades
 * of all of their markets.
 */
let recorded: ReadonlySet<string> = new Set();
/** The ids of the trades that were encoded, by market. */
const known = new Map<string, Set<string>>();
/** How many of them the service was sent. */
const sent = new Map<string, number>();
let kept: KeptFrame[] = [];
/** The frames of every `encode`. */
const lots: KeptFrame[][] = [];
let isEncoding = false;
/** While kept frames are sent, none is parsed. */
let isPlaying = false;
const bare: WebSocket[] = [];

const upgrade = WebSocketServer.prototype.handleUpgrade;
WebSocketServer.prototype.handleUpgrade = function handleUpgrade(request, wire, head, done) {
  upgrade.call(this, request, wire, head, (socket, from) => {
    venueOf.set(socket, request.url?.split('/')[1] ?? '');
    done(socket, from);
  });
};
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function keepTrades(this: WebSocket, data: string, ...rest: [object?]) {
  const added = isPlaying ? undefined : newTrades(venueOf.get(this), data);
  if (isEncoding && added) {
    const trades = added.reduce((sum, [market, count]) => sum + (isRecorded(market) ? count : 0), 0);
    kept.push({ socket: this, data: Buffer.from(data), added, trades });
    return;
  }
  send.apply(this, [data, ...rest] as unknown as Parameters<typeof send>);
  if (added) noteSent(added);
} as typeof send;

function isRecorded(market: string): boolean {
  return recorded.has(market) || market.startsWith(`${primaryVenue.id}:`);
}

function noteSent(added: readonly New[]): void {
  for (const [market, trades] of added) sent.set(market, (sent.get(market) ?? 0) + trades);
}

/** The new trades of a frame by market; `undefined` where it is another kind of frame. */
function newTrades(venue: string | undefined, text: string): readonly New[] | undefined {
  const frame = parsers.get(venue ?? '')?.(text);
  if (venue === undefined || (frame?.kind !== 'trades' && frame?.kind !== 'marketTrades')) return undefined;
  const added = new Map<string, number>();
  for (const trade of frame.trades) {
    const market = marketIdOf(venue, 'symbol' in trade ? trade.symbol : trade.coin);
    const ids = known.get(market) ?? new Set();
    known.set(market, ids);
    const before = ids.size;
    ids.add(`${trade.venueTs} ${trade.tid}`);
    added.set(market, (added.get(market) ?? 0) + ids.size - before);
  }
  return [...added];
}

const clock = new ManualClock(Math.floor(performance.timeOrigin + performance.now()) - BEHIND_MS);
const simulator = await startSimulator({ port: 0, seed: 23, rate: RATE, clock });
const bareServer = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
bareServer.on('connection', (socket, request) => {
  bare[Number(request.url?.slice(1))] = socket;
});
await once(bareServer, 'listening');
process.send?.({ url: simulator.url, barePort: (bareServer.address() as AddressInfo).port });

/** Pings and requests are answered in between. */
async function encode(trades: number): Promise<Encoded> {
  kept = [];
  let made = 0;
  let signMs = performance.now();
  for (let seen = 0; made < trades; await setImmediate()) {
    isEncoding = true;
    clock.advance(STEP_MS);
    isEncoding = false;
    for (; seen < kept.length; seen += 1) made += (kept[seen] as KeptFrame).trades;
    if (performance.now() - signMs < SIGN_EVERY_MS) continue;
    signMs = performance.now();
    made -= sendOldest();
    seen = kept.length;
  }
  lots.push(kept);
  const byVenue: Record<string, number> = {};
  for (const { socket, trades: own } of kept) {
    const venue = venueOf.get(socket) ?? '';
    byVenue[venue] = (byVenue[venue] ?? 0) + own;
  }
  const closed = kept.find(({ socket }) => socket.readyState !== WebSocket.OPEN);
  if (closed)
    throw new Error(`a socket of ${venueOf.get(closed.socket)} was closed while frames were encoded`);
  const sockets = new Set(lots.flatMap((lot) => lot.map(({ socket }) => socket))).size;
  return { lot: lots.length - 1, trades: made, sockets, byVenue };
}

/** Sends the oldest kept frame of each socket, and keeps it no longer. Returns how many trades these were. */
function sendOldest(): number {
  const oldest = new Map<WebSocket, KeptFrame>();
  for (const frame of kept) if (!oldest.has(frame.socket)) oldest.set(frame.socket, frame);
  const left = new Set(oldest.values());
  kept = kept.filter((frame) => !left.has(frame));
  let trades = 0;
  for (const { socket, data, added, trades: own } of left) {
    send.apply(socket, [data, { binary: false }] as unknown as Parameters<typeof send>);
    noteSent(added);
    trades += own;
  }
  return trades;
}

/** Sends the frames of a lot, each in its time. Resolves when all are sent. */
async function play({ to, lot, phases }: Extract<SenderOrder, { kind: 'play' }>): Promise<Played> {
  const frames = lots[lot] ?? [];
  const sockets = [...new Set(frames.map(({ socket }) => socket))];
  const targets = new Map(sockets.map((socket) => [socket, to === 'bare' ? bareFor(socket) : socket]));
  const startMs = performance.now();
  let [at, trades, bytes] = [0, 0, 0];
  isPlaying = true;
  for (; at < frames.length; await wait(PLAY_EVERY_MS)) {
    const due = dueAfter((performance.now() - startMs) / 1_000, phases);
    for (; at < frames.length && trades < due; at += 1) {
      const frame = frames[at] as KeptFrame;
      targets.get(frame.socket)?.send(frame.data, { binary: false });
      trades += frame.trades;
      bytes += frame.data.length;
      if (to === 'service') noteSent(frame.added);
    }
  }
  const open = [...targets.values()].filter((socket) => socket?.readyState === WebSocket.OPEN);
  const ms = performance.now() - startMs;
  while (open.some((socket) => (socket?.bufferedAmount ?? 0) > 0)) await wait(PLAY_EVERY_MS);
  isPlaying = false;
  if (open.length < sockets.length) throw new Error(`${sockets.length - open.length} sockets were closed`);
  return { ms, trades, frames: frames.length, bytes };
}

/** The socket of the bare loop that stands for one of the service's. */
function bareFor(socket: WebSocket): WebSocket | undefined {
  const all = [...new Set(lots.flatMap((lot) => lot.map((frame) => frame.socket)))];
  return bare[all.indexOf(socket)];
}

/** Trades that are due after a time. */
function dueAfter(seconds: number, phases: readonly Phase[]): number {
  let due = 0;
  let left = seconds;
  for (const phase of phases) {
    due += phase.perS * Math.min(left, phase.seconds);
    left -= phase.seconds;
    if (left <= 0) return due;
  }
  return Infinity;
}

process.on('message', (order: SenderOrder) => {
  if (order.kind === 'encode') {
    recorded = new Set(order.markets);
    void encode(order.trades).then((encoded) => process.send?.(encoded));
  } else if (order.kind === 'play') void play(order).then((played) => process.send?.(played));
  else process.send?.(Object.fromEntries([...sent].filter(([market]) => isRecorded(market))));
});
process.on('disconnect', () => process.exit());
