import { catalog } from '@crosstape/venues';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { perpVenueIds } from '../venue-ids.ts';
import { snapshotTopic } from '../../../topics.ts';
import { publishSampleMarket } from '../../../api/testing/sample-market.ts';
import { START_MS, startTestApi, type TestApi } from '../../../api/testing/test-api.ts';

type Row = Readonly<Record<string, unknown>>;
interface Reply {
  readonly type: string;
  readonly exchanges: readonly string[];
  readonly groupBy: string;
  readonly rows: readonly Row[];
}

const withSpot = catalog.filter(({ supplies }) => supplies.has('spot')).map(({ id }) => id);
let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
  publishSampleMarket(api);
  api.table('binance', 'instruments', [{ symbol: 'BTCUSDT', coin: 'BTC' }]);
  api.table('binance', 'openInterest', [
    { coin: 'BTC', symbol: 'BTCUSDT', contracts: 50, coins: 50, value: 5_000_000.25 },
    { coin: 'BTC', symbol: 'BTCUSDC', contracts: 1, coins: 1, value: 100_000.5 },
  ]);
  const nextFundingMs = START_MS + 1_000;
  api.table('binance', 'funding', [
    { coin: 'BTC', symbol: 'BTCUSDT', rate: 0.0004, periodHours: 4, nextFundingMs },
  ]);
});
afterEach(() => api.close());

async function get(search: string): Promise<{ status: number; data: Reply; meta: Row; error: string }> {
  const { status, body } = await api.get(`/points?${search}`);
  return { status, data: body.data as Reply, meta: body.meta, error: body.error ?? '' };
}

const SUM = 'transform.groupBy.type=GROUP_BY_TYPE_SUM';

