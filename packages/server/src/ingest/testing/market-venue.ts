import { EventEmitter } from 'node:events';
import type { Clock, Random } from '@crosstape/core';
import type { WebSocket } from 'ws';

/** Trades in a back-fill, as of the real venue. */
const BACKFILL = 10;
const OPEN = 1;
const CLOSED = 3;

/** A trade of the market itself. */
export interface MarketTrade {
  readonly coin: string;
  readonly ts: number;
  readonly tid: number;
}

export type SocketFault =
  | { readonly kind: 'freeze' | 'empty' | 'lose' }
  | { readonly kind: 'slow'; readonly delayMs: number };

/** Strikes every connection, or those of one of the two sockets. */
interface ActiveFault {
  readonly fault: SocketFault;
  readonly parity: number | undefined;
  readonly untilMs: number;
}

interface Delayed {
  readonly dueMs: number;
  readonly text: string;
}

/** One connection with the interface of `ws`, without a network: data arrive at once. */
class MemorySocket extends EventEmitter {
  readyState = OPEN;
  /** The venue no longer knows the connection, and the client was not notified. */
  isAbandoned = false;
  readonly coins = new Set<string>();
  readonly delayed: Delayed[] = [];
  readonly #receive: (text: string) => void;
  readonly parity: number;

  constructor(parity: number, receive: (socket: MemorySocket, text: string) => void) {
    super();
    this.parity = parity;
    this.#receive = (text) => receive(this, text);
  }

  send(text: string): void {
    if (this.readyState === OPEN && !this.isAbandoned) this.#receive(text);
  }

  receive(text: string): void {
    if (this.readyState === OPEN) this.emit('message', Buffer.from(text), false);
  }

  terminate(): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.emit('close', 1006, Buffer.alloc(0));
  }
}

/** Serves a list of trades over sockets in memory, as Hyperliquid does, with faults. */
export class MarketVenue {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Random;
  readonly #trades: Map<string, readonly MarketTrade[]>;
  /** Number of trades so far, by coin. */
  readonly #happened = new Map<string, number>();
  readonly #sockets = new Set<MemorySocket>();
  #faults: ActiveFault[] = [];
  #opened = 0;

  constructor(
    clock: Pick<Clock, 'now'>,
    random: Random,
    trades: ReadonlyMap<string, readonly MarketTrade[]> = new Map(),
  ) {
    this.#clock = clock;
    this.#random = random;
    this.#trades = new Map(trades);
  }

  /** Adds trades that follow those it has, and drops old ones that no back-fill needs. */
  extend(trades: ReadonlyMap<string, readonly MarketTrade[]>): void {
    for (const [coin, more] of trades) {
      const known = this.#trades.get(coin) ?? [];
      const happened = this.#happened.get(coin) ?? 0;
      const dropped = Math.max(0, happened - BACKFILL);
      this.#trades.set(coin, [...known.slice(dropped), ...more]);
      this.#happened.set(coin, happened - dropped);
    }
  }

