import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../features/endpoints.ts';
import { badCasesOf } from './testing/bad-values.ts';
import { publishSampleMarket } from './testing/sample-market.ts';
import { buildRequest } from './testing/sample-tape.ts';
import { startTestApi, type TestApi } from './testing/test-api.ts';
import { venues } from '@crosstape/venues';
import { streamDefinitions } from '../features/streams.ts';
import { isLong } from '../../../../test/long.ts';

let api: TestApi;
beforeAll(async () => {
  // Each case opens a connection, and the test clock does not advance.
  const connectionsPerAddress = 10_000;
  api = await startTestApi({ settings: { quota: 'off', trustProxy: false, connectionsPerAddress } });
  publishSampleMarket(api);
});
afterAll(() => api.close());

const all = [...endpoints, ...streamDefinitions].flatMap(badCasesOf);
/** Of each parameter some values, other ones of the next; with `LONG=1`, all. */
const APART = 6;
const cases = all.filter(
  ({ path, names }, i) =>
    isLong || i % APART === 0 || all.findIndex((one) => one.path === path && one.names === names) === i,
);

/** Values that only look right, and that no rule about schemas would find. */
const lookalikes: readonly (readonly [path: string, search: string, names: string])[] = [
  ['/perps/oi', 'venues=hl;okx', 'venues'],
  ['/perps/oi', 'venues=coinbase', 'venues'],
  ['/perps/oi', 'venues=hl,%20okx', 'venues'],
  ['/onchain/etf-flows', 'asset=BTC', 'asset'],
  ['/onchain/etf-flows', 'asset=solana', 'asset'],
  ['/options/chain', 'underlying=BTC_USDC', 'underlying'],
  ['/options/chain', 'underlying=bitcoin', 'underlying'],
  ['/markets', 'exchange=binance-spot', 'exchange'],
  ['/markets', 'exchange=upbit', 'exchange'],
  ['/points', 'type=VOLUME_AGG&exchange=hl', 'type'],
  ['/perps/rotations/result', 'key=rot:res:XYZ', 'key'],
  ['/prediction/orderbook', `tokenId=${'9'.repeat(79)}`, 'tokenId'],
  ['/flows/kimchi', 'explain=0', 'explain'],
  ['/perps/positioning', 'period=5m', 'period'],
];

describe('bad input', () => {
  it.each([...cases, ...lookalikes.map(([path, search, names]) => ({ path, search, names }))])(
    '$path?$search is 400 and names `$names`',
    async ({ path, search, names }) => {
      const isPost = endpoints.some((one) => one.path === path && one.method === 'POST');
      const { status, body } = await api.get(`${path}?${search}`, isPost ? buildRequest({}) : {});
      expect(status).toBe(400);
      expect(body.meta.code).toBe('bad_request');
      expect(body.data).toEqual([]);
      expect(body.error).toContain(`\`${names}\``);
    },
  );

  it.each([
    '/perps/oi?coins=NOPE',
    '/perps/funding?coins=NOPE',
    '/perps/whales?coin=NOPE',
    '/perps/trades/history?coin=NOPE',
    '/perps/rotations/job?id=b-1',
    '/perps/rotations/result?key=rot:res:1',
    '/coverage?coin=NOPE',
    '/streams/trades?coin=NOPE',
    '/streams/whales?coin=NOPE',
    '/streams/funding?coins=NOPE',
  ])('%s is 404: well formed but unknown', async (path) => {
    const { status, body } = await api.get(path);
    expect(status).toBe(404);
    expect(body.meta.code).toBe('not_found');
  });

  it('lists the valid venues when one is unknown', async () => {
    const { body } = await api.get('/perps/funding?venues=nope');
    expect(body.error).toBe(
      `Parameter \`venues\` must be one of ${venues.map(({ id }) => id).join(', ')}, not \`nope\`.`,
    );
  });
});
