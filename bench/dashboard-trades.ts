import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { WebSocket, WebSocketServer } from 'ws';

/** So often trades are added; many small turns, as a busy venue has them. */
const TURN_MS = 10;
/** What a page is made of, apart from its figures. */
const FILE_TYPES = /html|javascript|css|font|image/;

interface Frame {
  readonly type: string;
  readonly channel?: string;
  readonly symbol?: string;
  readonly op?: string;
  seq?: number;
  readonly payload?: { readonly price: number; readonly ts: number };
}

/** A wire to the service on which the tape of every followed coin runs at a chosen rate; the rest passes as it is. */
export async function openBusyWire(
  target: string,
  tradesPerSecond: number,
): Promise<{ url: string; sent: () => number; fileBytes: () => number; close: () => void }> {
  const { port } = new URL(target);
  let sent = 0;
  let fileBytes = 0;
  const server = createServer((asked, answer) => {
    const onward = request({
      port,
      host: '127.0.0.1',
      path: asked.url,
      method: asked.method,
      headers: asked.headers,
    });
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (FILE_TYPES.test(response.headers['content-type'] ?? ''))
        response.on('data', ({ length }: Buffer) => {
          fileBytes += length;
        });
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  const sockets = new WebSocketServer({ server, path: '/ws/v1', perMessageDeflate: false });
  sockets.on('connection', (page) => {
    const service = new WebSocket(`ws://127.0.0.1:${port}/ws/v1`);
    const early: Buffer[] = [];
    page.on('message', (data: Buffer) => {
      if (service.readyState === WebSocket.OPEN) service.send(data.toString());
      else early.push(data);
    });
    service.on('open', () => early.splice(0).forEach((data) => service.send(data.toString())));
    let tape:
      | { symbol: string; seq: number; price: number; ts: number; startMs: number; made: number }
      | undefined;
    service.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.channel !== 'trades') return page.send(data.toString());
      if (frame.type === 'ack') {
        tape = undefined;
        isCaughtUp = false;
      }
      if (frame.type === 'data' && frame.payload) {
        if (tape) {
          // The real trades take their places among the added ones.
          frame.seq = tape.seq += 1;
          const ts = Math.max(tape.ts, frame.payload.ts);
          Object.assign(frame, { payload: { ...frame.payload, ts }, ts });
          tape.ts = ts;
        }
        lastPrice = frame.payload.price;
      }
      page.send(JSON.stringify(frame));
      if (frame.type === 'caughtUp') isCaughtUp = true;
      if (isCaughtUp && !tape && lastPrice > 0) {
        const { symbol = '', seq = 0 } = frame;
        tape = { symbol, seq, price: lastPrice, ts: Date.now(), startMs: performance.now(), made: 0 };
      }
    });
    let lastPrice = 0;
    let isCaughtUp = false;
    const timer = setInterval(() => {
      if (!tape || page.readyState !== WebSocket.OPEN) return;
      const due = Math.floor(((performance.now() - tape.startMs) / 1_000) * tradesPerSecond);
      for (; tape.made < due; tape.made += 1) {
        tape.seq += 1;
        tape.ts = Math.max(tape.ts, Date.now());
        tape.price = Math.max(1, tape.price + Math.round((Math.random() - 0.5) * 4));
        const size = Number((Math.random() ** 3 * 2).toFixed(4));
        const side = Math.random() < 0.5 ? 'buy' : 'sell';
        const payload = { price: tape.price, size, side, ts: tape.ts, tid: tape.seq };
        page.send(
          JSON.stringify({
            type: 'data',
            channel: 'trades',
            symbol: tape.symbol,
            seq: tape.seq,
            ts: tape.ts,
            payload,
          }),
        );
        sent += 1;
      }
    }, TURN_MS);
    page.on('close', () => {
      clearInterval(timer);
      service.close();
    });
    service.on('close', () => page.close());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    fileBytes: () => fileBytes,
    close: () => {
      sockets.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
