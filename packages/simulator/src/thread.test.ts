import { describe, expect, it, vi } from 'vitest';
import { RecordedSocket } from './testing/recorded-socket.ts';
import { startSimulatorThread } from './thread.ts';

describe('the simulator’s thread', () => {
  it('serves from its own thread, live, and is gone after stop', async () => {
    const thread = await startSimulatorThread({ port: 0, seed: 8, rate: 20 });
    const socket = await RecordedSocket.open(thread.url, '/hyperliquid/ws');
    socket.subscribe({ type: 'trades', coin: 'BTC' });
    await vi.waitUntil(() => socket.data('trades').length > 2, { timeout: 15_000 });
    await thread.stop();
    await vi.waitUntil(() => socket.end !== undefined);
    await expect(fetch(thread.url)).rejects.toThrow('fetch failed');
  });

  it('says what is wrong when it cannot start', async () => {
    await expect(startSimulatorThread({ port: 0, seed: 1.5 })).rejects.toThrow(
      'a seed is a whole number, not 1.5',
    );
    const thread = await startSimulatorThread({ port: 0, seed: 1 });
    const port = Number(new URL(thread.url).port);
    await expect(startSimulatorThread({ port, seed: 1 })).rejects.toThrow('EADDRINUSE');
    await thread.stop();
  });
});
