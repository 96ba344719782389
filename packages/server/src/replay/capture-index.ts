import {
  type CapturedBody,
  type CaptureHeader,
  type CaptureLine,
  type ConnectLine,
  decodeBody,
  type InLine,
  type RequestLine,
} from '../capture/format.ts';
import { CaptureError, type CaptureReader } from '../capture/read-capture.ts';
import { BodyFile } from './body-file.ts';
import { CapturedAnswers } from './captured-answers.ts';
import { answeredTopics, type CapturedFrame, type CapturedSocket } from './captured-socket.ts';
import { requestKey } from './request-key.ts';

/** Answers and frames whose positions are kept in memory. */
const ENTRIES_MAX = 5_000_000;
/** Requests that are under way at a time, and sockets: far more than a service has. */
const REQUESTS_MAX = 100_000;
const SOCKETS_MAX = 100_000;

/** An indexed capture: payloads on disk, and their positions. */
export interface CaptureIndex {
  readonly header: CaptureHeader;
  readonly isComplete: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  readonly answers: CapturedAnswers;
  /** The markets whose candles, samples and past trades were requested, as `publisher source symbol`. */
  readonly captured: readonly string[];
  readonly sockets: readonly CapturedSocket[];
  readonly bodies: BodyFile;
}

export async function indexCapture(reader: CaptureReader): Promise<CaptureIndex> {
  const bodies = await BodyFile.create();
  try {
    const index = new IndexBuilder(bodies);
    for await (const line of reader.lines()) await index.add(line);
    await bodies.flush();
    const { header, isComplete } = reader;
    const { answers, captured, sockets, firstMs = header.startedAtMs, lastMs = firstMs } = index;
    return {
      header,
      isComplete,
      fromMs: firstMs,
      toMs: lastMs,
      answers,
      captured: [...captured],
      sockets,
      bodies,
    };
  } catch (error) {
    await bodies.close();
    throw error;
  }
}

class IndexBuilder {
  readonly answers = new CapturedAnswers();
  readonly captured = new Set<string>();
  firstMs: number | undefined;
  lastMs: number | undefined;
  readonly #bodies: BodyFile;
  readonly #requests = new Map<number, RequestLine>();
  readonly #sockets = new Map<number, CapturedSocket>();
  #entries = 0;

  constructor(bodies: BodyFile) {
    this.#bodies = bodies;
  }

  get sockets(): readonly CapturedSocket[] {
    return [...this.#sockets.values()];
  }

  async add(line: CaptureLine): Promise<void> {
    this.firstMs ??= line.t;
    this.lastMs = Math.max(this.lastMs ?? line.t, line.t);
    switch (line.type) {
      case 'request':
        this.#requests.set(line.id, line);
        return atMost(this.#requests, REQUESTS_MAX, 'requests without an answer');
      case 'answer': {
        const { status, headers } = line;
        const body = await this.#store(line.body);
        return this.#answer(line.id, line.t, { answer: { status, headers, body } });
      }
      case 'failure':
        return this.#answer(line.id, line.t, {});
      case 'connect':
        this.#sockets.set(line.socket, newSocket(line));
        return atMost(this.#sockets, SOCKETS_MAX, 'sockets');
      case 'end':
        return;
      default:
    }
    const socket = this.#sockets.get(line.socket);
    if (!socket) return;
    switch (line.type) {
      case 'open':
        socket.openedMs = line.t;
        return;
      case 'refused':
        socket.refusedStatus = line.status;
        return;
      case 'close':
        socket.close = line;
        return;
      case 'out': {
        const text = decodeBody(line.body).toString();
        for (const topic of line.topics ?? []) socket.topics.add(topic);
        if (line.topics) socket.unanswered.push(line.topics);
        if (line.ping) socket.pings.add(text);
        else socket.sent.set(text, [...new Set([...(socket.sent.get(text) ?? []), ...(line.topics ?? [])])]);
        return;
      }
      case 'in': {
        const confirms = line.topics && answeredTopics(socket, line.topics);
        const frame = frameOf(line, confirms, await this.#store(line.body));
        const i = socket.frames.push(frame) - 1;
        if (frame.isPong) socket.pong ??= frame;
        if (line.as === 'bookChange') socket.hasBooks = true;
        for (const topic of frame.confirms ?? []) {
          const indexes = socket.confirmations.get(topic) ?? [];
          socket.confirmations.set(topic, indexes);
          indexes.push(i);
        }
        return;
      }
      default:
    }
  }

  #answer(id: number, receivedAtMs: number, answer: object): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    if (!request) return;
    const { venue, source, key: symbol, method, path, body } = request;
    if (request.question && 'answer' in answer) this.captured.add(`${venue} ${source} ${symbol}`);
    const key = requestKey(venue, method, path, body && decodeBody(body).toString());
    this.answers.add(key, { receivedAtMs, timesMs: key.timesMs, ...answer });
  }

  #store(body: CapturedBody): ReturnType<BodyFile['append']> {
    this.#entries += 1;
    if (this.#entries > ENTRIES_MAX)
      throw new CaptureError(`the capture has more than ${ENTRIES_MAX} payloads: capture fewer minutes`);
    return this.#bodies.append(decodeBody(body));
  }
}

function atMost({ size }: ReadonlyMap<number, unknown>, most: number, what: string): void {
  if (size > most) throw new CaptureError(`the capture has more than ${most} ${what}`);
}

function newSocket({ venue, path }: ConnectLine): CapturedSocket {
  return {
    venue,
    path,
    openedMs: undefined,
    refusedStatus: undefined,
    close: undefined,
    frames: [],
    confirmations: new Map(),
    hasBooks: false,
    pong: undefined,
    sent: new Map(),
    unanswered: [],
    topics: new Set(),
    pings: new Set(),
  };
}

function frameOf(
  { t, as, binary }: InLine,
  confirms: readonly string[] | undefined,
  { offset, length }: { readonly offset: number; readonly length: number },
): CapturedFrame {
  return {
    atMs: t,
    offset,
    length,
    isBinary: binary === true,
    ...(confirms && { confirms }),
    ...(confirms && as !== 'subscribed' && { isData: true as const }),
    ...(as === 'heartbeat' && { isPong: true as const }),
  };
}
