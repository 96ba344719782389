import { columnsInCoins, type TickColumns } from '@crosstape/core';
import type { Bus, Unsubscribe } from '../../platform/bus.ts';
import { TickBuffer } from './tick-buffer.ts';
import type { TapeReader } from './tape-reader.ts';
import { ticksOf, walkTape } from './tape-tail.ts';

export interface TapeFollowing {
  /** Everything that was recorded has been taken, and live trades follow. */
  readonly ready: Promise<void>;
  close(): void;
}

export interface FollowOptions {
  readonly tape: TapeReader;
  readonly bus: Bus;
  readonly coin: string;
  /** Start, given the time of the newest trade (`undefined` if there is none). */
  readonly from: (newestTs: number | undefined) => number;
  /** Takes the trades [from, to) of columns that are used again afterwards. */
  readonly take: (columns: TickColumns, from: number, to: number) => void;
}

/**
 * Takes every trade of a coin from a time on exactly once, in coins: those that are recorded, then each as it is
 * released.
 */
export function followTape({ tape, bus, coin, from, take }: FollowOptions): TapeFollowing {
  const topic = tape.topicOf(coin);
  const { units } = tape;
  let leave: Unsubscribe | undefined;
  let isClosed = false;

  const begin = async (): Promise<void> => {
    const log = bus.log(topic);
    const fromTs = from(log.at(log.end - 1)?.ts ?? (await newestUnsealed(tape, coin)));
    const position = await walkTape({ tape, bus }, coin, fromTs, async ({ chunk, skip }) => {
      if (isClosed) return;
      const { columns } = ticksOf(chunk, units);
      take(columns, skip, columns.length);
      await new Promise((resolve) => setImmediate(resolve));
    });
    if (isClosed) return;
    if (position < log.start) throw new Error('the tape moved past its buffer while it was being read');
    // Synchronous from here on, so that no trade arrives between the log and the subscription.
    const one = new TickBuffer();
    const takeOne = (trade: Parameters<TickBuffer['add']>[0]): void => {
      one.clear();
      one.add(trade);
      take(units ? columnsInCoins(one.columns, units) : one.columns, 0, 1);
    };
    for (const trade of log.read(position, log.end - position)) if (trade.ts >= fromTs) takeOne(trade);
    leave = bus.subscribe(topic, takeOne);
  };

  return {
    ready: begin(),
    close() {
      isClosed = true;
      leave?.();
    },
  };
}

async function newestUnsealed(tape: TapeReader, coin: string): Promise<number | undefined> {
  const { columns } = await tape.unsealed(coin);
  return columns.length === 0 ? undefined : columns.ts[columns.length - 1];
}
