import { WebSocket } from 'ws';
import { redactJson } from '../capture/redact.ts';
import type { BodyFile } from './body-file.ts';
import {
  type CapturedFrame,
  type CapturedSocket,
  confirmationAt,
  pickSocket,
  topicsNamed,
} from './captured-socket.ts';

/** A client that is this far behind is disconnected, as venues do. */
const UNSENT_BYTES_MAX = 16 * 2 ** 20;
/** Bytes of earlier order books that a client is sent at once. */
const CATCH_UP_BYTES_MAX = UNSENT_BYTES_MAX / 2;
/** Occurs in every venue's unsubscribe frame and in no other. */
const UNSUBSCRIBE = /unsub/i;
/** Close codes that mean the absence of a close frame. */
const UNSENDABLE_CODES: readonly number[] = [1005, 1006, 1015];

export interface ReplaySessionOptions {
  readonly socket: WebSocket;
  /** The captured sockets of the same URL. */
  readonly candidates: readonly CapturedSocket[];
  readonly bodies: BodyFile;
  readonly positionMs: () => number;
  /** A client that connects up to this much later than the captured one still gets everything from the beginning. */
  readonly catchUpMs: number;
  /** Captured sockets that clients are attached to. */
  readonly taken: Set<CapturedSocket>;
}

interface Attached {
  readonly captured: CapturedSocket;
  /** Index of the next frame. */
  next: number;
}

/**
 * One client. It is attached to the captured socket on which the same frames were sent, and receives that socket's
 * frames at the captured times. Confirmations wait for their subscription.
 */
export class ReplaySession {
  readonly #options: ReplaySessionOptions;
  readonly #attached: Attached[] = [];
  /** Confirmed topics of the client. */
  readonly #asked = new Set<string>();
  readonly #confirmed = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(options: ReplaySessionOptions) {
    this.#options = options;
    const silent = options.candidates.filter(({ sent }) => sent.size === 0);
    if (silent.length === options.candidates.length) this.#attach(silent);
    options.socket.on('close', () => {
      for (const { captured } of this.#attached) options.taken.delete(captured);
    });
  }

  receive(frame: string): void {
    const { candidates, socket } = this.#options;
    const isPing = candidates.some(({ pings }) => pings.has(frame));
    const text = isPing ? frame : redactJson(frame);
    const isSubscription = !isPing && !UNSUBSCRIBE.test(text);
    if (isSubscription) this.#attachFor(text);
    const replies = isPing ? this.#pong() : isSubscription ? this.#confirmations(text) : [];
    // A client that gets no pong disconnects, even if the capture has none.
    if (replies.length === 0) return socket.ping();
    this.#enqueue(async () => {
      for (const reply of replies) await this.#send(reply);
    });
  }

  /** Sends due frames. */
  step(): void {
    this.#enqueue(async () => {
      for (let due = this.#nextDue(); due; due = this.#nextDue()) {
        const frame = due.captured.frames[due.next] as CapturedFrame;
        due.next += 1;
        if (this.#isWanted(frame)) await this.#send(frame);
      }
      this.#closeWithVenue();
    }, true);
  }

  /** One task at a time, so that frames stay in order. */
  #enqueue(work: () => Promise<void>, isSkippable = false): void {
    if (this.#sending && isSkippable) return;
    const sending = (this.#sending ?? Promise.resolve())
      .then(work)
      .catch(() => this.#options.socket.terminate());
    this.#sending = sending;
    void sending.finally(() => {
      if (this.#sending === sending) this.#sending = undefined;
    });
  }

  /** Attaches to a socket on which the same frame was sent, else to those that carried the topics in the frame. */
  #attachFor(text: string): void {
    const { candidates } = this.#options;
    const exact = candidates.filter(({ sent }) => sent.has(text));
    if (exact.length > 0) {
      if (!this.#attached.some(({ captured }) => exact.includes(captured))) this.#attach(exact);
      return;
    }
    const topics = new Set(candidates.flatMap((one) => [...one.topics]));
    for (const topic of topicsNamed(topics, text))
      if (!this.#attached.some(({ captured }) => captured.topics.has(topic)))
        this.#attach(candidates.filter((one) => one.topics.has(topic)));
  }

  #attach(candidates: readonly CapturedSocket[]): void {
    const { taken, positionMs, catchUpMs } = this.#options;
    const atMs = positionMs();
    const captured = pickSocket(candidates, atMs, (one) => taken.has(one));
    if (!captured) return;
    taken.add(captured);
    const { frames, openedMs = 0 } = captured;
    const due = frames.findIndex((frame) => frame.atMs > atMs);
    const passed = due === -1 ? frames : frames.slice(0, due);
    // Books depend on every message of their connection, which some venues number.
    const isFromStart =
      atMs - openedMs <= catchUpMs ||
      (captured.hasBooks && passed.reduce((sum, { length }) => sum + length, 0) <= CATCH_UP_BYTES_MAX);
    this.#attached.push({ captured, next: isFromStart ? 0 : passed.length });
  }

  #nextDue(): Attached | undefined {
    const atMs = this.#options.positionMs();
    let due: Attached | undefined;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const one of this.#attached) {
      const frame = one.captured.frames[one.next];
      if (!frame || frame.atMs > atMs || frame.atMs >= dueMs) continue;
      due = one;
      dueMs = frame.atMs;
    }
    return due;
  }

  #isWanted({ confirms, isPong, isData }: CapturedFrame): boolean {
    if (isPong && this.#attached.some(({ captured }) => captured.pings.size > 0)) return false;
    if (confirms === undefined) return true;
    const due = confirms.filter((topic) => this.#asked.has(topic) && !this.#confirmed.has(topic));
    for (const topic of due) this.#confirmed.add(topic);
    return due.length > 0 || (isData === true && confirms.some((topic) => this.#asked.has(topic)));
  }

  #pong(): readonly CapturedFrame[] {
    return this.#attached.flatMap(({ captured }) => captured.pong ?? []).slice(0, 1);
  }

  /**
   * The confirmations of a subscription received so far; later ones are sent when they are due. An order book starts at
   * its newest snapshot: later changes are sent at once.
   */
  #confirmations(text: string): readonly CapturedFrame[] {
    const atMs = this.#options.positionMs();
    const replies = new Set<CapturedFrame>();
    for (const attached of this.#attached) {
      const { captured } = attached;
      for (const topic of captured.sent.get(text) ?? topicsNamed(captured.topics, text)) {
        this.#asked.add(topic);
        this.#confirmed.delete(topic);
        const i = confirmationAt(captured, topic, atMs);
        const reply = i === undefined ? undefined : captured.frames[i];
        if (i === undefined || !reply) continue;
        if (captured.hasBooks) attached.next = Math.min(attached.next, i);
        if (i >= attached.next) continue;
        this.#confirmed.add(topic);
        replies.add(reply);
      }
    }
    return [...replies];
  }

  async #send(frame: CapturedFrame): Promise<void> {
    const { socket, bodies } = this.#options;
    const body = await bodies.read(frame);
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(body, { binary: frame.isBinary });
    if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
  }

  #closeWithVenue(): void {
    const { socket, positionMs } = this.#options;
    for (const { captured, next } of this.#attached) {
      const { close, frames } = captured;
      if (close?.by !== 'venue' || close.t > positionMs() || next < frames.length) continue;
      if (UNSENDABLE_CODES.includes(close.code)) socket.terminate();
      else socket.close(close.code, close.reason);
    }
  }
}
