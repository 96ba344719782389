import { type IncomingMessage, ServerResponse } from 'node:http';

/** Longer than the idle time of usual proxies, so that they and not we close a connection. */
export const KEEP_ALIVE_MS = 75_000;
/** Where Node keeps a finished head until the body comes. */
const FINISHED_HEAD = '_header';
const TAIL = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n\r\n`;

/**
 * A response that takes its head as one text. Node builds a head field by field and checks each, for every request: a
 * tenth of the cost of a cached answer. Here the fields are checked when the answer is made.
 */
export class ReadyResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  declare [FINISHED_HEAD]: string | null;

  /** `head` is a status line and fields, each with its line end. Only while the connection is to stay open. */
  endReady(head: string, body: Buffer, nowMs: number): void {
    this[FINISHED_HEAD] = `${head}Date: ${httpDate(nowMs)}\r\n${TAIL}`;
    this.end(body);
  }
}

let dated = { second: 0, text: '' };

function httpDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (second !== dated.second) dated = { second, text: new Date(nowMs).toUTCString() };
  return dated.text;
}
