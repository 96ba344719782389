import { readFileSync } from 'node:fs';
import { catalog } from '@crosstape/venues';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { coinsOfVenues } from './world-coins.ts';
import { type Answer, World } from './world.ts';

type Row = Readonly<Record<string, unknown>>;

interface CatalogVenue {
  readonly id: string;
  readonly status: string;
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly dataSource: string;
}

interface Reply {
  readonly venues: readonly CatalogVenue[];
  readonly markets: readonly {
    readonly symbol: string;
    readonly kind: string;
    readonly coin: string | null;
  }[];
  readonly total: number;
}

let world: World;
let venues: readonly CatalogVenue[];
beforeAll(async () => {
  world = await World.open({ coins: coinsOfVenues, rate: 0.2, stepMs: 500, sources: 'all' });
  await world.until(() => world.isReady(), 10_000);
  await world.run(3_000);
  venues = (await askMarkets('')).data.venues;
});
afterEach(() => world.simulator.faults.clear());
afterAll(() => world.close());

async function ask(path: string, of = world): Promise<{ status: number; body: Answer }> {
  let answer: { status: number; body: Answer } | undefined;
  await of.until(async () => {
    answer = await of.json(path);
    return true;
  }, 60_000);
  return answer as { status: number; body: Answer };
}

async function askMarkets(search: string, of = world): Promise<{ status: number; data: Reply; meta: Row }> {
  const { status, body } = await ask(`/markets${search}`, of);
  return { status, data: body.data as unknown as Reply, meta: body.meta };
}

/** What a venue has, by asking for it until it is there. */
async function untilGood(path: string): Promise<Answer> {
  await world.until(async () => (await world.json(path)).status === 200, 60_000);
  return (await ask(path)).body;
}

const having = (capability: string): readonly string[] =>
  venues.filter(({ capabilities }) => capabilities[capability]).map(({ id }) => id);

describe('the catalogue', () => {
  it('names for every capability the venues that are connected for it', () => {
    for (const capability of ['oi', 'funding', 'spot', 'options', 'predictions'] as const) {
      const connected = catalog.filter(({ supplies }) => supplies.has(capability)).map(({ id }) => id);
      expect(having(capability)).toEqual(connected);
    }
    for (const { status, dataSource } of venues)
      expect(dataSource.startsWith('sim:')).toBe(status === 'live');
  });

  it('promises what each endpoint really serves, of every venue, and nothing more', async () => {
    const serves = async (path: string): Promise<boolean> => {
      const { status, body } = await ask(path);
      return status === 200 && ((body.data as unknown as { rows: readonly Row[] }).rows ?? []).length > 0;
    };
    for (const { id, capabilities } of venues) {
      for (const [type, capability] of [
        ['OI_AGG', 'oi'],
        ['FUNDING_AGG', 'funding'],
        ['SPOT', 'spot'],
      ] as const) {
        const path = `/points?type=${type}&exchange=${id}&coin=BTC`;
        if (capabilities[capability]) await world.until(() => serves(path), 60_000);
        else expect((await ask(path)).status, path).toBe(400);
      }
    }
  });
});

describe('the markets of every venue', () => {
  it('are found live, each on exactly one page', async () => {
    for (const { id, status, capabilities } of venues) {
      await world.until(async () => {
        const { status: code, meta } = await askMarkets(`?exchange=${id}`);
        return code === 200 && meta.partial === undefined;
      }, 60_000);
      const { data } = await askMarkets(`?exchange=${id}&pageSize=500`);
      expect(data.total > 0, id).toBe(status === 'live');
      const kinds = new Set<string>();
      const seen = new Set<string>();
      for (let page = 0; page * 500 < data.total; page += 1) {
        const { markets } = (await askMarkets(`?exchange=${id}&pageSize=500&page=${page}`)).data;
        for (const { kind, symbol } of markets) {
          kinds.add(kind);
          seen.add(`${kind} ${symbol}`);
        }
      }
      expect(seen.size, id).toBe(data.total);
      const promised = [
        ...(capabilities['oi'] ? ['perp'] : []),
        ...(capabilities['spot'] ? ['spot'] : []),
        ...(capabilities['options'] ? ['option'] : []),
        ...(capabilities['predictions'] ? ['prediction'] : []),
      ];
      expect(kinds, id).toEqual(new Set(promised));
    }
  });

  it('go by the coins of the primary venue', async () => {
    const { data } = await askMarkets('?exchange=binance&pageSize=500');
    const pepe = data.markets
      .filter(({ coin }) => coin === 'kPEPE')
      .map(({ symbol, kind }) => [kind, symbol]);
    expect(pepe).toContainEqual(['perp', '1000PEPEUSDT']);
  });

  it('are listed without those of a host that is down, and the host is named', async () => {
    const { data: before } = await askMarkets('?exchange=kraken&pageSize=500');
    // Answers of a host are kept, so this one has never been up.
    const fault = { venue: 'kraken-spot', fault: 'status', status: 451 } as const;
    const other = await World.open({
      coins: coinsOfVenues,
      rate: 0.2,
      stepMs: 100,
      faults: [fault],
      sources: ['kraken', 'kraken-spot'],
    });
    await other.until(
      async () => (await askMarkets('?exchange=kraken', other)).meta.partial === true,
      60_000,
    );
    const { status, data, meta } = await askMarkets('?exchange=kraken&pageSize=500', other);
    expect(status).toBe(200);
    expect(data.total).toBeLessThan(before.total);
    expect(new Set(data.markets.map(({ kind }) => kind))).toEqual(new Set(['perp']));
    expect(JSON.stringify(meta['sources'])).toContain('kraken-spot');
    other.simulator.faults.clear();
    await other.until(
      async () => (await askMarkets('?exchange=kraken', other)).data.total === before.total,
      600_000,
    );
    await other.close();
  });
});

describe('the generic aggregation', () => {
  it('sums open interest over all venues', async () => {
    const exchanges = having('oi')
      .map((id) => `exchange=${id}`)
      .join('&');
    const path = `/points?type=OI_AGG&${exchanges}&coin=BTC&transform.groupBy.type=GROUP_BY_TYPE_SUM`;
    await world.until(async () => (await ask(path)).body.meta.partial === undefined, 60_000);
    const { rows } = (await untilGood(path)).data as unknown as {
      rows: { value: number; byExchange: Row }[];
    };
    const parts = Object.values(rows[0]?.byExchange ?? {}) as number[];
    expect(parts).toHaveLength(having('oi').length);
    expect(rows[0]?.value).toBeCloseTo(
      parts.reduce((sum, part) => sum + part, 0),
      2,
    );
    for (const part of parts) expect(part).toBeGreaterThan(1_000_000);
  });
});

describe('the three discovery calls of the guide', () => {
  it('discover a venue, its markets and a summed open interest', async () => {
    const guide = readFileSync(new URL('../docs/guides/endpoints.md', import.meta.url), 'utf8');
    const calls = [
      ...guide.matchAll(/^curl '(http:\/\/127\.0\.0\.1:8080\/api\/v1\/(?:markets|points)[^']*)'/gm),
    ];
    expect(calls).toHaveLength(3);
    const answers: Answer[] = [];
    for (const [, url = ''] of calls) answers.push((await ask(url.slice(url.indexOf('/v1/') + 3))).body);
    const [discovered, markets, sum] = answers.map(({ data }) => data) as unknown as [Row, Row, Row];
    expect(discovered['venues']).toHaveLength(venues.length);
    expect(markets['total']).toBeGreaterThan(0);
    expect(sum['rows']).toMatchObject([{ exchange: 'AGG', unit: 'USD' }]);
  });
});
