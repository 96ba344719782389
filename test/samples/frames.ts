import { vi } from 'vitest';
import { WebSocket } from 'ws';
import { expectShape } from './shape.ts';

const WAIT_MS = 60_000;
type Frame = Readonly<Record<string, unknown>>;

/** Holds a dialogue with the gateway as a sample shows it: `→` is sent, `←` must come, others may come in between. */
export async function runFrames(url: string, text: string): Promise<void> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/v1`);
  const received: Frame[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as Frame));
  try {
    await vi.waitUntil(() => socket.readyState === WebSocket.OPEN, { timeout: WAIT_MS });
    for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
      const [, direction, json = ''] = /^([→←]) (.*)$/.exec(line) ?? [];
      if (direction === '→') socket.send(json);
      else if (direction === '←')
        await expectFrame(JSON.parse(json.replaceAll('{…}', '{}')) as Frame, received);
      else throw new Error(`a line of frames begins with → or ←: ${line}`);
    }
  } finally {
    socket.terminate();
  }
}

async function expectFrame(shown: Frame, received: Frame[]): Promise<void> {
  const isMeant = (frame: Frame): boolean =>
    ['type', 'id', 'op', 'channel', 'symbol'].every((name) => shown[name] === frame[name]) &&
    kindOf(shown) === kindOf(frame);
  await vi
    .waitUntil(() => received.some(isMeant), { timeout: WAIT_MS, interval: 20 })
    .catch(() => {
      throw new Error(
        `${JSON.stringify(shown)} did not come, but ${JSON.stringify(received).slice(0, 2_000)}`,
      );
    });
  const at = received.findIndex(isMeant);
  expectShape(shown, received[at]);
  received.splice(0, at + 1);
}

/** Of an order book: whether it is complete. */
function kindOf({ payload }: Frame): unknown {
  return (payload as { readonly kind?: unknown } | undefined)?.kind;
}
