import { seededRandom } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { START_MS } from '../../api/testing/test-api.ts';
import { Failure } from '../../platform/errors.ts';
import { accept, envelope, McpRig, MODERN, type Rpc } from './testing/mcp-rig.ts';
import type { Tool } from './tool.ts';
import { tools } from './tools.ts';

/** For a slow machine. */
const SLOW = { timeout: 30_000 };
const FUZZED = process.env.LONG ? 10_000 : 250;

let rig: McpRig;
beforeAll(async () => {
  rig = await McpRig.open();
});
afterAll(() => rig.close());

describe('both revisions of the protocol', () => {
  it('answer initialize, notifications and ping without a session', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    expect((await rig.legacy('initialize', params)).result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'crosstape', version: '0.0.0' },
    });
    const future = { ...params, protocolVersion: '2099-01-01' };
    expect((await rig.legacy('initialize', future)).result).toMatchObject({ protocolVersion: '2025-11-25' });
    const notified = await rig.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([notified.status, notified.text]).toEqual([202, '']);
    expect((await rig.legacy('ping')).result).toEqual({});
    expect((await rig.legacy('server/discover')).error?.code).toBe(-32601);
    expect((await rig.api.fetch('/mcp', { headers: { Accept: accept } })).status).toBe(405);
  });

  it('describe themselves, with how long that may be cached', async () => {
    const { result } = JSON.parse((await rig.modern('server/discover')).text) as Rpc;
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN],
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'crosstape' } },
    });
    expect(result?.ttlMs).toBeGreaterThan(0);
    expect((await rig.modern('ping')).status).toBe(404);
    expect((await rig.modern('initialize')).status).toBe(404);
  });

  it.each<[string, object, Record<string, string>, number, number]>([
    ['no method header', envelope('tools/list'), { 'MCP-Protocol-Version': MODERN }, 400, -32020],
    [
      'another method',
      envelope('tools/list'),
      { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'ping' },
      400,
      -32020,
    ],
    ['no version header', envelope('tools/list'), { 'Mcp-Method': 'tools/list' }, 400, -32020],
    [
      'another version header',
      envelope('tools/list'),
      { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': 'tools/list' },
      400,
      -32020,
    ],
    [
      'no version in the body',
      { jsonrpc: '2.0', id: 7, method: 'tools/list' },
      { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' },
      400,
      -32602,
    ],
    [
      'no name header',
      envelope('tools/call', { name: 'explain' }),
      { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call' },
      400,
      -32020,
    ],
    [
      'another name',
      envelope('tools/call', { name: 'explain' }),
      { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get_flow' },
      400,
      -32020,
    ],
    [
      'an unknown version',
      envelope('tools/list', {}, '2099-01-01'),
      { 'MCP-Protocol-Version': '2099-01-01', 'Mcp-Method': 'tools/list' },
      400,
      -32022,
    ],
    [
      'an unknown version of a session',
      { jsonrpc: '2.0', id: 7, method: 'tools/list' },
      { 'MCP-Protocol-Version': '1999-01-01' },
      400,
      -32000,
    ],
    [
      'an unknown method',
      envelope('tools/guess'),
      { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/guess' },
      404,
      -32601,
    ],
    [
      'no event stream accepted',
      envelope('tools/list'),
      { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list', Accept: 'application/json' },
      406,
      -32600,
    ],
    ['a batch', [envelope('tools/list')], {}, 400, -32600],
  ])('refuse %s', async (_what, body, headers, status, code) => {
    const answer = await rig.post(body, headers);
    expect([answer.status, (JSON.parse(answer.text) as Rpc).error?.code]).toEqual([status, code]);
  });

  it('refuse pages of other sites, and send no CORS headers', async () => {
    const body = envelope('tools/list');
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const answer = await rig.post(body, headers);
      expect(answer.status).toBe(403);
    }
    const own = await rig.post(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { Origin: `http://127.0.0.1:${rig.api.port}`, Host: `127.0.0.1:${rig.api.port}` },
    );
    expect(own.status).toBe(200);
    expect(own.headers).not.toHaveProperty('access-control-allow-origin');
    expect(own.headers).toHaveProperty('ratelimit');
  });
});

it('takes every media type for both that it needs', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await rig.post(body, { Accept: '*/*' })).status).toBe(200);
});

it('lets calls finish while the service stops, and ends streams', async () => {
  const stopped = await McpRig.open();
  const { rotations } = stopped.api.tape;
  let finish = (): void => undefined;
  const submit = vi.spyOn(rotations, 'submit').mockImplementation(
    () =>
      new Promise((_, reject) => {
        finish = () => reject(new Failure('bad_request', 'Stopped in time.'));
      }),
  );
  const call = stopped.modern('tools/call', { name: 'get_bars', arguments: { market: 'BTC' } });
  await vi.waitFor(() => expect(submit).toHaveBeenCalled(), SLOW);
  const closed = stopped.close();
  await vi.waitFor(
    async () => expect(await stopped.modern('tools/list').catch(() => 'refused')).toBe('refused'),
    SLOW,
  );
  finish();
  const { status, text } = await call;
  expect([status, text]).toEqual([200, expect.stringContaining('Stopped in time.')]);
  await closed;
  expect(stopped.api.errors).toEqual([]);
});

