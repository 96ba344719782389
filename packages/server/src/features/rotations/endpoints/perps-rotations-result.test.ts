import { gunzipSync } from 'node:zlib';
import { barsToJson, decodePack, type BuildResult } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import {
  buildRequest,
  buildSampleBars,
  recordSampleTape,
  sampleTrades,
} from '../../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

let api: TestApi;
let address: string;
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  await recordSampleTape(api);
  const { cacheKey } = await buildSampleBars(api);
  address = `/perps/rotations/result?key=${cacheKey}`;
});
afterAll(() => api.close());

it('is the gzipped pack, with any Accept-Encoding', async () => {
  const { status, headers, raw } = await api.get(address, { headers: { 'Accept-Encoding': 'br, gzip' } });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'cache-control': 'no-store',
    vary: 'Accept',
    'content-length': String(raw.length),
  });
  expect(headers).not.toHaveProperty('content-encoding');
  const pack = decodePack(new Uint8Array(gunzipSync(raw)));
  expect(pack).toMatchObject({ coin: 'BTC', spec: { kind: 'range', params: { rangeTicks: 20 }, tick: 1 } });
  expect(pack.bars.length).toBeGreaterThan(50);
});

it.each([
  ['application/json', true],
  ['application/json, text/plain, */*', true],
  ['application/octet-stream, application/json;q=0.5', false],
  ['application/json;q=0', false],
  ['*/*', false],
])('with Accept: %s it is in the envelope: %s', async (accept, isEnvelope) => {
  const plain = (await api.get(address)).raw;
  const { headers, raw, body } = await api.get(address, { headers: { Accept: accept } });
  if (!isEnvelope) return expect(raw).toEqual(plain);
  expect(headers.vary).toBe('Accept, Accept-Encoding');
  expect(body.data).toEqual({ encoding: 'base64', pack: plain.toString('base64') });
  expect(body.meta).toEqual({ fetchedAt: START_MS, source: 'hyperliquid' });
});

it('as JSON has the bars of the pack, the open one and the state', async () => {
  const { status, headers, body } = await api.get(`${address}&format=json`);
  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('no-store');
  const { raw } = await api.get(address);
  const expected = barsToJson(decodePack(new Uint8Array(gunzipSync(raw))));
  expect(body.data).toEqual(JSON.parse(JSON.stringify(expected)));
  expect((body.data as BuildResult).open).toMatchObject({ complete: true });
});

it('as JSON is refused when it is too large, naming what to ask for', async () => {
  await api.tape.record(sampleTrades(START_MS - 86_000_000, 30_000, 100_000), 'sealed');
  const every = buildRequest({ coin: 'BTC', kind: 'tick', params: { trades: 1 }, days: 2 });
  const { cacheKey } = await buildSampleBars(api, every);
  const { status, headers, body } = await api.get(`/perps/rotations/result?key=${cacheKey}&format=json`);
  expect(status).toBe(413);
  expect(headers['cache-control']).toBe('no-store');
  expect(body.error).toContain('`format=packed`');
  expect((await api.get(`/perps/rotations/result?key=${cacheKey}`)).status).toBe(200);
});

it('is served to a caller with an invalid key as it is, for that caller alone', async () => {
  const plain = (await api.get(address)).raw;
  const { headers, raw } = await api.get(address, { headers: { 'X-API-Key': 'ct_free_x' } });
  expect(raw).toEqual(plain);
  expect(headers['cache-control']).toBe('private, no-store');
});
