import { expect, it, vi } from 'vitest';
import type { Coin } from '../../market/coins.ts';
import { named, type Row, T0, VenueRig } from '../../testing/venue-rig.ts';
import { contractsOf } from './listing.ts';

const rig = new VenueRig('binance');

it('lists perpetuals in USDT and USDC, and also what ends, what is no crypto and what is gone', async () => {
  const { body } = await rig.ask<{ readonly symbols: readonly Row[] }>('/fapi/v1/exchangeInfo');
  const { symbols } = body;
  expect(named(symbols, 'BTCUSDT')).toMatchObject({ contractType: 'PERPETUAL', status: 'TRADING' });
  expect(named(symbols, '1000PEPEUSDT')).toMatchObject({ baseAsset: '1000PEPE', marginAsset: 'USDT' });
  expect(named(symbols, 'BTCUSDC')).toMatchObject({ baseAsset: 'BTC', marginAsset: 'USDC' });
  expect(named(symbols, 'BTCUSDT_271231')).toMatchObject({ contractType: 'CURRENT_QUARTER' });
  expect(named(symbols, 'TSLAUSDT')).toMatchObject({ contractType: 'TRADIFI_PERPETUAL' });
  expect(named(symbols, 'MATICUSDT')).toMatchObject({ status: 'SETTLING' });
});

it('names only those that do not pay every eight hours, and forgets one when it does again', async () => {
  const changing = rig.market.coins.at(-1)?.name as string;
  const named4h = async (): Promise<boolean> => {
    const { body } = await rig.ask<readonly Row[]>('/fapi/v1/fundingInfo');
    expect(body.every((row) => row['fundingIntervalHours'] !== 8)).toBe(true);
    return body.some((row) => row['symbol'] === `${changing}USDT`);
  };
  const before = await named4h();
  rig.clock.advance(6 * 3_600_000);
  expect(await named4h()).toBe(!before);
});

it('answers for one contract with an object and for all with a list, dated ones without a rate', async () => {
  const { body: one } = await rig.ask<Row>('/fapi/v1/premiumIndex?symbol=BTCUSDT');
  const { body: all } = await rig.ask<readonly Row[]>('/fapi/v1/premiumIndex');
  expect(named(all, 'BTCUSDT')).toEqual(one);
  expect(one['lastFundingRate']).toBe(rig.market.funding('BTC', T0).rate.toFixed(8));
  expect(named(all, 'BTCUSDT_271231')).toMatchObject({ lastFundingRate: '', nextFundingTime: 0 });
});

it('answers with the volume of a day, of each contract by its share', async () => {
  const { body: all } = await rig.ask<readonly Row[]>('/fapi/v1/ticker/24hr');
  const { body: one } = await rig.ask<Row>('/fapi/v1/ticker/24hr?symbol=BTCUSDT');
  expect(named(all, 'BTCUSDT')).toEqual(one);
  const { coins, usd } = rig.market.volume24h('BTC', T0);
  const contracts = ['BTCUSDT', 'BTCUSDC'].map((symbol) => named(all, symbol));
  const sum = (field: string): number =>
    contracts.reduce((total, contract) => total + Number(contract?.[field]), 0);
  expect(sum('volume') / coins).toBeCloseTo(1, 3);
  expect(sum('quoteVolume') / usd).toBeCloseTo(1, 3);
  expect(await rig.ask('/fapi/v1/ticker/24hr?symbol=FOOUSDT')).toMatchObject({ status: 400 });
});

it('returns the newest ratio at the end of its period', async () => {
  const path = '/futures/data/topLongShortPositionRatio?symbol=BTCUSDT&period=1h&limit=2';
  const { body } = await rig.ask<readonly Row[]>(path);
  expect(body.map((row) => row['timestamp'])).toEqual([
    Date.UTC(2026, 10, 16, 13),
    Date.UTC(2026, 10, 16, 14),
  ]);
});

