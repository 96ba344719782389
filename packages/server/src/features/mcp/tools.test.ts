import { HOUR_MS } from '@crosstape/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { START_MS } from '../../api/testing/test-api.ts';
import { perpVenueIds } from '../markets/venue-ids.ts';
import { Failure } from '../../platform/errors.ts';
import { Rest, type RestOptions } from './rest.ts';
import { callTool } from './server.ts';
import { McpRig, type Rpc } from './testing/mcp-rig.ts';
import { tools } from './tools.ts';

/** Answers as given, without a limit of time. */
function fakeRest(parts: object): Rest {
  const within = <Result>(_ms: number, work: Promise<Result>): Promise<Result> => work;
  return { nowMs: START_MS, venues: [], within, ...parts } as unknown as Rest;
}

let rig: McpRig;
beforeAll(async () => {
  rig = await McpRig.open();
});
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
      `/perps/oi?coins=BTC&venues=${perpVenueIds.join(',')}`,
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
    expect((await rig.call('get_option_levels', { underlying: 'btc' })).structuredContent).toMatchObject({
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
    const flow = await rig.rest<{ rows: readonly [{ coverage: object }] }>('/flows/summary?coins=BTC');
    const { coverage: flowCoverage, ...pressure } = flow.data.rows[0];
    expect((await rig.call('get_flow', { coin: 'BTC' })).structuredContent).toMatchObject({
      ...pressure,
      flowCoverage,
    });
    const liquidated = await rig.rest<readonly [{ inferred: object }]>('/perps/liquidations?coins=BTC');
    const { inferred: inferredSums, ...sums } = liquidated.data[0];
    expect((await rig.call('get_liquidations', { coin: 'BTC' })).structuredContent).toMatchObject({
      ...sums,
      inferredSums,
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

  it('carry the credits that the terms of sources ask for, each once', async () => {
    const { url, text } = { url: 'https://coinalyze.net', text: 'Data provided by Coinalyze' };
    const attribution = [{ source: 'coinalyze', text, url }];
    const meta = { fetchedAt: START_MS, source: 'okx+coinalyze', attribution };
    const rest = fakeRest({ get: async () => ({ data: [], meta }) });
    const params = { name: 'search_markets', arguments: { query: 'btc' } };
    const result = await callTool(params, rest);
    expect(result.structuredContent).toMatchObject({ attribution });
    expect(result.content[0]).toMatchObject({ text: expect.stringContaining(`${text} (${url}).`) });
    const other = await callTool(
      params,
      fakeRest({ get: async () => ({ data: [], meta: { ...meta, attribution: undefined } }) }),
    );
    expect(other.structuredContent).not.toHaveProperty('attribution');
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

  it('claim to be complete only where everything was recorded', async () => {
    const coverageOf = async (name: string, given: object) =>
      (await rig.call(name, given)).structuredContent.coverage;
    const now = rig.api.clock.now();
    const future = { from: now + HOUR_MS, to: now + 2 * HOUR_MS };
    expect(await coverageOf('get_bars', { market: 'BTC', from: 0, to: 1 })).toBe('partial');
    expect(await coverageOf('get_bars', { market: 'BTC', ...future })).toBe('unknown');
    expect(await coverageOf('get_coverage', { market: 'BTC', ...future })).toBe('unknown');
    const ahead = { market: 'BTC', from: now - 60_000, to: now + HOUR_MS };
    expect((await rig.call('get_coverage', ahead)).structuredContent).toMatchObject({
      completePct: 100,
      coverage: 'partial',
      gaps: [{ from: now, to: now + HOUR_MS, reason: 'in the future' }],
    });
    const since = now - 30 * 24 * HOUR_MS;
    expect((await rig.call('get_large_prints', { coin: 'BTC', since })).structuredContent).toMatchObject({
      coverage: 'partial',
      gaps: [{ from: since }, {}],
    });
    expect(await coverageOf('get_large_prints', { coin: 'BTC', since: now - 60_000 })).toBe('complete');
  });

  it('build bars, cut them to the rows requested, and say how to ask for fewer', async () => {
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
  });

  it('report the coverage of bars up to when they were built, though the build is used again later', async () => {
    const given = { market: 'BTC', params: { intervalMs: 60_000 }, from: START_MS - HOUR_MS };
    const own = await McpRig.open();
    const first = await own.call('get_bars', given);
    own.api.clock.advance(120_000);
    const second = await own.call('get_bars', given);
    await own.close();
    const { asOf, gaps = [] } = second.structuredContent;
    expect(asOf).toBe(first.structuredContent.asOf);
    // The feed of the sample market is not up since.
    expect(Math.max(...gaps.map((gap) => (gap as { to: number }).to))).toBe(asOf);
  });

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
    ['get_bars', { market: 'BTC', kind: 'foo' }, 'one of time, tick, volume'],
    ['search_markets', { query: 'BTC', venue: 'foo' }, 'one of hyperliquid, '],
    ['get_funding', { coin: 'B C' }, 'a ticker of 1 to 64 characters'],
    ['get_option_levels', { underlying: 'DOGE' }, '`underlying` must be one of BTC, ETH, SOL, XRP'],
    ['get_coverage', { market: 'BTC', from: 9_007_199_254_740_000 }, 'from 0 to 8640000000000000'],
  ])('%s refuses %j with a sentence', async (name, given, words) => {
    const result = await rig.call(name, given);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(words) }] });
  });

  it.each([
    ['no name', {}, '`name`: Invalid input: expected string, received undefined.'],
    ['a number as the name', { name: 5 }, '`name`: Invalid input: expected string, received number.'],
    [
      'a number as the arguments',
      { name: 'explain', arguments: 5 },
      '`arguments`: Invalid input: expected record, received number.',
    ],
  ])('refuse %s in a sentence', async (_what, params, message) => {
    const error = { code: -32602, message: `Parameter ${message}` };
    expect((await rig.legacy('tools/call', params)).error).toEqual(error);
    const modern = await rig.modern('tools/call', params as { name?: string });
    expect((JSON.parse(modern.text) as Rpc).error).toEqual(error);
  });

  it('name a coin as the venue does, however it was spelled', async () => {
    const { structuredContent, content } = await rig.call('get_large_prints', { coin: 'btc', min_usd: 1e12 });
    expect(structuredContent.coin).toBe('BTC');
    expect(content[0]?.text).toContain('No order of BTC');
  });

  it('list a gap once, though the build and the tape report it', async () => {
    const [from, to] = [START_MS - HOUR_MS, START_MS];
    const meta = { fetchedAt: START_MS, source: 's' };
    const stats = { tick: 1, degraded: true, firstTs: from + 60_000 };
    const rest = fakeRest({
      build: async () => ({ data: { jobId: 'a' } }),
      ended: async () => ({ status: 'done', resultKey: 'k' }),
      get: async (path: string) => ({
        data:
          path === '/coverage'
            ? [
                { from, to: from + 1_000, state: 'missing', reason: 'a' },
                { from: from + 1_000, to: from + 90_000, state: 'complete' },
                { from: from + 90_000, to, state: 'missing', reason: 'b' },
                { from: from + 90_000, to, state: 'missing', reason: 'b' },
              ]
            : { coin: 'BTC', bars: [], stats },
        meta,
      }),
    });
    const params = { name: 'get_bars', arguments: { market: 'BTC', from, to } };
    expect((await callTool(params, rest)).structuredContent).toHaveProperty('gaps', [
      { from, to: from + 60_000, reason: 'only the newest trades could be read' },
      { from: from + 90_000, to, reason: 'b' },
    ]);
  });

  it('say that a retry can succeed', async () => {
    const failure = new Failure('upstream_unavailable', 'No answer yet.', { retryAfterSeconds: 5 });
    const rest = fakeRest({ get: () => Promise.reject(failure) });
    const params = { name: 'get_funding', arguments: { coin: 'BTC' } };
    expect(await callTool(params, rest)).toMatchObject({
      isError: true,
      content: [{ text: 'No answer yet. Try again in 5 seconds.' }],
    });
  });

  it('answer and log what fails on our side', async () => {
    const { rotations } = rig.api.tape;
    const submit = vi.spyOn(rotations, 'submit').mockRejectedValue(new RangeError('broken'));
    const { status, text } = await rig.modern('tools/call', {
      name: 'get_bars',
      arguments: { market: 'BTC' },
    });
    submit.mockRestore();
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32603 } });
    expect(text).not.toContain('broken');
    expect(status).toBeLessThan(500);
    expect(rig.api.errors).toMatchObject([{ err: { message: 'broken' }, method: 'tools/call' }]);
  });

  it('find their build again when they are called with the same arguments', async () => {
    const built: object[] = [];
    const call = (nowMs: number) => {
      const rest = fakeRest({
        nowMs,
        build: async (body: object) => {
          built.push(body);
          return { data: { jobId: 'a' } };
        },
        ended: async () => ({ status: 'running', pct: 0.4 }),
      });
      return callTool({ name: 'get_bars', arguments: { market: 'BTC' } }, rest);
    };
    const text =
      'The build is 40 % done; the same arguments return it when it is complete. Try again in a few seconds.';
    expect(await call(START_MS)).toMatchObject({ isError: true, content: [{ text }] });
    await call(START_MS + 21_000);
    expect(built[0]).toEqual(built[1]);
  });

  it('leave out the parts of a brief that fail, and do not ask for flows that are not followed', async () => {
    const asked: string[] = [];
    const ticker = { coin: 'DOGE', mark: 1, change24hPct: 1, volume24hUsd: 1 };
    const rest = fakeRest({
      flowCoins: ['BTC'],
      get: async (path: string) => {
        asked.push(path);
        if (path === '/perps/tickers') return { data: [ticker], meta: { fetchedAt: 0, source: 's' } };
        throw new Failure('upstream_unavailable', 'down');
      },
    });
    const result = await callTool({ name: 'market_brief', arguments: { coin: 'DOGE' } }, rest);
    expect(asked).not.toContain('/flows/summary');
    expect(result.content[0]).toMatchObject({ text: expect.stringContaining('are not followed') });
    expect(result.structuredContent).toMatchObject({
      coverage: 'partial',
      missing: ['/perps/oi', '/perps/funding', '/coverage'],
    });
  });

  it('stop when the client goes, and refuse what takes too long', async () => {
    const { clock } = rig.api;
    const gone = new AbortController();
    const options = { resources: { clock } } as unknown as RestOptions;
    const rest = new Rest(options, { caller: 'a', address: 'a' }, { signal: gone.signal });
    const late = rest.within(1_000, new Promise(() => undefined));
    clock.advance(1_000);
    await expect(late).rejects.toThrow('longer than 1 seconds');
    gone.abort();
    await expect(rest.get('/perps/oi')).rejects.toThrow('The client has gone.');
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
    expect((await read('crosstape://docs/nope')).error?.code).toBe(-32602);
    expect((await read('crosstape://coverage/%')).error?.code).toBe(-32602);
    const files = (await read('crosstape://parquet/manifest')).result?.contents;
    const [manifest] = files as [{ text: string }];
    expect(JSON.parse(manifest.text)).toEqual({ version: 1, totalFiles: 0, files: [] });
    expect((await rig.legacy('prompts/list')).result?.prompts).toHaveLength(2);
    const prompt = (await rig.legacy('prompts/get', { name: 'why_did_it_move', arguments: { coin: 'ETH' } }))
      .result;
    expect(JSON.stringify(prompt)).toContain('hyperliquid:ETH');
    expect((await rig.legacy('prompts/get', { name: 'x' })).error?.code).toBe(-32602);
    const numeric = await rig.legacy('prompts/get', { name: 'morning_brief', arguments: { coin: 1 } });
    expect(numeric.error).toEqual({
      code: -32602,
      message: 'Parameter `arguments.coin`: Invalid input: expected string, received number.',
    });
  });
});
