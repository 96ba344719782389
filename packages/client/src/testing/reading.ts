import type { Client } from '../client.ts';
import type { ChannelName, ParamsOf, SocketItem } from '../socket/frame-types.ts';
import type { Frame } from './scripted-gateway.ts';

/** Acknowledges a request. */
export function ack(frame: Frame, extras: Frame = {}): Frame {
  const { op, id, channel, symbol } = frame;
  return { type: 'ack', id, op, channel, symbol, ...extras };
}

export function trade(seq: number, ts: number): Frame {
  return {
    type: 'data',
    channel: 'trades',
    symbol: 'BTC',
    seq,
    ts,
    payload: { price: 1, size: 1, side: 'buy', ts, tid: seq },
  };
}

/** A reader of a channel, and what it has received. */
export class Reading {
  static readonly #open = new Set<Reading>();

  readonly items: SocketItem[] = [];
  error: unknown;
  /** Until when a refused subscription waits, as often as it was refused. */
  readonly limits: number[] = [];

  readonly #ending = new AbortController();

  constructor(
    client: Client,
    channel: ChannelName = 'trades',
    params: ParamsOf<ChannelName> = {},
    symbol = 'BTC',
  ) {
    const { signal } = this.#ending;
    Reading.#open.add(this);
    const onLimited = (untilMs: number): void => void this.limits.push(untilMs);
    const options = { signal, onLimited };
    const read = async (): Promise<void> => {
      for await (const item of client.follow(channel, symbol, params, options)) this.items.push(item);
    };
    read().catch((error: unknown) => {
      this.error = error;
    });
  }

  static stopAll(): void {
    for (const reading of Reading.#open) reading.stop();
  }

  stop(): void {
    Reading.#open.delete(this);
    this.#ending.abort(new Error('enough'));
  }

  of(type: SocketItem['type']): readonly SocketItem[] {
    return this.items.filter((item) => item.type === type);
  }
}
