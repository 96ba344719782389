import type { OpenInterest } from '@crosstape/core';
import { Declined, type Known, type Page, type Resource } from '@crosstape/venues';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { snapshotTopic } from '../topics.ts';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { quiet, type Rig, startRig } from './testing/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

/** `["1000PEPE"]` lists it. */
const instruments: Resource = {
  ...fakeResource({ name: 'list', gives: ['instruments'], request: { method: 'GET', path: '/list' } }),
  parse: (body) => ({ instruments: (body as string[]).map((coin) => ({ coin, symbol: `${coin}USDT` })) }),
};

function row(coin: string, contracts: number): OpenInterest {
  return { coin, symbol: `${coin}USDT`, contracts, coins: contracts, value: contracts };
}

describe('a resource that needs another table', () => {
  const given: Known[] = [];
  const needy = fakeResource({
    needs: ['instruments'],
    parse: (_, __, known) => {
      given.push(known);
      return { openInterest: (known.instruments ?? []).map(({ coin }) => row(coin, 1)) };
    },
  });

  test('waits for that table, reports that it waits, and receives it', async () => {
    let list: string | undefined;
    rig = await startRig({
      resources: [needy, instruments],
      prepare: (venue) => {
        venue.answer = (request, response) => {
          if (request.url === '/oi') response.end('[]');
          else response.writeHead(list ? 200 : 503).end(list);
        };
      },
    });
    await rig.pass(20_000, 500);
    expect(rig.venue.asked).not.toContain('/oi');
    expect(rig.health('oi')).toMatchObject({
      status: 'down',
      error: 'It waits for other tables: instruments.',
    });
    list = '["PEPE"]';
    await rig.passUntil(() => rig.health('oi')?.status === 'ok', 30_000, 500);
    expect(given.at(-1)?.instruments).toEqual([{ coin: 'PEPE', symbol: 'PEPEUSDT' }]);
    expect(rig.snapshot()?.rows).toEqual([row('PEPE', 1)]);
    // From then on it keeps its own cadence.
    const asked = rig.venue.asked.filter((path) => path === '/oi').length;
    await rig.pass(50_000, 1_000);
    expect(rig.venue.asked.filter((path) => path === '/oi').length - asked).toBe(10);
  });

  test('and is on demand, waits no longer than the demand lasts', async () => {
    rig = await startRig({
      resources: [
        { ...needy, polled: 'demand' },
        { ...instruments, everyMs: 60_000 },
      ],
      prepare: (venue) => {
        venue.answer = (_, response) => void response.writeHead(503).end();
      },
    });
    rig.want();
    await rig.pass(6_000, 1_000);
    expect(rig.health('oi')?.error).toMatch(/waits for other tables/);
    await rig.pass(60_000, 5_000);
    rig.venue.answer = (_, response) => void response.end('["A"]');
    await rig.passUntil(() => rig.health('list')?.status === 'ok', 60_000, 500);
    await rig.pass(10_000, 500);
    expect(rig.venue.asked).not.toContain('/oi');
    rig.want();
    await rig.passUntil(() => rig.venue.asked.includes('/oi'), 1_000);
  });
});

test('an empty list is reported as a change, and the last good one stays', async () => {
  rig = await startRig({
    resources: [instruments],
    prepare: (venue) => {
      venue.answer = (_, response) => void response.end('["A"]');
    },
  });
  const listed = () =>
    rig.bus.latest(snapshotTopic('fake', 'instruments'))?.message.rows.map(({ coin }) => coin);
  await rig.passUntil(() => rig.health('list')?.status === 'ok', 1_000);
  rig.venue.answer = (_, response) => void response.end('[]');
  await rig.passUntil(() => rig.health('list')?.status === 'changed', 12_000);
  expect(rig.health('list')?.error).toBe('The venue lists no instruments that trade.');
  expect(listed()).toEqual(['A']);
  rig.venue.answer = (_, response) => void response.end('["B"]');
  await rig.passUntil(() => rig.health('list')?.status === 'ok', 30_000);
  expect(listed()).toEqual(['B']);
});

describe('an answer in pages', () => {
  /** `{"rows":["A"],"next":"/page2"}` */
  const paged = fakeResource({
    parse: (body): Page => {
      const { rows, next } = body as { rows: string[]; next?: string };
      const openInterest = rows.map((coin) => row(coin, 1));
      const refused = rows.length === 0 ? ['an empty page'] : [];
      return { openInterest, refused, ...(next ? { more: { method: 'GET', path: next } } : {}) };
    },
  });

  function startPaged(pages: Readonly<Record<string, string>>): Promise<Rig> {
    return startRig({
      resources: [paged],
      prepare: (venue) => {
        venue.answer = ({ url = '' }, response) =>
          void response.writeHead(pages[url] ? 200 : 500).end(pages[url]);
      },
    });
  }

  test('is one table, published once', async () => {
    rig = await startPaged({
      '/oi': '{"rows":["A","B"],"next":"/2"}',
      '/2': '{"rows":[],"next":"/3"}',
      '/3': '{"rows":["C"]}',
    });
    let publications = 0;
    rig.bus.subscribe(snapshotTopic('fake', 'openInterest'), () => (publications += 1));
    await rig.passUntil(() => rig.health('oi')?.status === 'ok', 1_000);
    expect(rig.snapshot()?.rows.map(({ coin }) => coin)).toEqual(['A', 'B', 'C']);
    expect(rig.venue.asked).toEqual(['/oi', '/2', '/3']);
    expect(publications).toBe(1);
    await rig.pass(4_500);
    expect(rig.health('oi')).toMatchObject({ messages: 1, refused: 1 });
  });

  test('with one failing page is no answer', async () => {
    rig = await startPaged({ '/oi': '{"rows":["A"],"next":"/gone"}' });
    await rig.passUntil(() => rig.health('oi')?.error !== 'No answer yet.', 6_000);
    expect(rig.health('oi')).toMatchObject({ status: 'down', error: 'The venue answered HTTP 500.' });
    expect(rig.snapshot()).toBeUndefined();
  });

  test('that does not end is given up', async () => {
    rig = await startPaged({ '/oi': '{"rows":["A"],"next":"/oi"}' });
    await rig.passUntil(() => rig.health('oi')?.status === 'changed', 4_000);
    expect(rig.health('oi')?.error).toBe('The answer has more than 50 pages.');
    expect(rig.venue.asked).toHaveLength(50);
  });
});

