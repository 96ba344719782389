import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { WebSocket } from 'ws';

/** The load of a soak: sockets, streams, REST requests and builds; reports what it counted when asked. */
interface Order {
  readonly url: string;
  readonly sockets: number;
  readonly streams: number;
}

/** One address may open 300 sockets a minute. */
const SOCKETS_PER_SECOND = 4;
const REST_EVERY_MS = 100;
const BUILD_EVERY_MS = 30_000;
const COINS = ['BTC', 'ETH', 'SOL'];
const paths = [
  '/api/v1/perps/oi',
  '/api/v1/perps/funding',
  '/api/v1/perps/tickers',
  '/api/v1/markets/spot',
  '/api/v1/perps/trades/history?coin=BTC',
  '/api/v1/flows/summary?coins=BTC',
  '/healthz',
];

const { url, sockets, streams } = JSON.parse(process.argv[2] ?? '{}') as Order;
const counts = { frames: 0, events: 0, requests: 0, builds: 0, reconnects: 0, failures: 0 };

function openSocket(n: number): void {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/v1`);
  socket.on('open', () => {
    for (const channel of ['trades', 'orderbook'])
      socket.send(JSON.stringify({ op: 'subscribe', channel, symbol: COINS[n % COINS.length] }));
  });
  socket.on('message', () => {
    counts.frames += 1;
  });
  socket.on('error', () => {
    counts.failures += 1;
  });
  socket.on('close', () => {
    counts.reconnects += 1;
    void wait(2_000).then(() => openSocket(n));
  });
}

async function openStream(n: number): Promise<void> {
  for (;;) {
    try {
      const { body } = await request(`${url}/api/v1/streams/trades?coin=${COINS[n % COINS.length]}`, {
        bodyTimeout: 0,
      });
      for await (const part of body) counts.events += (part as Buffer).length > 0 ? 1 : 0;
    } catch {
      counts.failures += 1;
    }
    counts.reconnects += 1;
    await wait(2_000);
  }
}

async function ask(): Promise<void> {
  for (let n = 0; ; n += 1) {
    await wait(REST_EVERY_MS);
    try {
      const { statusCode, body } = await request(`${url}${paths[n % paths.length]}`);
      await body.dump();
      counts.requests += 1;
      if (statusCode >= 400) counts.failures += 1;
    } catch {
      counts.failures += 1;
    }
  }
}

async function build(): Promise<void> {
  for (let n = 0; ; n += 1) {
    await wait(BUILD_EVERY_MS);
    const spec = { coin: COINS[n % COINS.length], kind: 'range', params: { rangeTicks: 10 + (n % 90) } };
    try {
      const { statusCode, body } = await request(`${url}/api/v1/perps/rotations/build`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(spec),
      });
      await body.dump();
      if (statusCode < 400) counts.builds += 1;
      else counts.failures += 1;
    } catch {
      counts.failures += 1;
    }
  }
}

process.on('message', (word) => {
  if (word === 'stop') process.exit(0);
  process.send?.({ ...counts });
});
void ask();
void build();
for (let n = 0; n < streams; n += 1) void openStream(n);
for (let n = 0; n < sockets; n += 1) {
  openSocket(n);
  await wait(1_000 / SOCKETS_PER_SECOND);
}