  /** In place of a connection over the network. */
  readonly connect = (): WebSocket => {
    const socket = new MemorySocket(this.#opened % 2, (from, text) => this.#receive(from, text));
    this.#opened += 1;
    this.#sockets.add(socket);
    queueMicrotask(() => socket.emit('open'));
    return socket as unknown as WebSocket;
  };

  strike(fault: SocketFault, forMs: number, isOnAll: boolean): void {
    const parity = isOnAll ? undefined : Math.floor(this.#random() * 2);
    this.#faults.push({ fault, parity, untilMs: this.#clock.now() + forMs });
  }

  cut(isOnAll: boolean): void {
    for (const socket of this.#sockets) if (isOnAll || socket.parity === 0) socket.terminate();
  }

  /** Loses every connection without a message to the client, as a suspended machine does. */
  abandon(): void {
    for (const socket of this.#sockets) socket.isAbandoned = true;
    this.#sockets.clear();
  }

  /** Ends all faults except freezes: one that is cut short may be too short to be noticed. */
  calm(): void {
    this.#faults = this.#faults.filter(({ fault }) => fault.kind === 'freeze');
  }

  /** Sends the trades since the last call. */
  tick(): void {
    const nowMs = this.#clock.now();
    this.#faults = this.#faults.filter(({ untilMs }) => untilMs > nowMs);
    for (const socket of this.#sockets) {
      if (socket.readyState === CLOSED) this.#sockets.delete(socket);
      while (socket.delayed[0] && socket.delayed[0].dueMs <= nowMs)
        socket.receive(socket.delayed.shift()?.text ?? '');
    }
    for (const [coin, trades] of this.#trades) {
      const from = this.#happened.get(coin) ?? 0;
      let to = from;
      while ((trades[to]?.ts ?? Number.POSITIVE_INFINITY) <= nowMs) to += 1;
      this.#happened.set(coin, to);
      if (to === from) continue;
      const rows = trades.slice(from, to);
      const lossy = this.#lossySocket(coin);
      for (const socket of this.#sockets)
        if (socket.coins.has(coin) && socket !== lossy) this.#send(socket, tradesFrame(rows));
    }
  }

  /** The one that leaves a frame out, if any: never one without another that delivers it. */
  #lossySocket(coin: string): MemorySocket | undefined {
    if (!this.#faults.some(({ fault }) => fault.kind === 'lose') || this.#random() < 0.5) return undefined;
    const sound = [...this.#sockets].filter(
      (socket) =>
        socket.readyState === OPEN &&
        socket.coins.has(coin) &&
        socket.delayed.length === 0 &&
        this.#faultsOf(socket).every(({ kind }) => kind === 'lose'),
    );
    return sound.length < 2 ? undefined : sound[Math.floor(this.#random() * sound.length)];
  }

  #faultsOf(socket: MemorySocket): readonly SocketFault[] {
    return this.#faults
      .filter(({ parity }) => parity === undefined || parity === socket.parity)
      .map(({ fault }) => fault);
  }

  #receive(socket: MemorySocket, text: string): void {
    const { method, subscription } = JSON.parse(text) as {
      method: string;
      subscription?: { coin: string };
    };
    if (method === 'ping') return this.#send(socket, '{"channel":"pong"}');
    if (!subscription) return;
    const { coin } = subscription;
    this.#send(socket, JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
    if (method === 'unsubscribe') return void socket.coins.delete(coin);
    socket.coins.add(coin);
    const to = this.#happened.get(coin) ?? 0;
    const recent = this.#trades.get(coin)?.slice(Math.max(0, to - BACKFILL), to) ?? [];
    if (recent.length > 0) this.#send(socket, tradesFrame(recent));
  }

  #send(socket: MemorySocket, text: string): void {
    const active = this.#faultsOf(socket);
    const has = (kind: SocketFault['kind']): boolean => active.some((fault) => fault.kind === kind);
    if (has('freeze')) return;
    const sent = has('empty') && text.includes('"trades","data":[') ? EMPTY : text;
    const delayMs = Math.max(0, ...active.map((fault) => (fault.kind === 'slow' ? fault.delayMs : 0)));
    const lastDueMs = socket.delayed.at(-1)?.dueMs ?? 0;
    const dueMs = Math.max(this.#clock.now() + delayMs, lastDueMs);
    if (delayMs > 0 || socket.delayed.length > 0) socket.delayed.push({ dueMs, text: sent });
    // Not within the caller's call, as over a network.
    else queueMicrotask(() => socket.receive(sent));
  }
}

const EMPTY = '{"channel":"trades","data":[]}';

function tradesFrame(trades: readonly MarketTrade[]): string {
  const data = trades.map(({ coin, ts, tid }) => ({ coin, side: 'B', px: '1', sz: '1', time: ts, tid }));
  return JSON.stringify({ channel: 'trades', data });
}