it('has ratios of the requested hours, oldest first, and of a month only', async () => {
  const hourMs = Date.UTC(2026, 10, 16, 14);
  const ask = (search: string): ReturnType<typeof rig.ask<readonly Row[]>> =>
    rig.ask(`/futures/data/globalLongShortAccountRatio?symbol=BTCUSDT&period=1h&${search}`);
  const timesOf = async (search: string): Promise<unknown> =>
    (await ask(search)).body.map(({ timestamp }) => (hourMs - Number(timestamp)) / 3_600_000);
  expect(await timesOf(`startTime=${hourMs - 3 * 3_600_000}&endTime=${hourMs - 1}`)).toEqual([3, 2, 1]);
  expect(await timesOf(`startTime=${hourMs}&endTime=${hourMs + 7_200_000}`)).toEqual([0]);
  expect(await timesOf(`startTime=${hourMs - 29 * 86_400_000}&limit=500`)).toHaveLength(500);
  for (const search of [`startTime=${hourMs - 31 * 86_400_000}`, 'limit=501', 'startTime=x'])
    expect(await ask(search)).toMatchObject({ status: 400, body: { code: -1130 } });
});

it('complains in the words of the venue', async () => {
  expect(await rig.ask('/fapi/v1/openInterest')).toMatchObject({ status: 400, body: { code: -1102 } });
  expect(await rig.ask('/fapi/v1/openInterest?symbol=FOOUSDT')).toEqual({
    status: 400,
    body: { code: -1121, msg: 'Invalid symbol.' },
  });
});

const secondOf = ({ ts }: { readonly ts: number }): number => Math.floor(ts / 1000) * 1000;

/** A coin and a second with more than one position closed by force. */
function busySecond(): { readonly coin: Coin; readonly second: number } {
  for (const coin of rig.market.coins) {
    // The largest has too many trades to look through.
    if (coin.name === 'BTC') continue;
    const seconds = rig.market.liquidations(coin, T0, T0 + 6 * 3_600_000).map(secondOf);
    const second = seconds.find((one, i) => one === seconds[i + 1]);
    if (second !== undefined) return { coin, second };
  }
  throw new Error('no such second');
}

/** What a client receives in one second, and one on another path. */
async function receiveForced(second: number): Promise<readonly (readonly { o: Row; st: number }[])[]> {
  rig.clock.advance(second - T0);
  const paths = ['/market/ws', '/public/ws'];
  const sockets = await Promise.all(paths.map((path) => rig.open(path)));
  for (const socket of sockets) {
    socket.send({ method: 'SUBSCRIBE', params: ['!forceOrder@arr'], id: 1 });
    await vi.waitUntil(() => socket.frames.includes('{"result":null,"id":1}'));
  }
  rig.clock.advance(1000);
  for (const socket of sockets) {
    socket.ping();
    await vi.waitUntil(() => socket.pongs === 1);
    socket.close();
  }
  return sockets.map(({ frames }) =>
    frames.slice(1).map((frame) => JSON.parse(frame) as { o: Row; st: number }),
  );
}

it('sends the latest forced order of each contract and second', async () => {
  const { coin, second } = busySecond();
  const [orders = []] = await receiveForced(second);
  const last = rig.market.liquidations(coin, second, second + 1000).at(-1);
  const symbol = contractsOf(coin)[0].symbol;
  const order = { S: last?.side.toUpperCase(), z: last?.size.toFixed(coin.sizeDecimals), T: last?.ts };
  expect(orders.filter(({ o }) => o['s'] === symbol)).toMatchObject([{ o: order, st: 1 }]);
});

it('sends coin-margined orders on the same stream, marked, and nothing outside /market', async () => {
  const coin = rig.market.coins.find(({ name }) => name === 'ETH') as Coin;
  const [first] = rig.market.liquidations(coin, T0, T0 + 3_600_000);
  if (!first) throw new Error('nothing was forced');
  const [right = [], wrong] = await receiveForced(secondOf(first));
  const reported = right.map(({ o, st }) => [o['s'], st]);
  expect(reported).toContainEqual(['ETHUSDT', 1]);
  expect(reported).toContainEqual(['ETHUSD_PERP', 2]);
  expect(wrong).toEqual([]);
});

it('cuts off clients that send more than ten messages in a second', async () => {
  const socket = await rig.open('/market/ws');
  for (let id = 1; id <= 11; id += 1) socket.send({ method: 'LIST_SUBSCRIPTIONS', id });
  await vi.waitUntil(() => socket.end);
  expect(rig.violations).toEqual({ messages: 1 });
});