describe('/points', () => {
  it('returns the open interest of each venue in USD, as /perps/oi does', async () => {
    const { data, meta } = await get('type=OI_AGG&exchange=HL&exchange=venue_d&coin=btc');
    expect(data).toEqual({
      type: 'OI_AGG',
      exchanges: ['hyperliquid', 'binance'],
      groupBy: 'GROUP_BY_TYPE_NONE',
      rows: [row('OI_AGG', 'hyperliquid', 10_050_000, 'USD'), row('OI_AGG', 'binance', 5_100_000.75, 'USD')],
    });
    const { body } = await api.get('/perps/oi?coins=BTC&venues=hyperliquid,binance');
    const reported = (body.data as Row[]).map(({ venue, oiUsd }) => [venue, oiUsd]);
    expect(reported).toEqual(data.rows.map(({ exchange, value }) => [exchange, value]));
    expect(meta).toEqual(body.meta);
  });

  it('sums it over the venues of each coin', async () => {
    const { data } = await get(`type=OI_AGG&exchange=hl&exchange=bn&coins=BTC,ETH&${SUM}`);
    expect(data.groupBy).toBe('GROUP_BY_TYPE_SUM');
    expect(data.rows).toEqual([
      {
        type: 'OI_AGG',
        coin: 'BTC',
        exchange: 'AGG',
        value: 15_150_000.75,
        unit: 'USD',
        byExchange: { hyperliquid: 10_050_000, binance: 5_100_000.75 },
        fetchedAt: START_MS,
      },
      {
        type: 'OI_AGG',
        coin: 'ETH',
        exchange: 'AGG',
        value: 7_600_000,
        unit: 'USD',
        byExchange: { hyperliquid: 7_600_000 },
        fetchedAt: START_MS,
      },
    ]);
  });

  it('returns rates for eight hours whatever their period, and sums them with their mean', async () => {
    const { data } = await get('type=FUNDING_AGG&exchange=hl&exchange=bn&coin=BTC');
    expect(data.rows).toEqual([
      row('FUNDING_AGG', 'hyperliquid', 0.0001, 'RATE_8H'),
      row('FUNDING_AGG', 'binance', 0.0008, 'RATE_8H'),
    ]);
    const { data: sum } = await get(`type=FUNDING_AGG&exchange=hl&exchange=bn&coin=BTC&${SUM}`);
    expect(sum.rows).toEqual([
      {
        ...row('FUNDING_AGG', 'AGG', 0.0009, 'RATE_8H'),
        byExchange: { hyperliquid: 0.0001, binance: 0.0008 },
        mean: 0.00045,
        count: 2,
      },
    ]);
  });

  it('returns spot prices in USD, as /markets/spot does, of the requested venues only', async () => {
    publishSpot();
    const search = 'exchange=coinbase&exchange=bn&coin=BTC';
    const { data, meta } = await get(`type=SPOT&${search}`);
    const { body } = await api.get('/markets/spot?coins=BTC');
    const reported = (body.data as Row[]).map(({ venue, price }) => [venue, price]);
    expect(new Set(reported.map(([venue]) => venue))).toEqual(new Set(['binance', 'coinbase', 'kraken']));
    expect(data.rows.map(({ exchange, value }) => [exchange, value])).toEqual(
      reported.filter(([venue]) => venue !== 'kraken'),
    );
    expect(data.rows[0]).toMatchObject({ unit: 'USD', coin: 'BTC' });
    // Two of the five are down, but were not requested.
    expect(body.meta.partial).toBe(true);
    expect(meta).toEqual({ fetchedAt: START_MS, source: 'coinbase+binance' });
    const [usd, usdt] = data.rows.map(({ value }) => value as number) as [number, number];
    const { data: sum } = await get(`type=SPOT&${search}&${SUM}`);
    expect(sum.rows).toMatchObject([
      { exchange: 'AGG', count: 2, value: usd + usdt, mean: (usd + usdt) / 2 },
    ]);
  });

  it('says which of the asked spot venues is down, and is a 503 when it is all of them', async () => {
    publishSpot();
    const { data, meta } = await get(`type=SPOT&exchange=coinbase&exchange=okx&coin=BTC&${SUM}`);
    expect(data.rows).toMatchObject([{ count: 1 }]);
    expect(meta).toMatchObject({ partial: true, sources: [{ source: 'okx-spot' }] });
    expect((await get('type=SPOT&exchange=okx&coin=BTC')).status).toBe(503);
  });

  it('returns age and source of the spot prices in the answer, not of venues outside it', async () => {
    publishSpot();
    api.clock.advance(20_000);
    const { rows } = api.bus.latest(snapshotTopic('kraken-spot', 'spotTickers'))?.message ?? { rows: [] };
    api.table('kraken-spot', 'spotTickers', rows);
    const { meta } = await get('type=SPOT&exchange=coinbase&exchange=okx&coin=BTC');
    expect(meta).toMatchObject({ fetchedAt: START_MS, source: 'coinbase', partial: true });
    expect(meta).not.toHaveProperty('stale');
    expect((await get('type=SPOT&exchange=kraken&coin=BTC')).meta).toEqual({
      fetchedAt: START_MS + 20_000,
      source: 'kraken',
    });
    // Coinbase is older than its polls promise, Kraken is not.
    api.clock.advance(15_000);
    const venueTs = api.clock.now();
    api.table(
      'kraken-spot',
      'spotTickers',
      rows.map((one) => ({ ...one, venueTs })),
    );
    const both = await get('type=SPOT&exchange=coinbase&exchange=kraken&coin=BTC');
    expect(both.meta).toMatchObject({
      fetchedAt: venueTs,
      partial: false,
      sources: [{ source: 'coinbase', ageMs: 35_000 }],
    });
    expect(both.meta).not.toHaveProperty('stale');
    const alone = await get('type=SPOT&exchange=coinbase&coin=BTC');
    expect(alone.meta).toMatchObject({ stale: true, ageMs: 35_000 });
    const kraken = await get('type=SPOT&exchange=kraken&exchange=okx&coin=BTC');
    expect(kraken.meta).toMatchObject({ fetchedAt: venueTs, source: 'kraken', partial: true });
    expect(kraken.meta).not.toHaveProperty('ageMs');
  });

  it('names the venues whose spot price is old, in rows of one and in sums', async () => {
    publishSpot();
    const { rows } = api.bus.latest(snapshotTopic('kraken-spot', 'spotTickers'))?.message ?? { rows: [] };
    api.clock.advance(61_000);
    api.table(
      'kraken-spot',
      'spotTickers',
      rows.map((one) => ({ ...one, venueTs: api.clock.now() })),
    );
    const asked = 'type=SPOT&exchange=coinbase&exchange=kraken&coin=BTC';
    const alone = (await get(asked)).data.rows;
    expect(alone.map(({ exchange, staleExchanges }) => [exchange, staleExchanges])).toEqual([
      ['coinbase', ['coinbase']],
      ['kraken', undefined],
    ]);
    const { data, meta } = await get(`${asked}&${SUM}`);
    expect(data.rows).toMatchObject([{ exchange: 'AGG', count: 2, staleExchanges: ['coinbase'] }]);
    expect(meta).not.toHaveProperty('stale');
  });

  it('takes no more coins than the resource behind it', async () => {
    const coins = Array.from({ length: 21 }, (_, i) => `C${i}`).join(',');
    const { status, error } = await get(`type=SPOT&exchange=coinbase&coins=${coins}`);
    expect(status).toBe(400);
    expect(error).toBe('Parameters `coin` and `coins` have 21 entries; for SPOT they may have up to 20.');
  });

  it('takes coins one by one, as a list, or both; without any, the defaults of the resource', async () => {
    const coinsOf = async (search: string): Promise<unknown> =>
      (await get(`type=OI_AGG&exchange=hl${search}`)).data.rows.map(({ coin }) => coin);
    expect(await coinsOf('&coin=ETH&coin=BTC')).toEqual(['ETH', 'BTC']);
    expect(await coinsOf('&coin=ETH&coins=BTC,eth,PEPE')).toEqual(['ETH', 'BTC', 'kPEPE']);
    expect(await coinsOf('')).toEqual(['BTC', 'ETH', 'kPEPE']);
  });

  it('sums every coin of every venue without any, also of those that default to two', async () => {
    const named = (coin: string) => ({ coin, symbol: `${coin}USDT` });
    const coins = ['BTC', 'ETH', 'SOL', 'kPEPE'];
    api.table('gate', 'instruments', coins.map(named));
    api.table(
      'gate',
      'openInterest',
      coins.map((coin) => ({ ...named(coin), contracts: 1, coins: 1, value: 500 })),
    );
    const nextFundingMs = START_MS + 1_000;
    api.table(
      'gate',
      'funding',
      coins.map((coin) => ({ ...named(coin), rate: 0.0002, periodHours: 8, nextFundingMs })),
    );
    for (const type of ['OI_AGG', 'FUNDING_AGG']) {
      const { data, meta } = await get(`type=${type}&exchange=hl&exchange=gate&${SUM}`);
      const venuesOf = data.rows.map(({ coin, byExchange }) => [coin, Object.keys(byExchange as Row)]);
      expect(Object.fromEntries(venuesOf)).toMatchObject({
        BTC: ['hyperliquid', 'gate'],
        kPEPE: ['hyperliquid', 'gate'],
        SOL: ['gate'],
      });
      expect(meta).not.toHaveProperty('notListed');
      const { data: plain } = await get(`type=${type}&exchange=gate`);
      expect(plain.rows.map(({ coin }) => coin)).toEqual(['BTC', 'ETH']);
    }
  });

  it('says which coins are unknown or not listed, and is a 404 when all are unknown', async () => {
    const { meta } = await get('type=OI_AGG&exchange=bn&coins=BTC,ETH,NOPE');
    expect(meta).toMatchObject({ unknown: ['NOPE'], notListed: [{ venue: 'binance', coins: ['ETH'] }] });
    expect((await get('type=OI_AGG&exchange=bn&coin=NOPE')).status).toBe(404);
  });

  it('names a venue that is missing from a sum', async () => {
    const { status, data, meta } = await get(`type=OI_AGG&exchange=hl&exchange=okx&coin=BTC&${SUM}`);
    expect(status).toBe(200);
    expect(data.exchanges).toEqual(['hyperliquid', 'okx']);
    expect(data.rows[0]?.byExchange).toEqual({ hyperliquid: 10_050_000 });
    expect(meta).toMatchObject({ partial: true, sources: [{ source: 'okx' }] });
  });

  it.each([
    ['OI_AGG', 'deribit', `deribit has no open interest; it must be one of ${perpVenueIds.join(', ')}.`],
    ['SPOT', 'gate', `hyperliquid, gate have no spot prices; it must be one of ${withSpot.join(', ')}.`],
    ['FUNDING_AGG', 'cme', 'cme has no funding; it must be one of hyperliquid, bybit'],
    ['FUNDING_AGG', 'coinbase&exchange=poly', 'coinbase, polymarket have no funding; it must be one of'],
  ])('refuses %s of %s with those that have it', async (type, exchange, words) => {
    const { status, error, meta } = await get(`type=${type}&exchange=hl&exchange=${exchange}&coin=BTC`);
    expect([status, meta.code]).toEqual([400, 'bad_request']);
    expect(error).toContain(`Parameter \`exchange\`: ${words}`);
  });

  it.each(['TRADE_SIDE_AGNOSTIC_AGG', 'TPO_AGG', 'BLOCK_BOOK_SNAPSHOT_AGG'])(
    'keeps %s for later, whatever else is asked',
    async (type) => {
      for (const rest of ['&exchange=hl&coin=BTC', '', '&exchange=nope', '&exchange=cme&coins=,']) {
        const { status, meta, error } = await get(`type=${type}${rest}`);
        expect([status, meta.code]).toEqual([501, 'not_implemented']);
        expect(error).toContain(
          `${type} is reserved and not available yet; available: OI_AGG, FUNDING_AGG, SPOT.`,
        );
      }
    },
  );
});

/** Three of the spot venues; two of them price USDT. */
function publishSpot(): void {
  const ticker = (symbol: string, coin: string, quote: string, last: number) => {
    const rest = {
      bid: last * 0.999,
      ask: last * 1.001,
      volume24hCoins: 5,
      change24hPct: 1,
      venueTs: START_MS,
    };
    return { symbol, coin, quote, last, ...rest };
  };
  api.table('coinbase', 'spotTickers', [
    ticker('BTC-USD', 'BTC', 'USD', 100_000),
    ticker('USDT-USD', 'USDT', 'USD', 0.5),
  ]);
  api.table('kraken-spot', 'spotTickers', [
    ticker('XBTUSD', 'BTC', 'USD', 100_100),
    ticker('USDTUSD', 'USDT', 'USD', 0.5),
  ]);
  api.table('binance-spot', 'spotTickers', [ticker('BTCUSDT', 'BTC', 'USDT', 200_400)]);
}

function row(type: string, exchange: string, value: number, unit: string): Row {
  return { type, coin: 'BTC', exchange, value, unit, byExchange: { [exchange]: value }, fetchedAt: START_MS };
}
