import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

/** What the clients saw. */
export interface Seen {
  readonly events: number;
  /** Streams on which an event was lost, doubled or out of order. */
  readonly broken: number;
  /** When the first stream got each trade, by its number. */
  readonly arrivedAtMs: readonly number[];
}

const TID = '"tid":';

/** Follows one stream and checks that its trades are numbered 1, 2, 3 … to the last. */
function follow(
  port: number,
  trades: number,
  {
    onFirst,
    onTrade,
    onDone,
  }: { onFirst: () => void; onTrade: (tid: number) => void; onDone: (isWhole: boolean) => void },
): void {
  const socket = connect(port, '127.0.0.1');
  let carry = '';
  let expected = 1;
  let isWhole = true;
  let hasFirst = false;
  socket.setEncoding('latin1');
  socket.write('GET /streams/trades?coin=BTC HTTP/1.1\r\nHost: bench\r\n\r\n');
  socket.on('data', (chunk: string) => {
    const text = carry + chunk;
    if (!hasFirst && text.includes('event: heartbeat')) {
      hasFirst = true;
      onFirst();
    }
    const end = text.lastIndexOf('\n') + 1;
    for (let at = text.indexOf(TID); at >= 0 && at < end; at = text.indexOf(TID, at + TID.length)) {
      const tid = Number.parseInt(text.slice(at + TID.length, at + TID.length + 16), 10);
      if (tid !== expected) isWhole = false;
      expected = tid + 1;
      onTrade(tid);
    }
    carry = text.slice(end);
    if (expected === trades + 1) onDone(isWhole);
  });
  socket.on('close', () => onDone(false));
  socket.on('error', () => onDone(false));
}

process.once('message', ({ port, trades, streams }: { port: number; trades: number; streams: number }) => {
  const arrivedAtMs: number[] = [];
  const done = new Map<number, boolean>();
  let first = 0;
  let events = 0;
  for (let i = 0; i < streams; i += 1) {
    follow(port, trades, {
      onFirst: () => {
        first += 1;
        if (first === streams) process.send?.('ready');
      },
      onTrade: (tid) => {
        events += 1;
        if (i === 0) arrivedAtMs[tid] = performance.timeOrigin + performance.now();
      },
      onDone: (isWhole) => {
        if (done.has(i)) return;
        done.set(i, isWhole);
        if (done.size < streams) return;
        const broken = [...done.values()].filter((whole) => !whole).length;
        const seen: Seen = { events, broken, arrivedAtMs };
        process.send?.(seen, () => process.exit(0));
      },
    });
  }
});
