import { get as httpGet } from 'node:http';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundingTopic, printTopic, tradeTopic } from '../topics.ts';
import { endpoints } from '../features/endpoints.ts';
import { listIn } from '../http/csv.ts';
import { readQuery } from '../http/read-query.ts';
import { takesCsv } from '../http/with-csv.ts';
import { leavesOf, parseCsv } from './testing/parse-csv.ts';
import type { WireEvent } from './testing/contract.ts';
import { publishSampleFlows, sampleFlowHistory } from './testing/sample-flows.ts';
import {
  publishSampleMarket,
  publishSamplePositioning,
  sampleDepths,
  sampleHistories,
  samplePrints,
} from './testing/sample-market.ts';
import { publishSampleOnchain } from './testing/sample-onchain.ts';
import { publishSampleOptions } from './testing/sample-options.ts';
import { publishSamplePrediction, sampleTokenId } from './testing/sample-prediction.ts';
import { buildSampleBars, recordSampleTape, sampleBuild } from './testing/sample-tape.ts';
import { envelopeFields, specFields, without } from './testing/spec-fields.ts';
import { type TestRequest, START_MS, startTestApi, type TestApi, testVenues } from './testing/test-api.ts';
import { streamDefinitions } from '../features/streams.ts';

let api: TestApi;
let build: { readonly jobId: string; readonly cacheKey: string };
beforeAll(async () => {
  api = await startTestApi({
    prints: samplePrints,
    hasTape: true,
    histories: sampleHistories,
    bookDepths: sampleDepths,
    flowHistory: sampleFlowHistory,
  });
  publishSampleMarket(api);
  publishSamplePositioning(api);
  publishSampleOptions(api);
  publishSampleOnchain(api);
  publishSamplePrediction(api);
  await recordSampleTape(api);
  build = await buildSampleBars(api);
  publishSampleFlows(api);
});
afterAll(() => api.close());

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

interface NamedSchema {
  readonly examples?: readonly unknown[];
}

function schemas(): Readonly<Record<string, NamedSchema>> {
  return (api.document as { components: { schemas: Record<string, NamedSchema> } }).components.schemas;
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 by an independent validator', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(api.document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('passes the linter without a warning', async () => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const rules = ['--extends', 'recommended', '--skip-rule', 'no-unused-components', '--format', 'json'];
    const { stdout } = await promisify(execFile)(
      'node_modules/.bin/redocly',
      ['lint', 'docs/openapi.json', ...rules],
      { cwd: repository, env },
    );
    expect((JSON.parse(stdout) as { problems: unknown[] }).problems).toEqual([]);
  });

  it('is served, and is the one that is kept in docs', async () => {
    const kept = await readFile(`${repository}docs/openapi.json`, 'utf8');
    expect(JSON.parse(kept)).toEqual(api.document);
    const { text } = await api.get('/openapi');
    expect(JSON.parse(text)).toEqual(api.document);
  });

  it('says version 1.0.0 and describes every endpoint and stream', () => {
    const { info, paths } = api.document as { info: { version: string }; paths: object };
    expect(info.version).toBe('1.0.0');
    const served = [...endpoints, ...streamDefinitions].map(({ path }) => path);
    expect(Object.keys(paths).toSorted()).toEqual(served.toSorted());
  });

  it('describes every field', () => {
    const undescribed: string[] = [];
    const walk = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: Record<string, Record<string, unknown>> };
      for (const [name, field] of Object.entries(properties ?? {})) {
        const isDescribed = ['description', '$ref', 'properties', 'items'].some((key) => key in field);
        if (!isDescribed) undescribed.push(`${at}.${name}`);
      }
      for (const [key, child] of Object.entries(value)) if (key !== 'examples') walk(child, `${at}.${key}`);
    };
    walk(api.document, '');
    expect(undescribed).toEqual([]);
  });
});

describe('every record', () => {
  it('of the published interface is described', () => {
    expect(Object.keys(schemas())).toEqual(expect.arrayContaining(Object.keys(specFields)));
  });

  it.each(Object.entries(specFields))(
    '%s has an example, and no promised field can be missing',
    (name, fields) => {
      const example = schemas()[name]?.examples?.[0];
      api.contract.checkResource(name, example);
      for (const field of fields.split(' ')) {
        expect(() => api.contract.checkResource(name, without(example, field)), field).toThrow('required');
      }
    },
  );
});

