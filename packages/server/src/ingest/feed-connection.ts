import type { Agent } from 'node:http';
import { type Clock, onClockStep, type Timer } from '@crosstape/core';
import type { Feed, Frame, Known } from '@crosstape/venues';
import { type ClientOptions, WebSocket } from 'ws';
import { userAgent } from '../platform/product.ts';
import { afterRunning } from '../platform/running-time.ts';
import { isData } from './feed-sink.ts';
import { readFrame } from './read-frame.ts';
import type { StallDetector } from './stall-detector.ts';
import { reasonOf, SourceFailure, statusOfHttp } from './source-failure.ts';
import type { VenueGate } from './venue-gate.ts';
import type { TappedSocket, VenueTap } from './wiretap.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Larger frames are refused, so that none blocks the event loop: ten thousand liquidations are 1.2 MB (Bitget). */
const FRAME_BYTES_MAX = 2_000_000;
/** A peer that sends nothing for this long after a ping is dead: a frozen socket sends no pong either. */
const PONG_WAIT_MS = 10_000;
/** A subscription that is not confirmed for this long is reported, and sent again. */
const CONFIRM_WAIT_MS = 15_000;
/** Upper bound of that interval, which doubles each time for a market that may not trade for hours. */
const CONFIRM_WAIT_MAX_MS = 600_000;
/** Silence is checked at least this often: its limit may change while it lasts. */
const WATCH_EVERY_MS = 2_000;
/** A check that runs this late belongs to a busy process: pending frames are read first, then silence is checked again. */
const LATE_LOOK_MS = 500;
const READ_FIRST_MS = 100;

/** Opens a socket. */
export type ConnectSocket = (url: string, options: ClientOptions) => WebSocket;

const connectOverNetwork: ConnectSocket = (url, options) => new WebSocket(url, options);

export interface FeedConnectionOptions {
  readonly url: string;
  readonly feed: Feed;
  readonly gate: VenueGate;
  readonly clock: Clock;
  /** Absent for a feed that may be silent for hours. */
  readonly silence?: StallDetector;
  readonly known: () => Known;
  /** Extra stall timeout, staggered per socket, so that sockets with the same data do not reconnect together. */
  readonly staggerMs: number;
  readonly agent?: Agent;
  readonly connect?: ConnectSocket;
  readonly tap?: VenueTap | undefined;
  /** The topics to be subscribed to now. */
  readonly topics: () => ReadonlySet<string>;
  /** Called for everything received, including pongs. */
  readonly onReceived: (atMs: number) => void;
  readonly onFrame: (frame: Frame, receivedAtMs: number) => void;
  /** Called before the frame that shows it: the venue delivers these topics. */
  readonly onCarried: (topics: readonly string[], atMs: number) => void;
  /** Called periodically with the topics that have been unconfirmed for long, if any. */
  readonly onUnconfirmed: (topics: readonly string[]) => void;
}

/** One connection of a feed from its handshake to its end, which is reported exactly once. */
export class FeedConnection {
  readonly ended: Promise<SourceFailure>;
  readonly #options: FeedConnectionOptions;
  readonly #socket: WebSocket;
  readonly #tapped: TappedSocket | undefined;
  readonly #timers: Timer[] = [];
  readonly #ending = new AbortController();
  /** Mirrors `#ending.signal.aborted`, which is slow to read for each frame. */
  #hasEnded = false;
  readonly #subscribed = new Set<string>();
  /** Topics to subscribe to a second time, for the back-fill that follows a subscription. */
  readonly #renewing = new Set<string>();
  /** When each topic was last sent that is not confirmed, and how often, where confirmations matter. */
  readonly #unconfirmed = new Map<string, { readonly sentMs: number; readonly times: number }>();
  /** Topics that were sent and have not delivered yet. */
  readonly #uncarried = new Set<string>();
  /** The topics of each frame that was not answered, oldest first. */
  #unanswered: (readonly string[])[] = [];
  /** Topics that were not confirmed in time. They are sent one by one: a frame may be refused because of one of them. */
  readonly #alone = new Set<string>();
  readonly #needsConfirmation: boolean;
  #stallTimer: Timer | undefined;
  /** Runs from the first ping that has not been answered. */
  #pongTimer: Timer | undefined;
  #isSending = false;
  #refusedSinceData = 0;

