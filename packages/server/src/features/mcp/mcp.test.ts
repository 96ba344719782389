import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { seededRandom } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { publishSampleFlows, sampleFlowHistory } from '../../api/testing/sample-flows.ts';
import { publishSampleMarket, samplePrints } from '../../api/testing/sample-market.ts';
import { publishSampleOptions } from '../../api/testing/sample-options.ts';
import { recordSampleTape } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestAnswer, type TestApi } from '../../api/testing/test-api.ts';
import { fixedPage } from '../../http/fixed-page.ts';
import { tools } from './tools.ts';

const MODERN = '2026-07-28';
const HOUR_MS = 3_600_000;
const FUZZED = process.env.LONG ? 10_000 : 1_000;

let api: TestApi;
beforeAll(async () => {
  const docs = fixedPage({ path: '/docs/python.md', contentType: 'text/markdown', body: '# Python\n' });
  api = await startTestApi({
    prints: samplePrints,
    hasTape: true,
    flowHistory: sampleFlowHistory,
    pages: [docs],
  });
  publishSampleMarket(api);
  publishSampleOptions(api);
  await recordSampleTape(api);
  publishSampleFlows(api);
}, 60_000);
afterAll(() => api.close());

interface Structured {
  readonly asOf: number;
  readonly ageMs: number;
  readonly source: string;
  readonly coverage: string;
  readonly inferred: boolean;
  readonly units: object;
  readonly gaps?: readonly object[];
  readonly [figure: string]: unknown;
}

interface Rpc {
  readonly result?: {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent: Structured;
    readonly isError?: boolean;
    readonly [field: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const accept = 'application/json, text/event-stream';

function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TestAnswer> {
  const all = { 'Content-Type': 'application/json', Accept: accept, ...headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return api.fetch('/mcp', { method: 'POST', headers: all, body: text });
}

/** A request of the revision that begins with `initialize`. */
async function legacy(method: string, params: object = {}): Promise<Rpc> {
  const answer = await post(
    { jsonrpc: '2.0', id: 1, method, params },
    { 'MCP-Protocol-Version': '2025-11-25' },
  );
  return JSON.parse(answer.text) as Rpc;
}

function envelope(method: string, params: object = {}, version = MODERN): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } };
}

function modern(
  method: string,
  params: { name?: string; uri?: string; arguments?: object } = {},
): Promise<TestAnswer> {
  const name = params.name ?? params.uri;
  const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...(name && { 'Mcp-Name': name }) };
  return post(envelope(method, params), headers);
}

async function call(name: string, given: object): Promise<NonNullable<Rpc['result']>> {
  const { result } = JSON.parse((await modern('tools/call', { name, arguments: given })).text) as Rpc;
  return result as NonNullable<Rpc['result']>;
}

async function rest<Data>(path: string): Promise<{ data: Data; fetchedAt: number }> {
  const { body } = await api.get(path);
  return { data: body.data as Data, fetchedAt: body.meta.fetchedAt as number };
}

describe('both revisions of the protocol', () => {
  it('answer initialize, notifications and ping without a session', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    expect((await legacy('initialize', params)).result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'crosstape', version: '0.0.0' },
    });
    const future = { ...params, protocolVersion: '2099-01-01' };
    expect((await legacy('initialize', future)).result).toMatchObject({ protocolVersion: '2025-11-25' });
    const notified = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([notified.status, notified.text]).toEqual([202, '']);
    expect((await legacy('ping')).result).toEqual({});
    expect((await legacy('server/discover')).error?.code).toBe(-32601);
    expect((await api.fetch('/mcp', { headers: { Accept: accept } })).status).toBe(405);
  });

  it('describe themselves, with how long that may be cached', async () => {
    const { result } = JSON.parse((await modern('server/discover')).text) as Rpc;
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining([MODERN, '2025-11-25']),
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'crosstape' } },
    });
    expect(result?.ttlMs).toBeGreaterThan(0);
    expect((await modern('ping')).status).toBe(404);
    expect((await modern('initialize')).status).toBe(404);
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
    const answer = await post(body, headers);
    expect([answer.status, (JSON.parse(answer.text) as Rpc).error?.code]).toEqual([status, code]);
  });

  it('refuse pages of other sites, and send no CORS headers', async () => {
    const body = envelope('tools/list');
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const answer = await post(body, headers);
      expect(answer.status).toBe(403);
    }
    const own = await post(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { Origin: `http://127.0.0.1:${api.port}`, Host: `127.0.0.1:${api.port}` },
    );
    expect(own.status).toBe(200);
    expect(own.headers).not.toHaveProperty('access-control-allow-origin');
    expect(own.headers).toHaveProperty('ratelimit');
  });
});

