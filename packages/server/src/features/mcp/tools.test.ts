import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START_MS } from '../../api/testing/test-api.ts';
import { Failure } from '../../platform/errors.ts';
import type { Rest } from './rest.ts';
import { serve } from './serve.ts';
import { McpRig, MODERN, type Rpc } from './testing/mcp-rig.ts';
import { tools } from './tools.ts';

const HOUR_MS = 3_600_000;

let rig: McpRig;
beforeAll(async () => {
  rig = await McpRig.open();
}, 60_000);
afterAll(() => rig.close());

describe('the tools', () => {
  it('are eleven, read-only, and described completely', async () => {
    const { result } = await rig.legacy('tools/list');
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
      expect(
        others.some((other) => description.includes(other)),
        `${name}: a sibling`,
      ).toBe(true);
      expect(description, `${name}: limits`).toMatch(/\bat most\b|\bonly\b|\bfew\b|returns no/i);
      expect(title).not.toBe('');
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
      expect(inputSchema.type).toBe('object');
      for (const [field, { description: words = '' }] of Object.entries(inputSchema.properties)) {
        expect(words, `${name}.${field}: default`).toMatch(/Default|Required/);
        expect(words, `${name}.${field}: format or range`).toMatch(/`[^`]+`|\d|milliseconds|: [a-z]+, /);
      }
    }
  });

  it('return figures that equal the REST interface, with their age, source and units', async () => {
    const oi = await rig.rest<readonly { oiUsd: number; venue: string }[]>(
      '/perps/oi?coins=BTC&venues=hyperliquid,bybit,okx,binance,bitget,gate,mexc,dydx,kraken',
    );
    const { structuredContent, content } = await rig.call('get_open_interest', { coin: 'btc' });
    expect(structuredContent).toMatchObject({
      asOf: oi.fetchedAt,
      ageMs: rig.api.clock.now() - oi.fetchedAt,
      inferred: false,
      totalOiUsd: oi.data.reduce((sum, { oiUsd }) => sum + oiUsd, 0),
      units: { oiUsd: 'USD' },
    });
    expect(structuredContent.source).toContain('hyperliquid');
    expect(structuredContent.venues).toEqual(expect.arrayContaining([...oi.data]));
    expect(content[0]?.text).toContain('Open interest in BTC');

    const gex = await rig.rest<{ gammaFlip: number; totalGex: number; callWall: object }>(
      '/options/gex?underlying=BTC',
    );
    const { gammaFlip, totalGex, callWall } = gex.data;
    expect((await rig.call('get_option_levels', { underlying: 'BTC' })).structuredContent).toMatchObject({
      asOf: gex.fetchedAt,
      inferred: true,
      gammaFlip,
      totalGex,
      callWall,
    });

    const funding = await rig.rest<readonly object[]>('/perps/funding?coins=BTC');
    expect((await rig.call('get_funding', { coin: 'BTC' })).structuredContent.venues).toEqual(
      expect.arrayContaining([expect.objectContaining(funding.data[0])]),
    );
    const prints = await rig.rest<readonly object[]>('/perps/whales?coin=BTC&limit=50');
    expect((await rig.call('get_large_prints', { coin: 'BTC' })).structuredContent.prints).toEqual(
      prints.data,
    );
    const flow = await rig.rest<{ rows: readonly object[] }>('/flows/summary?coins=BTC');
    expect((await rig.call('get_flow', { coin: 'BTC' })).structuredContent).toMatchObject(
      flow.data.rows[0] as object,
    );
    expect((await rig.call('get_liquidations', { coin: 'BTC' })).structuredContent).toMatchObject({
      coin: 'BTC',
    });
    const recorded = await rig.rest<readonly { coin: string }[]>('/markets/recorded?coin=BTC');
    expect((await rig.call('search_markets', { query: 'btc' })).structuredContent.markets).toEqual(
      recorded.data,
    );
    const listed = await rig.call('search_markets', { query: 'btc', venue: 'hyperliquid' });
    expect(listed.structuredContent.markets).toContainEqual(
      expect.objectContaining({ exchange: 'hyperliquid', coin: 'BTC' }),
    );
  });

  it('report the gaps of the tape', async () => {
    const range = { from: START_MS - HOUR_MS, to: START_MS };
    const coverage = await rig.rest<readonly object[]>(
      `/coverage?coin=BTC&from=${range.from}&to=${range.to}`,
    );
    const { structuredContent, content } = await rig.call('get_coverage', {
      market: 'hyperliquid:BTC',
      ...range,
    });
    expect(structuredContent).toMatchObject({ coverage: 'partial', spans: coverage.data });
    expect(structuredContent.gaps).toEqual([
      { from: range.from + 8_000, to: range.from + 12_000, reason: 'no socket to the venue was up' },
    ]);
    expect(content[0]?.text).toContain('99.889 % complete');
    const brief = await rig.call('market_brief', { coin: 'BTC' });
    expect(brief.structuredContent).toMatchObject({ coverage: 'partial', coin: 'BTC' });
    expect(brief.content[0]?.text).toMatch(/BTC trades at .* The tape of the last 24 hours is/);
  });

  it('build bars, cut them to the rows asked for, and say how to ask for fewer', async () => {
    const given = { market: 'BTC', params: { intervalMs: 60_000 }, from: START_MS - HOUR_MS, max_rows: 5 };
    const { structuredContent, content } = await rig.call('get_bars', given);
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
    const { structuredContent } = await rig.call('explain', { endpoint: '/options/gex', field: 'callOi' });
    expect(structuredContent).toMatchObject({ unit: 'coins', formula: expect.stringContaining('calls') });
    const wrong = await rig.call('explain', { endpoint: '/options/gex', field: 'nope' });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('gammaFlip') }] });
  });

  it.each<[string, object, string]>([
    ['get_funding', { coin: 'NOSUCH' }, 'NOSUCH'],
    ['get_funding', {}, '`coin` is missing'],
    ['get_funding', { coin: 'BTC', venue: 'x' }, 'Unknown field `venue`'],
    ['get_coverage', { market: 'binance:BTCUSDT' }, 'markets are recorded'],
    ['get_bars', { market: 'binance:BTCUSDT' }, 'recorded'],
    ['get_bars', { market: 'BTC', from: 2, to: 1 }, 'must be before'],
    ['get_bars', { market: 'BTC', kind: 'range' }, 'rangeTicks'],
    ['get_option_levels', { underlying: 'DOGE' }, '`underlying`'],
  ])('%s refuses %j with a sentence', async (name, given, words) => {
    const result = await rig.call(name, given);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(words) }] });
  });

  it('say that a retry can succeed', async () => {
    const failure = new Failure('upstream_unavailable', 'No answer yet.', { retryAfterSeconds: 5 });
    const rest = { get: () => Promise.reject(failure) } as unknown as Rest;
    const params = { name: 'get_funding', arguments: { coin: 'BTC' } };
    const request = { id: 1, method: 'tools/call', params, isModern: true };
    expect(await serve(request, { rest, pages: [], version: '0.0.0' })).toMatchObject({
      isError: true,
      content: [{ text: 'No answer yet. Try again in 5 seconds.' }],
    });
  });

  it('are unknown by any other name', async () => {
    expect((await rig.legacy('tools/call', { name: 'place_order' })).error).toMatchObject({ code: -32602 });
  });
});

describe('resources and prompts', () => {
  it('are listed and read', async () => {
    const listed = (await rig.legacy('resources/list')).result?.resources;
    expect(listed).toMatchObject([
      { uri: 'crosstape://docs/python' },
      { uri: 'crosstape://coverage/hyperliquid:BTC' },
      { uri: 'crosstape://parquet/manifest' },
    ]);
    const read = async (uri: string): Promise<Rpc> => rig.legacy('resources/read', { uri });
    expect((await read('crosstape://docs/python')).result?.contents).toEqual([
      { uri: 'crosstape://docs/python', mimeType: 'text/markdown', text: '# Python\n' },
    ]);
    const covered = (await read('crosstape://coverage/hyperliquid:BTC')).result?.contents;
    const [coverage] = covered as [{ text: string }];
    expect(JSON.parse(coverage.text)).toMatchObject({ market: 'hyperliquid:BTC', coverage: 'partial' });
    expect((await read('crosstape://docs/nope')).error?.code).toBe(-32002);
    expect((await read('crosstape://coverage/%')).error?.code).toBe(-32002);
    const files = (await read('crosstape://parquet/manifest')).result?.contents;
    const [manifest] = files as [{ text: string }];
    expect(JSON.parse(manifest.text)).toEqual({ version: 1, totalFiles: 0, files: [] });
    expect((await rig.legacy('prompts/list')).result?.prompts).toHaveLength(2);
    const prompt = (await rig.legacy('prompts/get', { name: 'why_did_it_move', arguments: { coin: 'ETH' } }))
      .result;
    expect(JSON.stringify(prompt)).toContain('hyperliquid:ETH');
    expect((await rig.legacy('prompts/get', { name: 'x' })).error?.code).toBe(-32602);
  });
});

it('is understood by the official clients of both revisions', async () => {
  const program = fileURLToPath(new URL('../../../../../test/mcp-clients.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    `http://127.0.0.1:${rig.api.port}/mcp`,
  ]);
  const seen = JSON.parse(stdout) as Record<'modern' | 'legacy', Record<string, unknown>>;
  const gex = await rig.rest<{ gammaFlip: number }>('/options/gex?underlying=BTC');
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
  expect(seen.modern.subscribed).toEqual({ resourceSubscriptions: ['crosstape://coverage/hyperliquid:BTC'] });
  expect(seen.modern.version).toBe(MODERN);
}, 60_000);
