import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@crosstape/core';
import type { UnreadBudget } from './unread-budget.ts';

/** Longer bodies are sent in parts, as they are read. */
export const PACED_BYTES_MIN = 262_144;
/** A client that reads more slowly, averaged over this time, is cut off. */
const DRAIN_EVERY_MS = 30_000;
const DRAIN_BYTES_PER_SECOND_MIN = 8_192;

export interface PacedBody {
  readonly stream: Readable;
  /** Bytes that stay in memory until everything is sent. */
  readonly heldBytes: number;
}

export interface PaceOptions {
  readonly clock: Clock;
  readonly budget: UnreadBudget;
}

/**
 * Sends a body as the client reads it. Resolves when all of it is sent, rejects when it cannot be, as when the client
 * goes away or is cut off because it reads too slowly.
 */
export async function sendPaced(
  { stream, heldBytes }: PacedBody,
  response: ServerResponse,
  { clock, budget }: PaceOptions,
): Promise<void> {
  let taken = 0;
  let takenBefore = 0;
  const cut = (): void => void response.destroy();
  const release = budget.hold(heldBytes, cut);
  const timer = clock.every(DRAIN_EVERY_MS, () => {
    if (taken - takenBefore < (DRAIN_BYTES_PER_SECOND_MIN * DRAIN_EVERY_MS) / 1_000) cut();
    takenBefore = taken;
  });
  try {
    const sent = pipeline(stream, response);
    stream.on('data', (part: Uint8Array) => {
      taken += part.length;
    });
    await sent;
  } finally {
    timer.cancel();
    release();
  }
}
