import type { CloseLine } from '../capture/format.ts';
import type { StoredBody } from './body-file.ts';

export interface CapturedFrame extends StoredBody {
  readonly atMs: number;
  readonly isBinary: boolean;
  /** For a confirmation: the topics of its subscription. */
  readonly confirms?: readonly string[];
  /** The confirmation is also data: a snapshot, or a back-fill. */
  readonly isData?: true;
  /** Answers a ping. */
  readonly isPong?: true;
}

/** One captured socket: what was sent in each direction, and when. */
export interface CapturedSocket {
  readonly venue: string;
  readonly path: string;
  openedMs: number | undefined;
  /** The HTTP status of a refused handshake. */
  refusedStatus: number | undefined;
  close: Pick<CloseLine, 'by' | 'code' | 'reason' | 't'> | undefined;
  /** The venue's messages, in order. */
  readonly frames: CapturedFrame[];
  /** Confirmations by topic, in order, as indexes of `frames`. */
  readonly confirmations: Map<string, number[]>;
  /** Whether it carried order books: a client needs a snapshot and every change since. */
  hasBooks: boolean;
  /** The first answer to a ping. */
  pong: CapturedFrame | undefined;
  /** Frames that we sent, with the topics that they subscribed to. */
  readonly sent: Map<string, readonly string[]>;
  /** The topics of each unanswered subscription, oldest first. */
  unanswered: (readonly string[])[];
  /** All subscribed topics. */
  readonly topics: Set<string>;
  readonly pings: Set<string>;
}

/** Separators of names in a frame: `"args":["allLiquidation.BTCUSDT"]`, `btcusdt@bookTicker`. */
const BETWEEN_NAMES = /[\s"',.:@[\]{}]+/;

/**
 * The topics that a frame names. A client may subscribe to captured topics with other frames than the captured ones: it
 * chooses how many go into one.
 */
export function topicsNamed(topics: Iterable<string>, frame: string): readonly string[] {
  const names = new Set(frame.toLowerCase().split(BETWEEN_NAMES));
  return [...topics].filter((topic) => names.has(topic.toLowerCase()));
}

/** The topics that an answer to a subscription confirms: it may name all of them, the first, or none. */
export function answeredTopics(socket: CapturedSocket, named: readonly string[]): readonly string[] {
  if (named.length === 0) return socket.unanswered.shift() ?? [];
  const isAnswered = ([first = '']: readonly string[]): boolean => named.includes(first);
  const answered = socket.unanswered.filter(isAnswered);
  socket.unanswered = socket.unanswered.filter((one) => !isAnswered(one));
  return [...new Set([...named, ...answered.flat()])];
}

/** Index of the newest confirmation of a topic at a time; `undefined` if there is none yet. */
export function confirmationAt(
  { confirmations, frames }: CapturedSocket,
  topic: string,
  atMs: number,
): number | undefined {
  return confirmations.get(topic)?.findLast((i) => (frames[i]?.atMs ?? 0) <= atMs);
}

/**
 * The captured socket for a client at a time: one that was open then and is not taken, else the next that was opened,
 * else a shared one.
 */
export function pickSocket(
  sockets: readonly CapturedSocket[],
  atMs: number,
  isTaken: (socket: CapturedSocket) => boolean,
): CapturedSocket | undefined {
  const opened = sockets.filter(({ openedMs }) => openedMs !== undefined);
  const rank = (socket: CapturedSocket): number => {
    const isOver = (socket.close?.t ?? Number.POSITIVE_INFINITY) <= atMs;
    if (isOver) return 4;
    const isYetToCome = (socket.openedMs ?? 0) > atMs;
    return (isTaken(socket) ? 2 : 0) + (isYetToCome ? 1 : 0);
  };
  const distance = ({ openedMs = 0 }: CapturedSocket): number => Math.abs(openedMs - atMs);
  return opened.toSorted((a, b) => rank(a) - rank(b) || distance(a) - distance(b))[0];
}