  constructor(options: FeedConnectionOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      const { signal } = this.#ending;
      signal.addEventListener('abort', () => resolve(signal.reason as SourceFailure), { once: true });
    });
    const { url, feed } = options;
    // Trades of a market that is not subscribed to are missing; of other feeds another source has the same.
    this.#needsConfirmation = feed.isWhole === true || feed.refusesWholeFrames === true || 'ids' in feed;
    const headers = { 'user-agent': userAgent, ...feed.headers };
    const origin = url.slice(0, url.length - feed.path.length);
    this.#tapped = options.tap?.socket({ feed: feed.name, origin, path: feed.path, headers });
    const { connect = connectOverNetwork } = options;
    this.#socket = connect(url, {
      perMessageDeflate: false,
      maxPayload: feed.frameBytesMax ?? FRAME_BYTES_MAX,
      // Checked by us, so that one bad frame is refused and does not cost the connection.
      skipUTF8Validation: true,
      headers,
      ...(options.agent ? { agent: options.agent } : {}),
    });
    const handshake = afterRunning(options.clock, HANDSHAKE_TIMEOUT_MS, () =>
      this.end(new SourceFailure('down', `No connection within ${HANDSHAKE_TIMEOUT_MS / 1_000} s.`)),
    );
    this.#timers.push(handshake);
    const parse = feed.open(options.known);
    this.#socket.on('open', () => {
      handshake.cancel();
      this.#tapped?.opened();
      this.#opened();
    });
    for (const sign of ['ping', 'pong'] as const)
      this.#socket.on(sign, () => this.#noteReceived(options.clock.now()));
    this.#socket.on('message', (data, isBinary) => {
      const frame = readFrame(parse, data);
      this.#tapped?.received(data, isBinary, frame);
      this.#received(frame);
    });
    this.#socket.on('unexpected-response', (_, { statusCode = 0, headers: answered }) => {
      this.#tapped?.refused(statusCode, answered);
      const status = statusOfHttp(statusCode);
      const failure =
        status === 'limited'
          ? options.gate.limited(`HTTP ${statusCode}`, answered['retry-after'])
          : new SourceFailure(status, `The venue answered the handshake with HTTP ${statusCode}.`);
      this.end(failure);
    });
    this.#socket.on('error', (error) => this.end(failureOfSocket(error)));
    this.#socket.on('close', (code, reason) => {
      const isOurs = this.#hasEnded;
      this.end(new SourceFailure('down', `The venue closed the connection (${code}).`));
      const why = isOurs ? (this.#ending.signal.reason as SourceFailure).message : reason.toString();
      this.#tapped?.closed(isOurs ? 'us' : 'venue', code, why);
    });
  }

  /** Whether all topics are subscribed to, and confirmed if the venue does. */
  get isWhole(): boolean {
    const { feed, topics } = this.#options;
    const isConfirmed = (topic: string): boolean =>
      this.#subscribed.has(topic) && !this.#unconfirmed.has(topic);
    return !feed.isWhole || [...topics()].every(isConfirmed);
  }

  /** The venue delivers a topic. */
  carries(topic: string): boolean {
    return this.#subscribed.has(topic) && !this.#uncarried.has(topic);
  }

  /** Sends the difference between the subscribed and the wanted topics. */
  topicsChanged(): void {
    void this.#sendDue();
  }

  /** Subscribes again to those of the topics that are subscribed to. */
  renew(topics: readonly string[]): void {
    for (const topic of topics) if (this.#subscribed.has(topic)) this.#renewing.add(topic);
    void this.#sendDue();
  }

  end(failure: SourceFailure): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#ending.abort(failure);
    for (const timer of this.#timers) timer.cancel();
    this.#stallTimer?.cancel();
    this.#pongTimer?.cancel();
    this.#socket.terminate();
  }

  #opened(): void {
    const { clock, feed, silence } = this.#options;
    if (silence) {
      silence.begin(clock.now());
      this.#watchForStall(silence);
      // The time that a suspended machine missed was no silence of the venue.
      this.#timers.push(onClockStep(clock, (_, toMs) => silence.begin(toMs)));
    }
    this.#timers.push(clock.every(feed.ping.everyMs, () => this.#ping()));
    if (this.#needsConfirmation) this.#timers.push(clock.every(CONFIRM_WAIT_MS, () => this.#remind()));
    void this.#sendDue();
  }

  #received(frame: Frame): void {
    if (this.#hasEnded) return;
    const { clock, silence, onFrame } = this.#options;
    const nowMs = clock.now();
    this.#noteReceived(nowMs);
    if ('topics' in frame) for (const topic of frame.topics ?? []) this.#unconfirmed.delete(topic);
    if (this.#uncarried.size > 0) this.#noteCarried(frame, nowMs);
    if (frame.kind === 'refused') this.#refusedSinceData += 1;
    else if (isData(frame)) {
      this.#refusedSinceData = 0;
      // A back-fill shows that the socket works, not that trades are coming now.
      if ('isBackfill' in frame && frame.isBackfill) silence?.begin(nowMs);
      else silence?.end(nowMs);
    }
    onFrame(frame, nowMs);
  }

  #noteCarried(frame: Frame, nowMs: number): void {
    // Some markets do not trade for hours; every trade of the others passes here meanwhile.
    const isUsual = frame.kind === 'marketTrades' && frame.topics === undefined;
    if (isUsual && !frame.trades.some(({ symbol }) => this.#uncarried.has(symbol))) return;
    const carried = this.#topicsOf(frame).filter((topic) => this.#uncarried.delete(topic));
    for (const topic of carried) this.#unconfirmed.delete(topic);
    if (carried.length > 0) this.#options.onCarried(carried, nowMs);
  }

  /** The topics that a frame shows to be delivered. An answer without names belongs to the oldest unanswered frame. */
  #topicsOf(frame: Frame): readonly string[] {
    if (frame.kind === 'marketTrades')
      return [...(frame.topics ?? []), ...frame.trades.map(({ symbol }) => symbol)];
    if (frame.kind === 'refused' && frame.isReply) this.#unanswered.shift();
    if (frame.kind !== 'subscribed') return [];
    const { topics } = frame;
    if (topics.length === 0) return this.#unanswered.shift() ?? [];
    // Some venues name only the first topic of the frame that they answer.
    const isAnswered = ([first = '']: readonly string[]): boolean => topics.includes(first);
    const answered = this.#unanswered.filter(isAnswered);
    this.#unanswered = this.#unanswered.filter((one) => !isAnswered(one));
    return [...topics, ...answered.flat()];
  }

  #remind(): void {
    const { clock, feed, topics, onUnconfirmed } = this.#options;
    const nowMs = clock.now();
    const wanted = topics();
    const late: string[] = [];
    const due = new Set<string>();
    for (const [topic, { sentMs, times }] of this.#unconfirmed) {
      if (!wanted.has(topic)) {
        this.#unconfirmed.delete(topic);
        continue;
      }
      if (nowMs - sentMs >= CONFIRM_WAIT_MS) late.push(topic);
      const isUrgent = feed.isWhole === true || feed.refusesWholeFrames === true;
      const waitMs = isUrgent ? CONFIRM_WAIT_MS : CONFIRM_WAIT_MS * 2 ** (times - 1);
      if (nowMs - sentMs >= Math.min(CONFIRM_WAIT_MAX_MS, waitMs)) due.add(topic);
    }
    if (feed.isWhole) onUnconfirmed(late);
    // Later answers refer to what is sent again.
    this.#unanswered = this.#unanswered.filter((one) => !one.some((topic) => due.has(topic)));
    for (const topic of due) {
      this.#subscribed.delete(topic);
      this.#alone.add(topic);
    }
    void this.#sendDue();
  }

  #noteReceived(atMs: number): void {
    if (this.#hasEnded) return;
    this.#pongTimer?.cancel();
    this.#pongTimer = undefined;
    this.#options.onReceived(atMs);
  }

  /**
   * Sent on time even if frames wait for the venue's rate limit, which its sockets share: a late ping costs the
   * connection.
   */
  #ping(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const { frame } = this.#options.feed.ping;
    if (frame === undefined) this.#socket.ping();
    else {
      this.#socket.send(frame);
      this.#tapped?.sent(frame, { isPing: true });
    }
    this.#pongTimer ??= afterRunning(this.#options.clock, PONG_WAIT_MS, () =>
      this.end(new SourceFailure('down', 'The venue does not answer pings.')),
    );
  }

  /** Not reset by each frame: checks when silence could be too long, and periodically before. */
  #watchForStall(silence: StallDetector, isLate = false): void {
    const { clock, staggerMs } = this.#options;
    const nowMs = clock.now();
    const leftMs = silence.limitMs + staggerMs - silence.lengthMs(nowMs);
    if (leftMs > 0 || isLate) {
      const waitMs = leftMs > 0 ? Math.min(leftMs, WATCH_EVERY_MS) : READ_FIRST_MS;
      // Put off once only: a process may be late for as long as it runs.
      this.#stallTimer = clock.after(waitMs, () =>
        this.#watchForStall(silence, leftMs > 0 && clock.now() - nowMs - waitMs >= LATE_LOOK_MS),
      );
      return;
    }
    const silent = `No data for ${Math.round(silence.lengthMs(nowMs) / 1_000)} s`;
    this.end(
      this.#refusedSinceData > 0
        ? new SourceFailure('changed', `${silent}, only ${this.#refusedSinceData} unparseable frames.`)
        : new SourceFailure('stale', `${silent}.`),
    );
  }

  /** One message at a time, within the venue's rate limit; its content is decided when it is sent. */
  async #sendDue(): Promise<void> {
    const { signal } = this.#ending;
    if (this.#isSending || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#isSending = true;
    try {
      while (this.#difference()) {
        const { gate, feed } = this.#options;
        // Recorded feeds take priority over on-demand ones.
        await gate.messages.take(1, signal, feed.demand === undefined);
        this.#sendOne();
      }
    } catch (error) {
      if (!signal.aborted) this.end(failureOfSocket(error));
    } finally {
      this.#isSending = false;
    }
  }

  #sendOne(): void {
    const { feed, clock } = this.#options;
    const change = this.#difference();
    if (!change) return;
    const { topics, isWanted } = change;
    for (const topic of topics) {
      if (isWanted) this.#subscribed.add(topic);
      else this.#subscribed.delete(topic);
      if (isWanted) this.#uncarried.add(topic);
      else this.#uncarried.delete(topic);
      this.#renewing.delete(topic);
      const times = (this.#unconfirmed.get(topic)?.times ?? 0) + 1;
      if (isWanted && this.#needsConfirmation) this.#unconfirmed.set(topic, { sentMs: clock.now(), times });
      else this.#unconfirmed.delete(topic);
    }
    if (isWanted) this.#unanswered.push(topics);
    const frame = isWanted ? feed.subscribe(topics) : feed.unsubscribe(topics);
    this.#socket.send(frame);
    this.#tapped?.sent(frame, isWanted ? { topics } : {});
  }

  /** Topics to leave or to subscribe to: as many as one frame may name. */
  #difference(): { readonly topics: readonly string[]; readonly isWanted: boolean } | undefined {
    const { feed, topics } = this.#options;
    const { topicsPerFrame = 1 } = feed;
    const wanted = topics();
    const left = [...this.#subscribed].filter((topic) => !wanted.has(topic));
    if (left.length > 0) return { topics: left.slice(0, topicsPerFrame), isWanted: false };
    const missing: string[] = [];
    for (const topic of wanted) {
      if (this.#subscribed.has(topic)) continue;
      if (!this.#alone.has(topic)) missing.push(topic);
      else if (missing.length === 0) return { topics: [topic], isWanted: true };
      if (missing.length === topicsPerFrame) break;
    }
    if (missing.length > 0) return { topics: missing, isWanted: true };
    // One frame at a time, so that no topic is without a subscription for longer than it takes to send two.
    const renewed = [...this.#renewing].slice(0, topicsPerFrame);
    return renewed.length > 0 ? { topics: renewed, isWanted: false } : undefined;
  }
}

function failureOfSocket(error: unknown): SourceFailure {
  const reason = reasonOf(error);
  return reason.startsWith('WS_ERR_')
    ? new SourceFailure('changed', `The venue sent an invalid WebSocket frame (${reason}).`, { cause: error })
    : new SourceFailure('down', `The connection failed (${reason}).`, { cause: error });
}
