import { expect, it, vi } from 'vitest';
import { type Listen, relay, type Send } from './relay.ts';

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
}

const noStream: Listen = () => Promise.reject(new Error('no stream is expected'));

async function run(
  lines: readonly string[],
  send: Send,
  listen: Listen = noStream,
): Promise<readonly unknown[]> {
  const out: unknown[] = [];
  async function* input(): AsyncGenerator<string> {
    yield* lines;
  }
  await relay(input(), { send, listen }, (line) => out.push(JSON.parse(line)));
  return out;
}

it('answers line by line, and names the agreed version from then on', async () => {
  const sent: Sent[] = [];
  const send: Send = async (body, headers) => {
    const { method, id } = JSON.parse(body) as { method: string; id?: number };
    sent.push({ method, headers });
    if (id === undefined) return { status: 202, text: '' };
    const result = { protocolVersion: '2025-11-25' };
    return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, result }) };
  };
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '',
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
  ];
  expect(await run(lines, send)).toMatchObject([{ id: 1 }, { id: 2 }]);
  expect(sent.map(({ headers }) => headers['MCP-Protocol-Version'])).toEqual([
    undefined,
    '2025-11-25',
    '2025-11-25',
  ]);
});

it('repeats the method and name of a message that describes itself', async () => {
  const sent: Sent[] = [];
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const message = (name: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, _meta: meta } });
  await run([message('get_flow'), message('größe')], async (_body, headers) => {
    sent.push({ method: '', headers });
    return { status: 200, text: '{"jsonrpc":"2.0","id":1,"result":{}}' };
  });
  expect(sent[0]?.headers).toEqual({
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'get_flow',
  });
  expect(sent[1]?.headers['Mcp-Name']).toBe('=?base64?Z3LDtsOfZQ==?=');
});

it('turns refusals and a missing service into errors of the protocol', async () => {
  const line = '{"jsonrpc":"2.0","id":3,"method":"tools/list"}';
  const limited: Send = async () => ({
    status: 429,
    text: '{"error":"Too many requests.","data":[],"meta":{}}',
  });
  expect(await run([line, 'not json'], limited)).toEqual([
    { jsonrpc: '2.0', id: 3, error: { code: -32603, message: 'Too many requests.' } },
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'The line is not a JSON object.' } },
  ]);
  const unreachable: Send = async () => {
    throw new Error('refused');
  };
  expect(await run([line], unreachable)).toMatchObject([{ id: 3, error: { code: -32603 } }]);
});

it('passes streams of changes on beside other messages, until they are cancelled', async () => {
  const ended: string[] = [];
  const listen: Listen = (_body, headers, onMessage, signal) => {
    onMessage('{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}');
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        ended.push(headers['Mcp-Method'] ?? '');
        resolve();
      });
    });
  };
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const lines = [
    { id: 'a', method: 'subscriptions/listen', params: { _meta: meta } },
    { id: 1, method: 'tools/list' },
    { method: 'notifications/cancelled', params: { requestId: 'a' } },
  ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  const send: Send = async () => ({ status: 200, text: '{"jsonrpc":"2.0","id":1,"result":{}}' });
  expect(await run(lines, send, listen)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
  expect(ended).toEqual(['subscriptions/listen']);
});

it('sends further requests while one is under way, eight at most', async () => {
  const sent: number[] = [];
  const replies: (() => void)[] = [];
  const send: Send = (body) => {
    const { id } = JSON.parse(body) as { id: number };
    sent.push(id);
    return new Promise((resolve) => {
      replies.push(() => resolve({ status: 200, text: `{"jsonrpc":"2.0","id":${id},"result":{}}` }));
    });
  };
  const lines = Array.from({ length: 10 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`);
  const done = run(lines, send);
  await vi.waitFor(() => expect(sent).toHaveLength(8));
  replies.pop()?.();
  await vi.waitFor(() => expect(sent).toHaveLength(9));
  replies.shift()?.();
  await vi.waitFor(() => expect(sent).toHaveLength(10));
  for (const reply of replies) reply();
  expect((await done).slice(0, 2)).toMatchObject([{ id: 7 }, { id: 0 }]);
});

it('answers a stream that ends without a result', async () => {
  const listen: Listen = async (_body, _headers, onMessage) => {
    onMessage('{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}');
  };
  const line = '{"jsonrpc":"2.0","id":"a","method":"subscriptions/listen"}';
  expect(await run([line], async () => ({ status: 202, text: '' }), listen)).toMatchObject([
    { method: 'notifications/subscriptions/acknowledged' },
    { id: 'a', error: { code: -32603, message: 'The service ended the stream.' } },
  ]);
});
