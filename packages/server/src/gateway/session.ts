import type { Socket } from 'node:net';
import type { Clock } from '@crosstape/core';
import type { RawData, WebSocket } from 'ws';
import type { KeyStore } from '../platform/key-store.ts';
import type { Unread } from '../http/unread-budget.ts';
import {
  AuthFrame,
  type FrameId,
  frameId,
  type RawFrame,
  readFrame,
  readRawFrame,
  unknownOp,
} from './client-frames.ts';
import type { OpenOperation, Operation, OperationFrame } from './operation.ts';
import { BAD_FRAMES_AT_ONCE, FrameLimits } from './frame-limits.ts';
import { GatewayError, gatewayErrorOf } from './gateway-error.ts';
import { Outbox, type Writer } from './outbox.ts';
import type { ConnectionSlots } from './connection-slots.ts';
import { closeCodes, type ServerFrame } from './server-frames.ts';
import { SignIn } from './sign-in.ts';
import { type SubscribeContext, Subscriptions } from './subscriptions.ts';
import type { Topic } from './topic.ts';
import { encodeMessage, type Format, wireFrame } from './wire-frame.ts';

/** Queued frames per socket; beyond this reading from the socket is paused. */
const INBOX_FRAMES_MAX = 64;
/** Frames handled per turn of the event loop. */
const FRAMES_PER_TURN = 16;
/** A socket that was silent for this long is dead. */
const SILENT_MS_MAX = 45_000;
/** How long a closed socket may take to answer the close frame. */
const CLOSING_MS_MAX = 5_000;
/** The same after a flood: the socket is no longer read, so its close frame never arrives. */
const FLOODING_MS_MAX = 1_000;

/** What all sessions share. */
export interface SessionContext {
  readonly clock: Clock;
  readonly keys: KeyStore;
  readonly operations: readonly Operation[];
  readonly subscribing: SubscribeContext;
  readonly slots: ConnectionSlots;
  readonly writer: Writer;
  readonly requireKey: boolean;
  readonly totals: { errors: number; tooSlow: number; dead: number; flooding: number };
  /** Logs an internal error and returns the id of its log entry. */
  readonly report: (error: unknown) => string;
  readonly onAbuse: (socket: Socket) => void;
}

export interface SessionOptions {
  readonly ws: WebSocket;
  /** The socket below: frames for many clients are written directly to it. */
  readonly socket: Socket;
  readonly caller: string;
  readonly context: SessionContext;
  readonly onEnd: () => void;
}

interface Received {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** One client, from the handshake to the end of its socket. Its frames are handled in order. */
export class Session {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #context: SessionContext;
  readonly #outbox: Outbox;
  readonly #signIn: SignIn;
  readonly #subscriptions: Subscriptions;
  readonly #operations: ReadonlyMap<string, OpenOperation>;
  readonly #inbox: Received[] = [];
  readonly #limits: FrameLimits;
  #lastReceivedMs: number;
  #isBusy = false;
  #isClosing = false;

