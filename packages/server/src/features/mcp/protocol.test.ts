import { seededRandom } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept, envelope, McpRig, MODERN, type Rpc } from './testing/mcp-rig.ts';
import { tools } from './tools.ts';

const FUZZED = process.env.LONG ? 10_000 : 1_000;

let rig: McpRig;
beforeAll(async () => {
  rig = await McpRig.open();
}, 60_000);
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
      supportedVersions: expect.arrayContaining([MODERN, '2025-11-25']),
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
      -32020,
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
      -32022,
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

it(`answers ${FUZZED} random requests without an error of its own`, async () => {
  const random = seededRandom(11);
  const pick = <One>(from: readonly One[]): One => from[Math.floor(random() * from.length)] as One;
  const values = [
    'BTC',
    'hyperliquid:BTC',
    'x:',
    '',
    0,
    -1,
    1e308,
    null,
    true,
    [],
    {},
    '\u0000',
    '💥'.repeat(40),
  ];
  const fields = [
    'coin',
    'market',
    'from',
    'to',
    'max_rows',
    'kind',
    'params',
    'endpoint',
    'field',
    'underlying',
    'query',
    '__proto__',
  ];
  const methods = [
    'tools/call',
    'tools/list',
    'resources/read',
    'prompts/get',
    'subscriptions/listen',
    'initialize',
    'ping',
    '',
    'x',
  ];
  // Builds are left out: they would wait for a clock that stands still.
  const names = [...tools.map(({ name }) => name).filter((name) => name !== 'get_bars'), 'x', 4];
  const something = (): object =>
    Object.fromEntries(Array.from({ length: 3 }, () => [pick(fields), pick(values)]));
  const body = (): unknown =>
    pick<() => unknown>([
      () => ({
        jsonrpc: '2.0',
        id: pick([1, 'a', null, {}]),
        method: pick(methods),
        params: { name: pick(names), uri: pick(values), arguments: pick([something(), pick(values)]) },
      }),
      () => envelope(pick(methods), { name: pick(names), arguments: something() }),
      () => pick(values),
      () => '{"jsonrpc"',
    ])();
  // Over kept connections: the service limits how many an address may open.
  const send = async (message: unknown, headers: Readonly<Record<string, string>>): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${rig.api.port}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: accept, ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses = new Set<number>();
  for (let i = 0; i < FUZZED; i += 25) {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () =>
        send(body(), {
          'MCP-Protocol-Version': pick([MODERN, '2025-11-25', 'x']),
          'Mcp-Method': pick(methods) || 'x',
        }),
      ),
    );
    for (const status of answers) statuses.add(status);
  }
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  expect(statuses).toContain(200);
  expect(rig.api.errors).toEqual([]);
}, 300_000);
