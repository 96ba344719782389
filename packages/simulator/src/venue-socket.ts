import type { Duplex } from 'node:stream';
import type { Clock } from '@crosstape/core';
import type { WebSocket } from 'ws';
import type { FaultBoard, Spot } from './fault-board.ts';
import { mangle } from './mangle.ts';

/** Unsent bytes at which a peer that does not read is dropped. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;
/** Frames that a slow venue keeps back before it drops the peer. */
const DELAYED_FRAMES_MAX = 10_000;

/** A client's socket from the venue's side: sent frames pass the faults. */
export class VenueSocket {
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #spot: Spot;
  readonly #clock: Clock;
  readonly #faults: FaultBoard;
  #delayed = 0;
  #lastDueMs = 0;
  #isCut = false;

  constructor(options: { socket: WebSocket; wire: Duplex; spot: Spot; clock: Clock; faults: FaultBoard }) {
    this.#socket = options.socket;
    this.#wire = options.wire;
    this.#spot = options.spot;
    this.#clock = options.clock;
    this.#faults = options.faults;
    this.#socket.on('error', () => this.#socket.terminate());
    this.#socket.on('ping', (data: Buffer) => {
      if (!this.#faults.strike(this.#spot, 'freeze')) this.#socket.pong(data);
    });
  }

  onFrame(listen: (text: string) => void): void {
    this.#socket.on('message', (data: Buffer) => listen(data.toString('utf8')));
  }

  onClose(listen: () => void): void {
    this.#socket.on('close', listen);
  }

  /** `sent` is called once the frame is on its way, unless a fault has changed it. */
  send(frame: string, sent?: () => void): void {
    if (this.#isCut || this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#faults.strike(this.#spot, 'freeze')) return;
    if (this.#faults.strike(this.#spot, 'cut')) return this.#cut(frame);
    const text = mangle(frame, { faults: this.#faults, ...this.#spot });
    const slow = this.#faults.strike(this.#spot, 'slow');
    const unharmed = text === frame ? sent : undefined;
    if (slow || this.#delayed > 0) this.#delay(text, slow?.delayMs ?? 0, unharmed);
    else this.#write(text, unharmed);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #write(text: string, sent: (() => void) | undefined): void {
    if (this.#isCut || this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > UNSENT_BYTES_MAX) return this.#socket.terminate();
    this.#socket.send(text);
    sent?.();
  }

  /** Late, but in order. */
  #delay(text: string, delayMs: number, sent: (() => void) | undefined): void {
    if (this.#delayed >= DELAYED_FRAMES_MAX) return this.#socket.terminate();
    this.#lastDueMs = Math.max(this.#lastDueMs, this.#clock.now() + delayMs);
    this.#delayed += 1;
    this.#clock.after(this.#lastDueMs - this.#clock.now(), () => {
      this.#delayed -= 1;
      this.#write(text, sent);
    });
  }

  /** The head of a frame that announces the whole text, half of it, and the end of the connection. */
  #cut(text: string): void {
    this.#isCut = true;
    const payload = Buffer.from(text);
    const head = Buffer.alloc(10);
    head[0] = 0x81;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
    this.#wire.write(Buffer.concat([head, payload.subarray(0, payload.length >> 1)]), () =>
      this.#wire.destroy(),
    );
  }
}
