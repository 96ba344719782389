import type { Clock } from '@crosstape/core';
import type { RawData } from 'ws';
import type { TappedRequest, TappedSocket, VenueTap, Wiretap } from '../ingest/wiretap.ts';
import type { CaptureFile } from './capture-file.ts';
import { type CapturedBody, type CaptureLine, encodeBody } from './format.ts';
import type { Redactor } from './redact.ts';

/** Counts of what was written for one source. */
export interface SourceCount {
  requests: number;
  /** Answers by their HTTP status. */
  readonly answers: Map<number, number>;
  failures: number;
  lastFailure: string;
  connections: number;
  /** Frames received. */
  frames: number;
  dropped: number;
}

export interface RecorderOptions {
  readonly file: Pick<CaptureFile, 'isFull' | 'write'>;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/**
 * Writes wire traffic to a capture. If the disk is slower than the venues, requests wait and frames are dropped:
 * sockets are never delayed, because a venue closes one that is not read.
 */
export class CaptureRecorder implements Wiretap {
  /** By `venue:source`. */
  readonly counts = new Map<string, SourceCount>();
  readonly #options: RecorderOptions;
  #requests = 0;
  #sockets = 0;
  #isEnding = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Call before the connectors are stopped, so that aborted requests are not attributed to the venues. */
  end(): void {
    this.#isEnding = true;
  }

  venue(venue: string): VenueTap {
    return {
      request: (sent) => {
        const { source, key, question, method, origin } = sent;
        const { redactor } = this.#options;
        const id = (this.#requests += 1);
        const path = redactor.path(sent.path);
        const headers = redactor.headers(sent.headers);
        const body = sent.body === undefined ? {} : { body: { text: redactor.requestBody(sent.body) } };
        const purpose = { venue, source, key: redactor.path(key), ...(question && { question }) };
        const about = { ...purpose, method, origin: redactor.text(origin) };
        void this.#write({ t: this.#now, type: 'request', id, ...about, path, headers, ...body });
        const count = this.#count(`${venue}:${source}`);
        count.requests += 1;
        return this.#request(id, count);
      },
      socket: ({ feed, ...dialled }) => {
        const { redactor } = this.#options;
        const socket = (this.#sockets += 1);
        const origin = redactor.text(dialled.origin);
        const path = redactor.path(dialled.path);
        const headers = redactor.headers(dialled.headers);
        void this.#write({ t: this.#now, type: 'connect', socket, venue, feed, origin, path, headers });
        const count = this.#count(`${venue}:${feed}`);
        count.connections += 1;
        return this.#socket(socket, count);
      },
    };
  }

  #request(id: number, count: SourceCount): TappedRequest {
    const { redactor } = this.#options;
    return {
      answered: ({ status, headers: received, body }) => {
        count.answers.set(status, (count.answers.get(status) ?? 0) + 1);
        const headers = redactor.answerHeaders(received);
        const t = this.#now;
        return this.#write({ t, type: 'answer', id, status, headers, body: this.#body(body) });
      },
      failed: (reason) => {
        if (this.#isEnding) return;
        count.failures += 1;
        count.lastFailure = redactor.text(reason);
        void this.#write({ t: this.#now, type: 'failure', id, reason: count.lastFailure });
      },
    };
  }

  #socket(socket: number, count: SourceCount): TappedSocket {
    const { file, redactor } = this.#options;
    /** Dropped since the last line about it. */
    let dropped = 0;
    const report = (): void => {
      if (dropped === 0) return;
      const line = { t: this.#now, type: 'dropped', socket, frames: dropped } as const;
      dropped = 0;
      void this.#write(line);
    };
    return {
      opened: () => void this.#write({ t: this.#now, type: 'open', socket }),
      refused: (status, received) => {
        const headers = redactor.answerHeaders(Object.entries(received));
        count.failures += 1;
        count.lastFailure = `The venue answered the handshake with HTTP ${status}.`;
        void this.#write({ t: this.#now, type: 'refused', socket, status, headers });
      },
      sent: (frame, { topics, isPing } = {}) => {
        const about = { ...(topics && { topics }), ...(isPing && { ping: true as const }) };
        const body = { text: redactor.requestBody(frame) };
        void this.#write({ t: this.#now, type: 'out', socket, ...about, body });
      },
      received: (data, isBinary, frame) => {
        count.frames += 1;
        if (file.isFull) {
          dropped += 1;
          count.dropped += 1;
          return;
        }
        report();
        const topics = 'topics' in frame && frame.topics ? { topics: frame.topics } : {};
        const binary = isBinary ? { binary: true as const } : {};
        const about = { as: frame.kind, ...topics, ...binary };
        void this.#write({ t: this.#now, type: 'in', socket, ...about, body: this.#body(bytesOf(data)) });
      },
      closed: (by, code, reason) => {
        report();
        void this.#write({ t: this.#now, type: 'close', socket, by, code, reason: redactor.text(reason) });
      },
    };
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  #write(line: CaptureLine): Promise<void> {
    return this.#options.file.write(line);
  }

  /** Encoded at once: the caller reuses the bytes afterwards. */
  #body(bytes: Uint8Array): CapturedBody {
    const body = encodeBody(bytes);
    return 'text' in body ? { text: this.#options.redactor.text(body.text) } : body;
  }

  #count(source: string): SourceCount {
    const count = this.counts.get(source) ?? {
      requests: 0,
      answers: new Map<number, number>(),
      failures: 0,
      lastFailure: '',
      connections: 0,
      frames: 0,
      dropped: 0,
    };
    this.counts.set(source, count);
    return count;
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
