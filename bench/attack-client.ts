/** An attacker: sends as fast as the service reads, and connects again whenever it is closed. */
import { connect } from 'node:net';

export type AttackName =
  | 'frames'
  | 'pings'
  | 'pipelines'
  | 'expectations'
  | 'bodies'
  | 'requests'
  | 'answers'
  | 'streams'
  | 'builds'
  | 'aggregates';

export interface AttackOrder {
  readonly url: string;
  readonly name: AttackName;
  /** Each connection comes from another /64 of a /48, as a trusted proxy says. */
  readonly isProxied: boolean;
}

const order = JSON.parse(process.argv[2] ?? '') as AttackOrder;
const port = Number(new URL(order.url).port);
let made = 0;

/** The headers of a connection; through a proxy each has its own address. */
function headers(): string {
  made += 1;
  const from = `2001:db8:9:${(made % 65_536).toString(16)}::1`;
  return `Host: localhost\r\n${order.isProxied ? `X-Forwarded-For: ${from}\r\n` : ''}`;
}

const upgrade = (): string =>
  `GET /ws/v1 HTTP/1.1\r\n${headers()}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

function frame(opcode: number, payload: string): Buffer {
  const bytes = Buffer.from(payload);
  const head = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 255];
  return Buffer.from([0x80 | opcode, 0x80 | (head[0] as number), ...head.slice(1), 0, 0, 0, 0, ...bytes]);
}

const repeat = (bytes: Buffer, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => bytes));

const get = (path: string): Buffer => Buffer.from(`GET ${path} HTTP/1.1\r\n${headers()}\r\n`);

interface Attack {
  readonly connections: number;
  readonly opening: () => string;
  /** Sent again and again; absent: nothing more is sent, and nothing is read. */
  readonly flood?: () => Buffer;
  /** Whether one is sent per answer rather than as many as the socket takes. */
  readonly isPolite?: boolean;
}

const build = (): string =>
  JSON.stringify({
    op: 'build',
    id: made,
    coin: 'BTC',
    kind: 'tick',
    params: { trades: 10 + (made % 900) },
    days: 1,
  });

/** A week of every recorded market of a coin. */
const aggregate = (): string => {
  made += 1;
  return JSON.stringify({
    op: 'build',
    id: made,
    market: `${['all', 'perp', 'spot'][made % 3]}:BTC`,
    kind: 'tick',
    params: { trades: 1 + (made % 900) },
    days: 7,
  });
};

const attacks: Readonly<Record<AttackName, Attack>> = {
  frames: { connections: 3, opening: upgrade, flood: () => repeat(frame(1, 'x'), 9_000) },
  pings: { connections: 100, opening: upgrade, flood: () => repeat(frame(9, 'x'), 9_000) },
  pipelines: { connections: 8, opening: () => '', flood: () => repeat(get('/api/v1/perps/tickers'), 700) },
  expectations: {
    connections: 8,
    opening: () => '',
    flood: () => repeat(Buffer.from(`GET /x HTTP/1.1\r\n${headers()}Expect: x\r\n\r\n`), 700),
  },
  bodies: {
    connections: 8,
    opening: () => `GET /healthz HTTP/1.1\r\n${headers()}Transfer-Encoding: chunked\r\n\r\n`,
    flood: () => repeat(Buffer.from('1\r\nx\r\n'), 10_000),
  },
  answers: {
    connections: 60,
    opening: () => '',
    flood: () => get(`/api/v1/candles?market=all:BTC&limit=${10_000 - (made % 5_000)}`),
    isPolite: true,
  },
  requests: { connections: 64, opening: () => '', flood: () => get('/api/v1/perps/tickers'), isPolite: true },
  streams: { connections: 200, opening: () => get('/api/v1/streams/trades?coin=BTC').toString() },
  builds: { connections: 8, opening: upgrade, flood: () => frame(1, build()), isPolite: true },
  aggregates: {
    connections: 24,
    opening: upgrade,
    flood: () => frame(1, aggregate()),
    isPolite: true,
  },
};

const attack = attacks[order.name];

function attackOnce(): void {
  const localAddress = order.isProxied ? '127.0.0.1' : '127.0.1.9';
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const { flood, isPolite = false } = attack;
  const pour = (): void => {
    if (!flood) return;
    do if (socket.destroyed) return;
    while (socket.write(flood()) && !isPolite);
  };
  socket.on('error', () => undefined);
  socket.on('drain', () => !isPolite && pour());
  if (flood) socket.on('data', () => isPolite && pour());
  socket.once('connect', () => {
    socket.write(attack.opening());
    pour();
  });
  socket.once('close', () => setTimeout(attackOnce, 1));
}

for (let i = 0; i < attack.connections; i += 1) attackOnce();
process.on('SIGTERM', () => process.exit(0));
process.send?.('attacking');