describe('a refusal inside an HTTP 200', () => {
  const declining = fakeResource({
    parse: (body) => {
      const { code } = body as { code?: 'limited' | 'blocked' | 'down' };
      if (code) throw new Declined(code, `code ${code}`);
      return { openInterest: [] };
    },
  });

  test.each([
    ['limited', 'The venue limits us (code limited).'],
    ['blocked', 'The venue declines: code blocked.'],
    ['down', 'The venue declines: code down.'],
  ])('makes the source %s', async (code, error) => {
    rig = await startRig({
      resources: [declining],
      prepare: (venue) => {
        venue.answer = (_, response) => void response.end(JSON.stringify({ code }));
      },
    });
    await rig.passUntil(() => rig.health('oi')?.error !== 'No answer yet.', 6_000);
    expect(rig.health('oi')).toMatchObject({ status: code, error, refused: 0 });
  });

  function startLimited(resources: readonly Resource[]): Promise<Rig> {
    return startRig({
      resources,
      prepare: (venue) => {
        venue.answer = ({ url }, response) =>
          void response.end(url === '/list' ? '["A"]' : '{"code":"limited"}');
      },
    });
  }

  test('for asking too much pauses the whole venue', async () => {
    rig = await startLimited([declining, { ...instruments, everyMs: 1_000 }]);
    await rig.passUntil(() => rig.health('oi')?.status === 'limited', 1_000, 50);
    await quiet();
    const { length } = rig.venue.asked;
    await rig.pass(4_000, 500);
    expect(rig.venue.asked).toHaveLength(length);
    expect(rig.health('list')?.status).toBe('limited');
    rig.venue.answer = ({ url }, response) => void response.end(url === '/list' ? '["A"]' : '{}');
    await rig.passUntil(
      () => rig.health('oi')?.status === 'ok' && rig.health('list')?.status === 'ok',
      12_000,
    );
  });

  test('for asking too much makes longer and longer pauses', async () => {
    rig = await startLimited([declining]);
    const times: number[] = [];
    for (let asked = 1; asked <= 5; asked += 1) {
      await rig.passUntil(() => rig.venue.asked.length === asked, 300_000, 500);
      times.push(rig.clock.now());
    }
    expect((times[4] ?? 0) - (times[3] ?? 0)).toBeGreaterThanOrEqual(40_000);
  });

  test('for asking too much makes longer pauses though other questions are answered', async () => {
    rig = await startLimited([declining, { ...instruments, everyMs: 1_000 }]);
    const times: number[] = [];
    const limited = (): number => rig.venue.asked.filter((path) => path !== '/list').length;
    for (let asked = 1; asked <= 5; asked += 1) {
      await rig.passUntil(() => limited() === asked, 300_000, 500);
      times.push(rig.clock.now());
    }
    expect((times[4] ?? 0) - (times[3] ?? 0)).toBeGreaterThanOrEqual(40_000);
  });
});

test('a request carries its own headers', async () => {
  const seen: unknown[] = [];
  rig = await startRig({
    resources: [fakeResource({ request: { method: 'GET', path: '/oi', headers: { 'x-language': 'en' } } })],
    prepare: (venue) => {
      venue.answer = ({ headers }, response) => {
        seen.push(headers['x-language']);
        response.end(oiBody(1));
      };
    },
  });
  await rig.passUntil(() => rig.health('oi')?.status === 'ok', 1_000);
  expect(seen).toEqual(['en']);
});

describe('a table that two sources fill', () => {
  const half = (name: string, coin: string, everyMs: number): Resource =>
    fakeResource({
      name,
      everyMs,
      request: { method: 'GET', path: `/${name}` },
      parse: (body) => ({ openInterest: [row(coin, (body as number[]).length)] }),
    });
  const coins = (): readonly string[] => (rig.snapshot()?.rows ?? []).map(({ coin }) => coin).toSorted();

  test('holds the rows of both, without those of one that has long said nothing', async () => {
    rig = await startRig({ resources: [half('one', 'A', 2_000), half('other', 'B', 2_000)] });
    await rig.passUntil(() => coins().length === 2, 1_000);
    expect(coins()).toEqual(['A', 'B']);
    rig.venue.answer = ({ url }, response) =>
      void response.writeHead(url === '/one' ? 500 : 200).end(oiBody(1));
    await rig.pass(5_000, 500);
    expect(coins()).toEqual(['A', 'B']);
    await rig.passUntil(() => coins().length === 1, 6_000);
    expect(coins()).toEqual(['B']);
    rig.venue.answer = (_, response) => void response.end(oiBody(1));
    await vi.waitFor(async () => {
      await rig.pass(1_000);
      expect(coins()).toEqual(['A', 'B']);
    });
  });
});
