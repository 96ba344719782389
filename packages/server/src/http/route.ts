import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../platform/errors.ts';
import type { Answer } from './answer.ts';
import type { Streamed } from './streamed.ts';
import type { Endpoint } from './endpoint.ts';
import type { StreamDefinition } from './stream-definition.ts';
import type { Admission } from './gate.ts';

/** Where the interface lives. */
export const BASE_PATH = '/api/v1';
/** Where the WebSocket gateway is. */
export const GATEWAY_PATH = '/ws/v1';

export interface PageReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Besides those of every page: name, value, name, value. */
  readonly headers?: readonly string[];
  /** What a browser may load for it (CSP); default: nothing. */
  readonly policy?: string;
}

/** Somebody comes to a page. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly admission: Admission;
  /** The JSON body, of a page that takes one. */
  readonly body?: unknown;
}

/** Something served outside the interface, and to its own origin alone. */
export interface Page {
  readonly path: string;
  /** Default: GET and HEAD. */
  readonly methods?: readonly string[];
  /** Whether a visit counts like a request to the interface, key and all. */
  readonly isCounted?: boolean;
  /** What a visit to an address costs, of either quota. Default: 1. */
  readonly cost?: number | ((url: string) => number);
  /** Whether a body is left unread, whatever the method. */
  readonly ignoresBody?: boolean;
  /** What is made for this visit, what is ready for everybody (`fixedPage`), or what is sent while it is made. */
  handle(visit: Visit): PageReply | Answer | Streamed | Promise<PageReply | Answer | Streamed>;
}

/** What an address leads to. */
export type Route = { readonly url: string; readonly methods: readonly string[] } & (
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'stream'; readonly definition: StreamDefinition }
  | { readonly kind: 'page'; readonly page: Page }
);

/** A request on the long way. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Absent when the address and method lead nowhere. */
  readonly route?: Route;
  /** What the body says, of a route that takes one. */
  readonly body?: unknown;
  /** Why the body could not be read. */
  readonly trouble?: Failure;
}

export function routesOf(
  endpoints: readonly Endpoint[],
  definitions: readonly StreamDefinition[],
  pages: readonly Page[],
): readonly Route[] {
  return [
    ...endpoints.map((endpoint): Route => {
      const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
      return { kind: 'endpoint', url: BASE_PATH + endpoint.path, methods, endpoint };
    }),
    ...definitions.map((definition): Route => {
      return { kind: 'stream', url: BASE_PATH + definition.path, methods: ['GET'], definition };
    }),
    ...pages.map((page): Route => {
      return { kind: 'page', url: page.path, methods: page.methods ?? ['GET', 'HEAD'], page };
    }),
  ];
}
