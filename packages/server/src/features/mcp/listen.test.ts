import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { gapTopic } from '../../topics.ts';
import { eventsOf } from './listen.ts';
import { accept, envelope, McpRig, MODERN, type Rpc } from './testing/mcp-rig.ts';

const URI = 'crosstape://coverage/hyperliquid:BTC';
const DOCS = 'crosstape://docs/python';
const gap = { from: 1, to: 2, state: 'missing', reason: 'no socket to the venue was up' } as const;

interface Message {
  readonly method?: string;
  readonly params?: object;
  readonly result?: object;
}

let rig: McpRig;
beforeAll(async () => {
  rig = await McpRig.open();
});
afterAll(() => rig.close());

class Subscription {
  readonly #abort = new AbortController();
  readonly #text: AsyncIterator<string>;
  #rest = '';

  static async open(uris: readonly string[]): Promise<Subscription> {
    const abort = new AbortController();
    const response = await fetch(`http://127.0.0.1:${rig.api.port}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: accept,
        'MCP-Protocol-Version': MODERN,
        'Mcp-Method': 'subscriptions/listen',
      },
      body: JSON.stringify(
        envelope('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }),
      ),
      signal: abort.signal,
    });
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    const text = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    return new Subscription(abort, text[Symbol.asyncIterator]());
  }

  private constructor(abort: AbortController, text: AsyncIterator<string>) {
    this.#abort = abort;
    this.#text = text;
  }

  /** The next message; undefined at the end of the stream. */
  async next(): Promise<Message | undefined> {
    for (;;) {
      const [frame, ...after] = this.#rest.split('\n\n');
      if (after.length > 0) {
        this.#rest = after.join('\n\n');
        return JSON.parse((frame as string).replace('event: message\ndata: ', '')) as Message;
      }
      const { done, value } = await this.#text.next();
      if (done) return undefined;
      this.#rest += value;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

describe('subscriptions to coverage', () => {
  it('report every change of the tape that they name, and of no other', async () => {
    const subscription = await Subscription.open([URI, DOCS]);
    const meta = { 'io.modelcontextprotocol/subscriptionId': 7 };
    expect(await subscription.next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: [URI, DOCS] }, _meta: meta },
    });
    rig.api.bus.publish(gapTopic('ETH'), { ts: 1, ...gap });
    rig.api.bus.publish(gapTopic('BTC'), { ts: 1, ...gap });
    expect(await subscription.next()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: URI, _meta: meta },
    });
    subscription.close();
  });

  it('end at once when there is nothing to report', async () => {
    const subscription = await Subscription.open([]);
    expect(await subscription.next()).toMatchObject({ params: { notifications: {} } });
    expect(await subscription.next()).toMatchObject({ id: 7, result: { resultType: 'complete' } });
    expect(await subscription.next()).toBeUndefined();
  });

  it('are refused for an unknown market, a malformed filter, and beyond eight of one caller', async () => {
    const refusal = async (notifications: unknown): Promise<number | undefined> => {
      const { text } = await rig.modern('subscriptions/listen', { notifications } as object);
      return (JSON.parse(text) as Rpc).error?.code;
    };
    expect(await refusal({ resourceSubscriptions: ['crosstape://coverage/hyperliquid:NOSUCH'] })).toBe(
      -32602,
    );
    expect(await refusal({ resourceSubscriptions: ['crosstape://nope'] })).toBe(-32602);
    expect(await refusal(undefined)).toBe(-32602);
    expect(await refusal({ resourceSubscriptions: Array.from({ length: 33 }, () => URI) })).toBe(-32602);
    const open: Subscription[] = [];
    // Streams of the tests before may still be closing.
    while (open.length < 8)
      await vi.waitFor(async () => open.push(await Subscription.open([URI])), { timeout: 5_000 });
    expect(await refusal({ resourceSubscriptions: [URI] })).toBe(-32603);
  });
});

it('cuts the stream of a client that does not read', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const events = await new Promise<Readable>((resolve) => {
    const stream: Readable = eventsOf(body, () => resolve(stream));
  });
  expect([events.destroyed, isCancelled]).toEqual([true, true]);
});

it('ends with the stream of the SDK when that fails', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('lost')) });
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  const error = await new Promise((resolve) => {
    eventsOf(body, () => undefined).once('error', resolve);
  });
  await new Promise(setImmediate);
  process.off('unhandledRejection', unhandled);
  expect(error).toEqual(new Error('lost'));
  expect(unhandled).not.toHaveBeenCalled();
});
