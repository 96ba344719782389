import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@crosstape/core';
import { callerOf, peerAddress, type TrustProxy } from '../../platform/client-address.ts';
import { Failure } from '../../platform/errors.ts';
import { endWithFailure } from './client-error.ts';

/** Connections of one address, unless told otherwise. */
export const CONNECTIONS_PER_ADDRESS = 2_000;
/** When to come again is up to those who are there; this is not too soon. */
const RETRY_AFTER_SECONDS = 5;

export interface ConnectionBounds {
  readonly clock: Clock;
  readonly source: string;
  readonly perAddressMax: number;
  readonly trustProxy: TrustProxy;
}

/**
 * Bounds how many connections one address may have open. Behind proxies that speak for many every peer is such a
 * proxy, which has bounds of its own; what its clients may do is counted by what they ask for.
 */
export function boundConnections(
  server: Server,
  { clock, source, perAddressMax, trustProxy }: ConnectionBounds,
): void {
  if (trustProxy !== false && trustProxy !== 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = callerOf(peerAddress(socket));
    const own = open.get(address) ?? 0;
    if (own >= perAddressMax) {
      const failure = new Failure(
        'rate_limited',
        `One address may have ${perAddressMax} connections open at a time.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
      endWithFailure(socket, failure, { clock, source });
      return;
    }
    open.set(address, own + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
