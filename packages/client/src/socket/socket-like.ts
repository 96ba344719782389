/** The part of a WebSocket that is used: browsers, Node 22 and the package `ws` all have it. */
export interface SocketLike {
  binaryType: string;
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

export type SocketClass = new (url: string) => SocketLike;