describe('the tools', () => {
  it('are eleven, read-only, and described completely', async () => {
    const { result } = await legacy('tools/list');
    const listed = result?.tools as readonly {
      name: string;
      title: string;
      description: string;
      annotations: object;
      inputSchema: {
        type: string;
        properties: Record<string, { description?: string }>;
        required?: readonly string[];
      };
    }[];
    expect(listed.map(({ name }) => name)).toEqual([
      'market_brief',
      'search_markets',
      'get_bars',
      'get_open_interest',
      'get_funding',
      'get_liquidations',
      'get_flow',
      'get_option_levels',
      'get_large_prints',
      'get_coverage',
      'explain',
    ]);
    for (const { name, title, description, annotations, inputSchema } of listed) {
      const sentences = description.split(/\.\s/);
      expect(sentences.length, name).toBeGreaterThanOrEqual(4);
      expect(description, name).toMatch(/^Returns /);
      expect(description, `${name}: when to use it`).toMatch(/\bUse it\b/);
      const others = tools.map((one) => one.name).filter((other) => other !== name);
      if (name !== 'search_markets' && name !== 'explain')
        expect(
          others.some((other) => description.includes(other)),
          `${name}: a sibling`,
        ).toBe(true);
      expect(title).not.toBe('');
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
      expect(inputSchema.type).toBe('object');
      for (const [field, { description: words = '' }] of Object.entries(inputSchema.properties)) {
        expect(words, `${name}.${field}`).toMatch(/Default|Required/);
      }
    }
  });

  it('return figures that equal the REST interface, with their age, source and units', async () => {
    const oi = await rest<readonly { oiUsd: number; venue: string }[]>(
      '/perps/oi?coins=BTC&venues=hyperliquid,bybit,okx,binance,bitget,gate,mexc,dydx,kraken',
    );
    const { structuredContent, content } = await call('get_open_interest', { coin: 'btc' });
    expect(structuredContent).toMatchObject({
      asOf: oi.fetchedAt,
      ageMs: api.clock.now() - oi.fetchedAt,
      inferred: false,
      totalOiUsd: oi.data.reduce((sum, { oiUsd }) => sum + oiUsd, 0),
      units: { oiUsd: 'USD' },
    });
    expect(structuredContent.source).toContain('hyperliquid');
    expect(structuredContent.venues).toEqual(expect.arrayContaining([...oi.data]));
    expect(content[0]?.text).toContain('Open interest in BTC');

    const gex = await rest<{ gammaFlip: number; totalGex: number; callWall: object }>(
      '/options/gex?underlying=BTC',
    );
    const { gammaFlip, totalGex, callWall } = gex.data;
    expect((await call('get_option_levels', { underlying: 'BTC' })).structuredContent).toMatchObject({
      asOf: gex.fetchedAt,
      inferred: true,
      gammaFlip,
      totalGex,
      callWall,
    });

    const funding = await rest<readonly object[]>('/perps/funding?coins=BTC');
    expect((await call('get_funding', { coin: 'BTC' })).structuredContent.venues).toEqual(
      expect.arrayContaining([expect.objectContaining(funding.data[0])]),
    );
    const prints = await rest<readonly object[]>('/perps/whales?coin=BTC&limit=50');
    expect((await call('get_large_prints', { coin: 'BTC' })).structuredContent.prints).toEqual(prints.data);
    const flow = await rest<{ rows: readonly object[] }>('/flows/summary?coins=BTC');
    expect((await call('get_flow', { coin: 'BTC' })).structuredContent).toMatchObject(
      flow.data.rows[0] as object,
    );
    expect((await call('get_liquidations', { coin: 'BTC' })).structuredContent).toMatchObject({
      coin: 'BTC',
    });
    expect((await call('search_markets', { query: 'btc' })).structuredContent.markets).toContainEqual(
      expect.objectContaining({ exchange: 'hyperliquid', coin: 'BTC' }),
    );
  });

  it('report the gaps of the tape', async () => {
    const range = { from: START_MS - HOUR_MS, to: START_MS };
    const coverage = await rest<readonly object[]>(`/coverage?coin=BTC&from=${range.from}&to=${range.to}`);
    const { structuredContent, content } = await call('get_coverage', {
      market: 'hyperliquid:BTC',
      ...range,
    });
    expect(structuredContent).toMatchObject({ coverage: 'partial', spans: coverage.data });
    expect(structuredContent.gaps).toEqual([
      { from: range.from + 8_000, to: range.from + 12_000, reason: 'no socket to the venue was up' },
    ]);
    expect(content[0]?.text).toContain('99.889 % complete');
    const brief = await call('market_brief', { coin: 'BTC' });
    expect(brief.structuredContent).toMatchObject({ coverage: 'partial', coin: 'BTC' });
    expect(brief.content[0]?.text).toMatch(/BTC trades at .* The tape of the last 24 hours is/);
  });

  it('build bars, cut them to the rows asked for, and say how to ask for fewer', async () => {
    // The tool looks at the build every 100 ms of the service's clock, which the test moves.
    const given = { market: 'BTC', params: { intervalMs: 60_000 }, from: START_MS - HOUR_MS, max_rows: 5 };
    let isDone = false;
    const calling = call('get_bars', given).finally(() => {
      isDone = true;
    });
    await vi.waitUntil(
      () => {
        api.clock.advance(20);
        return isDone;
      },
      { timeout: 25_000, interval: 20 },
    );
    const { structuredContent, content } = await calling;
    const bars = structuredContent.bars as readonly { openTs: number; trades: number }[];
    expect(bars).toHaveLength(5);
    expect(bars.every(({ trades }) => trades === 120)).toBe(true);
    expect(structuredContent).toMatchObject({
      coverage: 'partial',
      market: 'hyperliquid:BTC',
      hint: expect.stringContaining('later from'),
    });
    expect(content[1]?.text.split('\r\n')[0]).toContain('openTs,closeTs,open');
  }, 30_000);

  it('explain a figure, also one within a list', async () => {
    const { structuredContent } = await call('explain', { endpoint: '/options/gex', field: 'callOi' });
    expect(structuredContent).toMatchObject({ unit: 'coins', formula: expect.stringContaining('calls') });
    const wrong = await call('explain', { endpoint: '/options/gex', field: 'nope' });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('gammaFlip') }] });
  });

  it.each<[string, object, string]>([
    ['get_funding', { coin: 'NOSUCH' }, 'NOSUCH'],
    ['get_funding', {}, '`coin` is missing'],
    ['get_funding', { coin: 'BTC', venue: 'x' }, 'Unknown field `venue`'],
    ['get_coverage', { market: 'binance:BTCUSDT' }, 'not recorded'],
    ['get_bars', { market: 'BTC', from: 1 }, 'within the last 7 days'],
    ['get_bars', { market: 'BTC', kind: 'range' }, 'rangeTicks'],
    ['get_option_levels', { underlying: 'DOGE' }, '`underlying`'],
  ])('%s refuses %j with a sentence', async (name, given, words) => {
    const result = await call(name, given);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(words) }] });
  });

  it('are unknown by any other name', async () => {
    expect((await legacy('tools/call', { name: 'place_order' })).error).toMatchObject({ code: -32602 });
  });
});