/** Requests that return data in the sample market, if the endpoint's own example does not. */
const asks: Readonly<
  Record<string, { search?: () => string; ask?: TestRequest; record?: ReturnType<typeof recordOf> }>
> = {
  '/perps/liquidations': { search: () => '?coins=BTC' },
  '/options/skew': { search: () => '?underlying=BTC' },
  '/markets': { search: () => '?exchange=hyperliquid' },
  '/perps/rotations/build': { ask: sampleBuild },
  '/perps/rotations/job': { search: () => `?id=${build.jobId}` },
  '/perps/rotations/result': {
    search: () => `?key=${build.cacheKey}&format=json`,
    record: { name: 'RotationResult', isList: false },
  },
  '/prediction/orderbook': { search: () => `?tokenId=${sampleTokenId}` },
};

/** Every endpoint with an envelope: its record, whether it is a list, and its request. */
const answers = endpoints
  .filter(({ hasEnvelope }) => hasEnvelope)
  .map((endpoint) => {
    const { path, data, examples } = endpoint;
    const search = (): string => (examples[0]?.search ? `?${examples[0].search}` : '');
    return { endpoint, path, record: recordOf(data), search, ask: {}, ...asks[path] };
  });

interface RecordSchema {
  readonly $id?: string;
  readonly items?: RecordSchema;
  readonly anyOf?: readonly RecordSchema[];
}

/** The record of an answer; of an answer in several forms, that of the first that is named. */
function recordOf(schema: RecordSchema): { readonly name: string; readonly isList: boolean } {
  const form =
    schema.anyOf?.find(({ $id, items }) => $id !== undefined || items?.$id !== undefined) ?? schema;
  return { name: form.$id ?? form.items?.$id ?? '', isList: form.items !== undefined };
}

describe('every endpoint', () => {
  it.each(answers)(
    '$path breaks its contract when a promised field is missing',
    async ({ path, record: { name, isList }, search, ask }) => {
      const { status, headers, body } = await api.get(path + search(), ask);
      expect(status).toBe(200);
      const inData = isList ? 'data[].' : 'data.';
      const promised = specFields[name]?.split(' ') ?? [];
      const fields = promised.map((field) => inData + field);
      for (const field of [...envelopeFields.split(' '), ...fields]) {
        const contentType = headers['content-type'];
        const check = (): void =>
          api.contract.checkAnswer(ask.method ?? 'GET', path, {
            status,
            contentType,
            body: without(body, field),
          });
        expect(check, field).toThrow('required');
      }
    },
  );

  it.each(
    endpoints.flatMap(({ path, query, examples }) => examples.map(({ search }) => ({ path, query, search }))),
  )('$path takes its own example `$search`', ({ query, search }) => {
    expect(() => readQuery(query, search, testVenues)).not.toThrow();
  });

  it('has a description of every parameter', () => {
    for (const { path, query } of [...endpoints, ...streamDefinitions]) {
      for (const [name, parameter] of Object.entries(query.properties)) {
        expect(parameter, `${path} ${name}`).toHaveProperty('description');
      }
    }
  });

  it.each(answers.filter(({ endpoint }) => takesCsv(endpoint)))(
    '$path has the same rows as CSV',
    async ({ path, search, endpoint }) => {
      const asked = `${path}${search()}`;
      const form = endpoint.query.properties.format as { readonly default?: string };
      const json = form.default === 'json' ? asked : `${asked}&format=json`;
      const { body } = await api.get(json);
      const { field } = listIn(endpoint.data, endpoint.list) ?? {};
      const rows = (
        field === undefined ? body.data : (body.data as Record<string, unknown>)[field]
      ) as object[];
      const { headers, text } = await api.get(`${asked}${asked.includes('?') ? '&' : '?'}format=csv`);
      expect(headers['content-type']).toBe('text/csv; charset=utf-8');
      const [names = [], ...lines] = parseCsv(text);
      expect(lines).toHaveLength(rows.length);
      for (const [i, row] of rows.entries()) {
        const figures = leavesOf(row);
        expect(Object.fromEntries(names.map((name, at) => [name, lines[i]?.[at]])), `row ${i}`).toEqual(
          Object.fromEntries(names.map((name) => [name, figures.get(name) ?? ''])),
        );
        expect([...figures.keys()].filter((name) => !names.includes(name))).toEqual([]);
      }
      const accepted = await api.get(asked, { headers: { Accept: 'text/csv' } });
      expect([accepted.text, accepted.headers.vary]).toEqual([text, 'Accept, Accept-Encoding']);
      expect((await api.get(json)).headers['content-type']).toContain('application/json');
    },
  );

  it('/openapi breaks its contract when a part is missing', async () => {
    const { status, headers, text } = await api.get('/openapi');
    const contentType = headers['content-type'];
    for (const field of ['openapi', 'info', 'info.title', 'info.version', 'paths', 'components']) {
      const body = without(JSON.parse(text), field);
      const check = (): void => api.contract.checkAnswer('GET', '/openapi', { status, contentType, body });
      expect(check, field).toThrow('required');
    }
  });
});