it(`answers ${FUZZED} random requests without an internal error`, async () => {
  const random = seededRandom(11);
  const pick = <One>(from: readonly One[]): One => from[Math.floor(random() * from.length)] as One;
  const isRare = (): boolean => random() < 0.15;
  const texts = ['BTC', 'btc', 'hyperliquid:BTC', 'BTC:', 'x:', '', '\u0000', '💥'.repeat(40)];
  const times = [0, 1, START_MS - 60_000, START_MS, 8_640_000_000_000_000, 2 ** 53 - 1];
  const values: readonly unknown[] = [...texts, ...times, -1, 0.5, 1e308, null, true, [], {}];
  const good: Readonly<Record<string, readonly unknown[]>> = {
    coin: ['BTC', 'eth', 'DOGE'],
    market: ['BTC', 'hyperliquid:BTC', 'binance:BTCUSDT'],
    from: times,
    to: times,
    since: times,
    max_rows: [1, 5, 200],
    min_usd: [0, 1e12, 2 ** 53 - 1],
    kind: ['time', 'tick', 'range', 'pnf'],
    params: [{ intervalMs: 60_000 }, { rangeTicks: 5 }, {}, { intervalMs: 'x' }],
    endpoint: ['/options/gex', '/perps/oi', '/nope'],
    field: ['callOi', 'oiUsd', '__proto__', 'constructor'],
    underlying: ['BTC', 'xrp'],
    query: ['BTC', 'b'],
    venue: ['hyperliquid', 'binance'],
  };
  const methods = ['resources/read', 'prompts/get', 'subscriptions/listen', 'tools/list', 'ping', '', 'x'];
  /** Mostly arguments that the tool has, with values that it takes. */
  const argumentsOf = ({ input }: Tool): object => {
    const names = Object.keys(input.properties).filter(
      (name) => input.required?.includes(name) || random() < 0.5,
    );
    if (isRare()) names.push(pick([...Object.keys(good), '__proto__']));
    return Object.fromEntries(names.map((name) => [name, pick(isRare() ? values : (good[name] ?? values))]));
  };
  const request = (): { method: string; params: Record<string, unknown> } => {
    const tool = pick(tools);
    if (random() < 0.8)
      return { method: 'tools/call', params: { name: tool.name, arguments: argumentsOf(tool) } };
    const name = pick(['morning_brief', 'x', 4]);
    const uri = pick(['crosstape://docs/python', 'crosstape://coverage/BTC', 'crosstape://%', ...values]);
    return { method: pick(methods), params: { name, uri, arguments: pick(values) } };
  };
  const message = (): { body: unknown; headers: Record<string, string> } => {
    const { method, params } = request();
    const name = [params.name, params.uri].find((one) => typeof one === 'string' && /^[!-~]+$/.test(one));
    const headers = {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method || 'x',
      'Mcp-Name': typeof name === 'string' ? name : 'x',
      ...(isRare() && {
        [pick(['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'])]: pick(['2025-11-25', 'x']),
      }),
    };
    if (random() < 0.1) return { body: pick<unknown>([...values, '{"jsonrpc"']), headers };
    if (random() < 0.3) {
      const legacy = { 'MCP-Protocol-Version': '2025-11-25' };
      return { body: { jsonrpc: '2.0', id: pick([1, 'a', null, {}]), method, params }, headers: legacy };
    }
    return { body: envelope(method, params), headers };
  };
  // Over kept connections: the service limits how many an address may open.
  const send = async (): Promise<{ status: number; text: string }> => {
    const { body, headers } = message();
    const answer = await fetch(`http://127.0.0.1:${rig.api.port}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: accept, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    if (answer.headers.get('Content-Type') !== 'text/event-stream')
      return { status: answer.status, text: await answer.text() };
    await answer.body?.cancel();
    return { status: answer.status, text: '' };
  };
  const statuses = new Set<number>();
  let [reached, answered] = [0, 0];
  for (let i = 0; i < FUZZED; i += 25) {
    let isDone = false;
    const batch = Promise.all(Array.from({ length: 25 }, send)).finally(() => {
      isDone = true;
    });
    // Some calls wait for a build or a source: the clock must advance.
    await vi.waitUntil(
      () => {
        rig.api.clock.advance(isDone ? 0 : 250);
        return isDone;
      },
      { interval: 25, timeout: 120_000 },
    );
    for (const { status, text } of await batch) {
      statuses.add(status);
      if (text.includes('"content":')) reached += 1;
      if (text.includes('"structuredContent":')) answered += 1;
    }
  }
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  expect(rig.api.errors).toEqual([]);
  expect(reached / FUZZED).toBeGreaterThan(0.4);
  expect(answered / FUZZED).toBeGreaterThan(0.1);
}, 600_000);
