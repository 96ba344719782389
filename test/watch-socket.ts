import { vi } from 'vitest';
import { WebSocket } from 'ws';

/** A socket to a simulated venue that keeps every frame as it came. */
export interface SocketWatch {
  readonly frames: readonly string[];
  send(frame: string): void;
  /** Pings and waits for the answer: all that was sent before it has arrived then. */
  settle(): Promise<void>;
  close(): void;
}

export async function watchSocket(url: string, path: string): Promise<SocketWatch> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
  const frames: string[] = [];
  let pongs = 0;
  socket.on('message', (data) => frames.push((data as Buffer).toString()));
  socket.on('pong', () => (pongs += 1));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    frames,
    send: (frame) => socket.send(frame),
    async settle() {
      const before = pongs;
      socket.ping();
      await vi.waitUntil(() => pongs > before, { timeout: 10_000 });
    },
    close: () => socket.terminate(),
  };
}
