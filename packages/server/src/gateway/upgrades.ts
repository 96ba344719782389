import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@crosstape/core';
import { Failure } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Gateway } from './gateway.ts';
import { hasTwoHosts, twoHosts } from '../http/allowed-hosts.ts';
import { endWithFailure } from '../http/client-error.ts';
import { GATEWAY_PATH } from '../http/route.ts';

export interface UpgradesOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Source label of failures. */
  readonly source: string;
}

/** Accepts WebSocket upgrades at the gateway's path and refuses others. */
export function serveUpgrades(
  server: Server,
  gateway: Gateway,
  { clock, log, source }: UpgradesOptions,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // A connection that breaks during the handshake needs no answer.
    socket.on('error', () => socket.destroy());
    try {
      if (hasTwoHosts(request)) throw twoHosts();
      if (!isWebSocket(request)) serveAsRequest(server, request, socket);
      else if (pathOf(request) === GATEWAY_PATH) gateway.open(request, socket, head);
      else
        throw new Failure(
          'not_found',
          `There is no WebSocket at ${pathOf(request)}; it is at ${GATEWAY_PATH}.`,
        );
    } catch (error) {
      if (!(error instanceof Failure)) log.error({ err: error }, 'a handshake failed on our side');
      const failure = error instanceof Failure ? error : new Failure('internal', 'Internal error.');
      endWithFailure(socket, failure, { source, clock });
    }
  });
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/**
 * Answers a client that offers another protocol (curl offers HTTP/2) over HTTP/1.1. Node has released the connection by
 * then, so a body cannot be read, and the connection ends with the answer.
 */
function serveAsRequest(server: Server, request: IncomingMessage, socket: Socket): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new Failure(
      'bad_request',
      'Only a GET can offer another protocol; send the request without `Upgrade`.',
    );
  }
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  server.emit('request', request, response);
}