/** The record of each event of each stream. */
const events: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/streams/whales': { whale: 'WhaleTick', heartbeat: 'Heartbeat', bye: 'Bye' },
  '/streams/trades': { trade: 'TradeTick', heartbeat: 'Heartbeat' },
  '/streams/funding': { funding: 'FundingChange', heartbeat: 'Heartbeat' },
};

describe('every event', () => {
  it('is in the table below', () => {
    const served = streamDefinitions.map(({ path, events: own }) => [path, Object.keys(own).toSorted()]);
    const tabled = Object.entries(events).map(([path, own]) => [path, Object.keys(own).toSorted()]);
    expect(Object.fromEntries(tabled)).toEqual(Object.fromEntries(served));
  });

  it('breaks its contract when a promised field is missing', async () => {
    const live = await startTestApi();
    publishSampleMarket(live);
    const searches = { '/streams/whales': '', '/streams/trades': '?coin=BTC', '/streams/funding': '' };
    const reading = Object.entries(searches).map(async ([path, search]) => {
      return [path, await readStream(live, `/api/v1${path}${search}`)] as const;
    });
    await expect
      .poll(async () => (await live.fetch('/metrics')).text)
      .toMatch(/crosstape_streams\{kind="open"\} 3/);
    live.bus.publish(printTopic, samplePrints[0] as (typeof samplePrints)[0]);
    const trade = {
      coin: 'BTC',
      venue: 'hyperliquid',
      side: 'buy',
      price: 2,
      size: 3,
      notionalUsd: 6,
    } as const;
    live.bus.publish(tradeTopic('BTC'), { ...trade, ts: START_MS, tid: 7, sameOrder: false });
    const change = {
      coin: 'BTC',
      venue: 'hyperliquid',
      rate: 0.001,
      periodHours: 1,
      prevRate: 0,
      delta: 0.001,
    };
    live.bus.publish(fundingTopic, { ...change, ts: START_MS });
    await expect.poll(async () => (await live.fetch('/metrics')).text).toMatch(/kind="delivered"\} 3/);
    await live.close();
    for (const [path, received] of await Promise.all(reading)) {
      for (const [name, record] of Object.entries(events[path] ?? {})) {
        const event = received.find((one) => one.event === name);
        expect(event, `${name} of ${path}`).toBeDefined();
        live.contract.checkEvent(path, event as WireEvent);
        const fields = (specFields[record] ?? '').split(' ').map((field) => `data.${field}`);
        for (const field of ['event', 'id', 'data', ...fields]) {
          const check = (): void => live.contract.checkEvent(path, without(event, field) as WireEvent);
          expect(check, `${path} ${name} ${field}`).toThrow('required');
        }
      }
    }
  });
});

/** All events of a stream until it ends. */
function readStream({ port }: TestApi, path: string): Promise<readonly WireEvent[]> {
  return new Promise((resolve, reject) => {
    httpGet({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject).on('end', () => {
        const blocks = text.split('\n\n').filter((block) => block.includes('data:'));
        resolve(blocks.map(parseEvent));
      });
    }).on('error', reject);
  });
}

function parseEvent(block: string): WireEvent {
  const field = (name: string): string => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? '';
  return { event: field('event'), id: field('id'), data: JSON.parse(field('data')) as unknown };
}