  constructor({ ws, socket, caller, context, onEnd }: SessionOptions) {
    this.#ws = ws;
    this.#socket = socket;
    this.#context = context;
    const { clock, keys, slots, requireKey, operations, writer, report } = context;
    this.#lastReceivedMs = clock.now();
    this.#limits = new FrameLimits(clock);
    const onStall = (): void => this.#cut();
    const isCloseSent = (): boolean => ws.readyState !== ws.OPEN;
    this.#outbox = new Outbox({ socket, writer, onOverflow: onStall, isCloseSent });
    const onRefused = (error: unknown): void => this.#fail(error, undefined);
    this.#signIn = new SignIn({ clock, keys, slots, requireKey, caller, onRefused });
    const send = (frame: ServerFrame | OperationFrame): void => this.#send(frame);
    const client = { send, report, countInvalid: () => this.#countBad() };
    this.#operations = new Map(operations.map((operation) => [operation.name, operation.open(client)]));
    this.#subscriptions = new Subscriptions({
      caller: () => this.#signIn.caller,
      context: context.subscribing,
      outbox: this.#outbox,
      send,
      onFailure: (error, id) => this.#fail(error, id),
      onStall,
    });
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary));
    ws.on('pong', () => this.#receiveControl());
    ws.on('ping', (data) => {
      this.#receiveControl();
      this.#outbox.send(wireFrame('pong', data));
    });
    ws.on('error', () => {
      context.totals.errors += 1;
      // The library has already sent a close frame with the reason, and nothing may follow it.
      if (!this.#isClosing) this.#giveUpLater(CLOSING_MS_MAX);
      this.#stop();
    });
    ws.once('close', () => {
      this.#stop();
      this.#signIn.end();
      onEnd();
    });
  }

  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  followsAny(topics: ReadonlySet<Topic>): boolean {
    return this.#subscriptions.followsAny(topics);
  }

  get unreadBytes(): number {
    return this.#outbox.queuedBytes;
  }

  get unread(): Unread {
    return { bytes: this.unreadBytes, socket: this.#socket, cut: () => this.#cut() };
  }

  /** Sends a heartbeat, which the client must answer. */
  beat(bytes: Readonly<Record<Format, Buffer>>, nowMs: number): void {
    if (this.#isClosing) return;
    // A paused socket cannot be checked for silence.
    const isAlive = this.#ws.isPaused || nowMs - this.#lastReceivedMs < SILENT_MS_MAX;
    if (isAlive) return this.#outbox.send(bytes[this.#outbox.format]);
    this.#context.totals.dead += 1;
    this.#ws.terminate();
  }

  close(code: number, reason: string, { isTooSlow = false, withinMs = CLOSING_MS_MAX } = {}): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#outbox.close(isTooSlow);
    this.#giveUpLater(withinMs);
    this.#ws.close(code, reason);
  }

  /** Nothing more is sent. */
  #stop(): void {
    this.#isClosing = true;
    this.#outbox.drop();
    this.#subscriptions.close();
    for (const operation of this.#operations.values()) operation.close();
  }

  #giveUpLater(withinMs: number): void {
    const timer = this.#context.clock.after(withinMs, () => this.#ws.terminate());
    this.#ws.once('close', () => timer.cancel());
  }

  #cut(): void {
    if (this.#isClosing) return;
    this.#context.totals.tooSlow += 1;
    this.close(closeCodes.tooSlow, 'what was sent was not read fast enough', { isTooSlow: true });
  }

  #noteReceived(): void {
    this.#lastReceivedMs = this.#context.clock.now();
  }

  /** Stops reading from a client that sends too much; it gets only a close frame. */
  #closeFlooding(reason: string): void {
    if (this.#isClosing) return;
    this.#context.totals.flooding += 1;
    this.close(closeCodes.policyViolation, reason, { withinMs: FLOODING_MS_MAX });
    this.#ws.pause();
    this.#context.onAbuse(this.#socket);
  }

  #receiveControl(): void {
    this.#noteReceived();
    if (!this.#limits.takeControl()) this.#closeFlooding('too many pings or pongs');
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#noteReceived();
    if (this.#isClosing) return;
    if (!this.#limits.takeMessage()) return this.#closeFlooding('too many frames');
    // The library returns one buffer by default.
    this.#inbox.push({ data: data as Buffer, isBinary });
    if (this.#inbox.length >= INBOX_FRAMES_MAX) this.#ws.pause();
    if (!this.#isBusy) void this.#work();
  }

  #readOn(): void {
    // Frames received meanwhile are still unread, so silence is counted from here.
    this.#noteReceived();
    this.#ws.resume();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    let handled = 0;
    for (let next = this.#inbox.shift(); next && !this.#isClosing; next = this.#inbox.shift()) {
      let id: FrameId | undefined;
      try {
        const frame = await this.#read(next);
        id = frameId(frame);
        await this.#take(frame, id);
      } catch (error) {
        this.#fail(error, id);
      }
      if (this.#ws.isPaused && this.#inbox.length === 0 && !this.#isClosing) this.#readOn();
      handled += 1;
      if (handled % FRAMES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isBusy = false;
  }

  /** A socket whose first frame is not `auth` is anonymous from then on, even if the frame cannot be parsed. */
  async #read({ data, isBinary }: Received): Promise<RawFrame> {
    try {
      return readRawFrame(data, isBinary);
    } catch (error) {
      await this.#signIn.account();
      throw error;
    }
  }

  async #take(frame: RawFrame, id: FrameId | undefined): Promise<void> {
    const { slots } = this.#context;
    switch (frame.op) {
      case 'auth':
        return this.#auth(frame, id);
      case 'subscribe': {
        const account = await this.#signIn.account();
        const waitSeconds = slots.countSubscribe(account);
        const { subscriptions, subscribesPerMinute } = slots.limitsOf(account);
        if (waitSeconds === undefined) return this.#subscriptions.subscribe(frame, id, subscriptions);
        const text = `More than ${subscribesPerMinute} subscribe operations in a minute; try again in ${waitSeconds} s.`;
        throw new GatewayError('rate_limited', text, { details: { retryAfterMs: waitSeconds * 1_000 } });
      }
      case 'unsubscribe':
        await this.#signIn.account();
        return this.#subscriptions.unsubscribe(frame, id);
      default: {
        await this.#signIn.account();
        const operation = this.#operations.get(String(frame.op));
        if (!operation)
          throw unknownOp(frame, ['auth', 'subscribe', 'unsubscribe', ...this.#operations.keys()]);
        // Operations may take long; other frames do not wait for them.
        void operation.handle(frame, this.#signIn.caller, idOf(id));
      }
    }
  }

  async #auth(raw: RawFrame, id: FrameId | undefined): Promise<void> {
    const frame = readFrame(AuthFrame, raw);
    if (frame.format) this.#outbox.format = frame.format;
    const tier = await this.#signIn.auth(frame);
    this.#send({ type: 'ack', ...idOf(id), op: 'auth', tier });
  }

  #fail(error: unknown, id: FrameId | undefined): void {
    if (this.#isClosing) return;
    const { code, message, closeWith, details } = gatewayErrorOf(error, this.#context.report);
    this.#context.totals.errors += 1;
    this.#send({ type: 'error', ...idOf(id), code, message, ...details });
    if (closeWith !== undefined) this.close(closeWith, code);
    else if (code === 'bad_request') this.#countBad();
  }

  #countBad(): void {
    if (!this.#limits.takeBad()) this.#closeFlooding(`more than ${BAD_FRAMES_AT_ONCE} invalid frames`);
  }

  #send(frame: ServerFrame | OperationFrame): void {
    this.#outbox.send(encodeMessage(frame, this.#outbox.format));
  }
}

function idOf(id: FrameId | undefined): { readonly id?: FrameId } {
  return id === undefined ? {} : { id };
}
