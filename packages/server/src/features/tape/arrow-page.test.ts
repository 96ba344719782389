import type { Trade } from '@crosstape/core';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import { RECEIPTS_FROM, recordSampleTape, sampleTrades } from '../../api/testing/sample-tape.ts';
import { START_MS, startTestApi, type TestApi } from '../../api/testing/test-api.ts';

const history = '/api/v1/perps/trades/history';
const from = START_MS - 1_000_000;

let api: TestApi;
let btc: readonly Trade[];
let eth: readonly Trade[];
beforeAll(async () => {
  api = await startTestApi({ hasTape: true });
  publishSampleMarket(api);
  btc = await recordSampleTape(api);
  // Milliseconds of one to five trades.
  eth = sampleTrades(from, 300).map((trade, i) => ({
    ...trade,
    coin: 'ETH',
    ts: from + 1_000 * Math.floor(Math.sqrt(i * 7)),
  }));
  const isBefore = ({ ts }: Trade) => ts < from + 20_000;
  await api.tape.record(eth.filter(isBefore), 'sealed');
  await api.tape.record(
    eth.filter((trade) => !isBefore(trade)),
    'tail',
  );
});
afterAll(() => api.close());

async function read(url: string) {
  const { status, headers, raw } = await api.fetch(url);
  expect([status, headers['content-type']]).toEqual([200, 'application/vnd.apache.arrow.stream']);
  expect(headers['content-encoding']).toBeUndefined();
  return tableFromIPC(raw);
}

describe('format=arrow', () => {
  it('streams every trade of the range with ids, orders, market and gaps', async () => {
    const table = await read(`${history}?coin=btc&format=arrow&start=${btc[100]!.ts}&end=${btc.at(-1)!.ts}`);
    expect(table.toArray().map((row) => ({ ...row }))).toEqual(
      btc.slice(100, -1).map(({ ts, price, size, side, tid, sameOrder }) => ({
        ts: BigInt(ts),
        price,
        size,
        isBuy: side === 'buy',
        tid: BigInt(tid),
        sameOrder,
        venueTs: null,
        market: 'hyperliquid:BTC',
      })),
    );
    const meta = JSON.parse(table.schema.metadata.get('meta') ?? '') as { gaps: object[] };
    expect(meta).toMatchObject({ source: 'hyperliquid' });
    const whole = await read(`${history}?coin=btc&format=arrow`);
    expect(JSON.parse(whole.schema.metadata.get('meta') ?? '')).toMatchObject({
      gaps: expect.arrayContaining([expect.objectContaining({ reason: 'no socket to the venue was up' })]),
    });
  });

  it.each([
    ['coin=NOPE', 404],
    ['coin=BTC&start=5&end=5', 400],
    ['', 400],
  ])('refuses %s as the other formats do', async (search, status) => {
    expect((await api.fetch(`${history}?format=arrow&${search}`)).status).toBe(status);
  });
});

describe('/trades.arrow', () => {
  const url = (start: number, end: number, limit: number): string =>
    `/trades.arrow?venue=hyperliquid&market=linear&symbol=ethusdc&from=${start}&to=${end}&limit=${limit}&other=1`;

  it('has receive times on request, null where they are not known', async () => {
    const start = btc[RECEIPTS_FROM - 1]!.ts;
    const table = await read(`${history}?coin=btc&format=arrow&recv=1&start=${start}`);
    const received = table.getChild('recvMs')!;
    const expected = btc
      .slice(RECEIPTS_FROM - 1)
      .map(({ ts, recvLagMs }) => (recvLagMs === undefined ? null : BigInt(ts + recvLagMs)));
    expect([...received]).toEqual(expected);
    expect(received.nullCount).toBe(1);
  });

  it('has exactly the types that flowsurface reads', async () => {
    const { schema } = await read(url(from, START_MS, 10));
    expect(schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'ts Int64',
      'price Float64',
      'qty Float64',
      'is_sell Bool',
    ]);
  });

  it.each([1, 7, 400_000])(
    'gives every trade once in pages of %i that begin at the last ts + 1',
    async (limit) => {
      const all: object[] = [];
      const to = eth.at(-1)!.ts;
      for (let start = from; start <= to; ) {
        const rows = (await read(url(start, to, limit))).toArray().map((row) => ({ ...row }));
        expect(rows.length).toBeGreaterThan(0);
        all.push(...rows);
        start = Number(rows.at(-1)!.ts) + 1;
      }
      expect(all).toEqual(
        eth.map(({ ts, price, size, side }) => ({
          ts: BigInt(ts),
          price,
          qty: size,
          is_sell: side === 'sell',
        })),
      );
    },
  );

  it('answers a range without trades with a schema and no rows', async () => {
    expect((await read(url(5, 6, 10))).numRows).toBe(0);
  });

  it.each([
    ['venue=hyperliquid&market=linear&symbol=nopeusdc&from=1&to=2', 404],
    ['venue=binance&market=linear&symbol=btcusdt&from=1&to=2', 404],
    ['venue=hyperliquid&market=inverse&symbol=btcusdc&from=1&to=2', 404],
    ['venue=hyperliquid&market=odd&symbol=btcusdc&from=1&to=2', 400],
    ['venue=hyperliquid&market=linear&symbol=btcusdc&from=1', 400],
    ['venue=hyperliquid&market=linear&symbol=btcusdc&from=3&to=2', 400],
    ['venue=hyperliquid&market=linear&symbol=btcusdc&from=1&to=2&limit=0', 400],
    ['venue=hyperliquid&market=linear&symbol=btcusdc&from=-1&to=2', 400],
  ])('refuses %s', async (search, status) => {
    const answer = await api.fetch(`/trades.arrow?${search}`);
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string']);
  });
});
