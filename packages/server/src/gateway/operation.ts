import type { TObject } from 'typebox';
import type { SocketCaller } from '../http/gate.ts';
import type { FrameId, RawFrame } from './client-frames.ts';

/** An operation that a feature adds, besides `auth` and subscriptions. */
export interface Operation {
  /** Value of the field `op`. */
  readonly name: string;
  readonly summary: string;
  /** The frame that a client sends. */
  readonly request: TObject;
  /** The frames that the service answers with, by name. */
  readonly responses: Readonly<Record<string, TObject>>;
  /** Called once per socket. */
  open(client: OperationClient): OpenOperation;
}

export type OperationFrame = Readonly<Record<string, unknown>> & { readonly type: string };

export interface OperationClient {
  readonly send: (frame: OperationFrame) => void;
  /** Logs an internal error and returns the id of its log entry. */
  readonly report: (error: unknown) => string;
  /** Counts an invalid frame towards the limit of the socket. */
  readonly countInvalid: () => void;
}

export interface OpenOperation {
  /** Handles a frame. Errors are sent to the client; it never rejects. */
  handle(frame: RawFrame, caller: SocketCaller, id: { readonly id?: FrameId }): Promise<void>;
  /** The socket is closed. */
  close(): void;
}