describe('resources and prompts', () => {
  it('are listed and read', async () => {
    const listed = (await legacy('resources/list')).result?.resources;
    expect(listed).toEqual([expect.objectContaining({ uri: 'crosstape://docs/python' })]);
    const read = async (uri: string): Promise<Rpc> => legacy('resources/read', { uri });
    expect((await read('crosstape://docs/python')).result?.contents).toEqual([
      { uri: 'crosstape://docs/python', mimeType: 'text/markdown', text: '# Python\n' },
    ]);
    const covered = (await read('crosstape://coverage/hyperliquid:BTC')).result?.contents;
    const [coverage] = covered as [{ text: string }];
    expect(JSON.parse(coverage.text)).toMatchObject({ market: 'hyperliquid:BTC', coverage: 'partial' });
    expect((await read('crosstape://docs/nope')).error?.code).toBe(-32002);
    expect((await legacy('prompts/list')).result?.prompts).toHaveLength(2);
    const prompt = (await legacy('prompts/get', { name: 'why_did_it_move', arguments: { coin: 'ETH' } }))
      .result;
    expect(JSON.stringify(prompt)).toContain('hyperliquid:ETH');
    expect((await legacy('prompts/get', { name: 'x' })).error?.code).toBe(-32602);
  });
});

it('is understood by the official clients of both revisions', async () => {
  const program = fileURLToPath(new URL('../../../../../test/mcp-clients.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    `http://127.0.0.1:${api.port}/mcp`,
  ]);
  const seen = JSON.parse(stdout) as Record<'modern' | 'legacy', Record<string, unknown>>;
  const gex = await rest<{ gammaFlip: number }>('/options/gex?underlying=BTC');
  for (const one of [seen.modern, seen.legacy]) {
    expect(one).toMatchObject({
      server: { name: 'crosstape' },
      tools: tools.map(({ name }) => name),
      coverage: { market: 'hyperliquid:BTC', coverage: 'partial' },
      gamma: { asOf: gex.fetchedAt, gammaFlip: gex.data.gammaFlip },
      refused: { isError: true },
      read: '# Python\n',
      prompts: ['morning_brief', 'why_did_it_move'],
      prompt: 1,
    });
  }
  expect(seen.modern.version).toBe(MODERN);
}, 60_000);

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
  const statuses = new Set<number>();
  for (let i = 0; i < FUZZED; i += 25) {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () =>
        post(body(), {
          'MCP-Protocol-Version': pick([MODERN, '2025-11-25', 'x']),
          'Mcp-Method': pick(methods) || 'x',
        }),
      ),
    );
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  expect(api.errors).toEqual([]);
}, 60_000);
