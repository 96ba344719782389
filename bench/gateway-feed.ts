import { performance } from 'node:perf_hooks';
import { WebSocket, WebSocketServer } from 'ws';

/** How a venue speaks: how many trades in a frame, how often, for how long. */
export interface Feed {
  readonly perFrame: number;
  readonly frameMs: number;
  readonly frames: number;
}

const feed = JSON.parse(process.argv[2] ?? '{}') as Feed;
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
const sentAtMs: number[] = [];
let tid = 0;

/** A frame of the primary venue, as it comes over its wire. */
function nextFrame(nowMs: number): string {
  const data = Array.from({ length: feed.perFrame }, () => {
    tid += 1;
    sentAtMs[tid] = performance.timeOrigin + performance.now();
    return {
      coin: 'BTC',
      side: tid % 2 ? 'B' : 'A',
      px: String(105_000 + (tid % 997)),
      sz: (0.00001 * (1 + (tid % 5_003))).toFixed(5),
      time: nowMs,
      hash: `0x${tid.toString(16).padStart(64, '0')}`,
      tid,
      users: [
        `0x${(tid % 7).toString(16).padStart(40, '0')}`,
        `0x${(tid % 11).toString(16).padStart(40, '1')}`,
      ],
    };
  });
  return JSON.stringify({ channel: 'trades', data });
}

process.once('message', () => {
  const startMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(feed.frames, Math.ceil((performance.now() - startMs) / feed.frameMs));
    for (; sent < due; sent += 1) {
      const frame = nextFrame(Math.round(performance.timeOrigin + performance.now()));
      for (const client of server.clients) if (client.readyState === WebSocket.OPEN) client.send(frame);
    }
    if (sent === feed.frames) clearInterval(timer);
  }, 1);
  process.once('message', () => process.send?.(sentAtMs, () => process.exit(0)));
});

server.on('listening', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.send?.({ port: address.port });
});
