import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@crosstape/core';
import type { UnreadBudget } from './unread-budget.ts';

/** Longer bodies are sent in parts, at the client's pace. */
export const PACED_BYTES_MIN = 262_144;
/** A client that reads more slowly, averaged over this time, is cut off. */
const DRAIN_EVERY_MS = 30_000;
const DRAIN_BYTES_PER_SECOND_MIN = 8_192;

export interface PacedBody {
  readonly stream: Readable;
  /** Memory held until everything is sent; shared by clients that get the same body. */
  readonly memory?: Uint8Array | undefined;
  /** Bytes of the body that wait for the client outside of the stream. */
  readonly heldBytes?: (() => number) | undefined;
}

export interface PaceOptions {
  readonly clock: Clock;
  readonly budget: UnreadBudget;
}

/**
 * Sends a body at the client's pace. Resolves when all of it is sent; rejects when the client disconnects or is cut off
 * because it reads too slowly.
 */
export async function sendPaced(
  { stream, memory, heldBytes }: PacedBody,
  response: ServerResponse,
  pace: PaceOptions,
): Promise<void> {
  const { budget } = pace;
  const { socket } = response.req;
  const guard = guardPace(
    response,
    pace,
    memory
      ? (cut) => budget.share(memory, cut)
      : heldBytes &&
          ((cut) =>
            budget.hold({
              socket,
              cut,
              get bytes() {
                return heldBytes();
              },
            })),
  );
  try {
    const sent = pipeline(stream, response);
    stream.on('data', (part: Uint8Array) => guard.take(part.length));
    await sent;
  } finally {
    guard.end();
  }
}

/** The same for bytes in memory, without a stream, which would cost as much as sending them. */
export function sendBytes(body: Buffer, response: ServerResponse, pace: PaceOptions): void {
  // The client disconnected while the answer was made: no `close` event follows.
  if (response.destroyed) return;
  const { socket } = response.req;
  const guard = guardPace(response, pace, (cut) => pace.budget.hold({ bytes: body.length, socket, cut }));
  response.once('close', () => guard.end());
  let at = 0;
  const send = (): void => {
    while (!response.destroyed) {
      const part = body.subarray(at, at + PACED_BYTES_MIN);
      at += part.length;
      guard.take(part.length);
      if (at === body.length) return void response.end(part);
      if (!response.write(part)) return void response.once('drain', send);
    }
  };
  send();
}

/** Cuts off a client that reads too slowly, or when too many bytes are unread. */
export function guardPace(
  response: ServerResponse,
  { clock }: PaceOptions,
  hold: (cut: () => void) => () => void = () => () => undefined,
) {
  let taken = 0;
  let takenBefore = 0;
  const cut = (): void => void response.destroy();
  const release = hold(cut);
  const timer = clock.every(DRAIN_EVERY_MS, () => {
    if (taken - takenBefore < (DRAIN_BYTES_PER_SECOND_MIN * DRAIN_EVERY_MS) / 1_000) cut();
    takenBefore = taken;
  });
  return {
    take(bytes: number): void {
      taken += bytes;
    },
    end(): void {
      timer.cancel();
      release();
    },
  };
}
