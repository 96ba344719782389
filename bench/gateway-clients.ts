import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** What the clients are to do. */
export interface ClientsOrder {
  readonly port: number;
  readonly sockets: number;
  /** Data frames that each socket waits for; 0: they stay idle. */
  readonly frames: number;
  /** Of these sockets, the last ones never read. */
  readonly sleepers: number;
}

/** What the clients saw. */
export interface ClientsSeen {
  readonly frames: number;
  /** Sockets on which a frame was lost, doubled or out of order. */
  readonly broken: number;
  /** When the first socket got each trade, by its number. */
  readonly arrivedAtMs: readonly number[];
}

const HANDSHAKE =
  'GET /ws/v1 HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const SUBSCRIBE = Buffer.from(JSON.stringify({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC' }));
const TID = '"tid":';
/** A client that does not answer the gateway's ping is dropped after a while. */
const PING = '\x89\x00';
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/** A client's frame, masked with zeros. */
function masked(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

interface Watch {
  readonly onOpen: () => void;
  readonly onTrade: (tid: number) => void;
  readonly onEnd: (isWhole: boolean) => void;
}

/** Follows one socket and checks that its trades are numbered 1, 2, 3 … to the last. */
function follow({ port, frames }: ClientsOrder, isSleeper: boolean, watch: Watch): void {
  const socket: Socket = connect(port, '127.0.0.1');
  let rest = '';
  let isOpen = false;
  let expected = 1;
  let isWhole = true;
  socket.setEncoding('latin1');
  socket.write(HANDSHAKE);
  socket.on('data', (chunk: string) => {
    let text = rest + chunk;
    if (!isOpen) {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) {
        rest = text;
        return;
      }
      isOpen = true;
      text = text.slice(head + 4);
      if (frames > 0) socket.write(masked(SUBSCRIBE));
      else watch.onOpen();
    }
    if (expected === 1 && text.includes('"ack"')) {
      watch.onOpen();
      if (isSleeper) socket.pause();
    }
    if (text.includes(PING)) socket.write(PONG);
    // Frames are not unwrapped: a trade is its number, which stands whole or is read with the next piece.
    const end = text.lastIndexOf('}') + 1;
    for (let at = text.indexOf(TID); at >= 0 && at < end; at = text.indexOf(TID, at + TID.length)) {
      const tid = Number.parseInt(text.slice(at + TID.length, at + TID.length + 16), 10);
      if (tid !== expected) isWhole = false;
      expected = tid + 1;
      watch.onTrade(tid);
    }
    rest = text.slice(end);
    if (frames > 0 && expected === frames + 1) watch.onEnd(isWhole);
  });
  socket.on('close', () => watch.onEnd(false));
  socket.on('error', () => watch.onEnd(false));
}

process.once('message', (order: ClientsOrder) => {
  const arrivedAtMs: number[] = [];
  const ended = new Map<number, boolean>();
  const readers = order.sockets - order.sleepers;
  let open = 0;
  let frames = 0;
  for (let i = 0; i < order.sockets; i += 1) {
    const isSleeper = i >= readers;
    follow(order, isSleeper, {
      onOpen: () => {
        open += 1;
        if (open === order.sockets) process.send?.('ready');
      },
      onTrade: (tid) => {
        frames += 1;
        if (i === 0) arrivedAtMs[tid] = performance.timeOrigin + performance.now();
      },
      onEnd: (isWhole) => {
        if (isSleeper || ended.has(i)) return;
        ended.set(i, isWhole);
        if (ended.size < readers) return;
        const broken = [...ended.values()].filter((whole) => !whole).length;
        const seen: ClientsSeen = { frames, broken, arrivedAtMs };
        process.send?.(seen);
      },
    });
  }
  process.once('message', () => process.exit(0));
});
