import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fakeResource, oiBody } from './testing/fake-venue.ts';
import { quiet, type Rig, type RigOptions, startRig } from './testing/rig.ts';

const EVERY_MS = 5_000;
let rig: Rig;
afterEach(() => rig.stop());

async function start(options: RigOptions = {}): Promise<void> {
  rig = await startRig({ resources: [fakeResource()], ...options });
}

/** Starts, and waits for the first good answer. */
async function startGood(options: RigOptions = {}): Promise<void> {
  await start(options);
  rig.clock.advance(250);
  await vi.waitFor(() => expect(rig.health('oi')?.status).toBe('ok'));
}

test('is down with a reason until the first answer, then ok, and publishes what it fetched', async () => {
  await start();
  expect(rig.health('oi')).toMatchObject({
    status: 'down',
    error: 'No answer yet.',
    gives: ['openInterest'],
  });
  rig.clock.advance(250);
  await vi.waitFor(() => expect(rig.health('oi')?.status).toBe('ok'));
  expect(rig.snapshot()).toMatchObject({ venue: 'fake', everyMs: EVERY_MS, fetchedAtMs: rig.clock.now() });
  expect(rig.snapshot()?.rows).toEqual([
    { coin: 'COIN0', symbol: 'COIN0', contracts: 1, coins: 1, value: 1 },
  ]);
});

test('asks once per cadence, and not before', async () => {
  await startGood();
  expect(rig.venue.asked).toHaveLength(1);
  await rig.pass(EVERY_MS - 251);
  expect(rig.venue.asked).toHaveLength(1);
  for (let polls = 2; polls <= 5; polls += 1) {
    rig.clock.advance(EVERY_MS);
    await vi.waitFor(() => expect(rig.venue.asked).toHaveLength(polls));
    await vi.waitFor(() => expect(rig.snapshot()?.fetchedAtMs).toBe(rig.clock.now()));
  }
});

test('never has two requests under way, however slow the answer', async () => {
  let release: (() => void) | undefined;
  await start({
    prepare: (venue) => {
      venue.answer = (_, response) => {
        release = () => response.end(oiBody(2));
      };
    },
  });
  rig.clock.advance(250);
  await vi.waitFor(() => expect(rig.venue.asked).toHaveLength(1));
  await rig.pass(9_000, 1_000);
  expect(rig.venue.asked).toHaveLength(1);
  release?.();
  await vi.waitFor(() => expect(rig.snapshot()?.rows[0]?.contracts).toBe(2));
  // Back on schedule: 9.25 s after the start the next poll is due just after 10 s.
  await rig.pass(1_000);
  await vi.waitFor(() => expect(rig.venue.asked).toHaveLength(2));
});

test('turns stale when the last good answer is older than three cadences, and keeps it', async () => {
  await startGood({ resources: [fakeResource({ everyMs: 2_000 })] });
  const good = rig.snapshot();
  rig.venue.answer = () => {};
  await rig.passUntil(() => rig.health('oi')?.status === 'stale', 7_000);
  expect(rig.health('oi')?.error).toBe('Its newest answer is more than 6 s old.');
  expect(rig.snapshot()).toBe(good);
});

test('one request that hangs is repeated, a second one makes the source down, an answer makes it ok', async () => {
  await startGood({ resources: [fakeResource({ everyMs: 20_000 })] });
  rig.venue.answer = () => {};
  await rig.passUntil(() => rig.venue.asked.length === 2, 21_000);
  await rig.pass(10_000);
  expect(rig.health('oi')?.status).toBe('ok');
  await rig.passUntil(() => rig.venue.asked.length === 3, 2_000);
  await rig.pass(10_000);
  await vi.waitFor(() =>
    expect(rig.health('oi')).toMatchObject({ status: 'down', error: 'No answer within 10 s.' }),
  );
  rig.venue.answer = (_, response) => void response.end(oiBody(3));
  await rig.passUntil(() => rig.health('oi')?.status === 'ok', 5_000);
  expect(rig.health('oi')).not.toHaveProperty('error');
  expect(rig.snapshot()?.rows[0]?.contracts).toBe(3);
});

describe('what a bad answer makes of the health', () => {
  const rows = [
    ['HTTP 401', 'blocked', /HTTP 401/, { status: 401, body: '{"message":"no key"}' }],
    ['HTTP 403', 'blocked', /HTTP 403/, { status: 403, body: '<html>' }],
    ['HTTP 451', 'blocked', /HTTP 451/, { status: 451, body: '' }],
    ['HTTP 418', 'limited', /limits us \(HTTP 418\)/, { status: 418, body: '' }],
    ['HTTP 429', 'limited', /limits us \(HTTP 429\)/, { status: 429, body: 'null' }],
    ['HTTP 500', 'down', /HTTP 500/, { status: 500, body: '' }],
    ['HTTP 302', 'down', /HTTP 302/, { status: 302, body: '' }],
    ['HTTP 404', 'changed', /HTTP 404/, { status: 404, body: '{}' }],
    ['a page instead of data', 'changed', /not JSON: "<!doctype/, { status: 200, body: '<!doctype html>' }],
    ['half a body', 'changed', /not JSON/, { status: 200, body: '[["BTC",' }],
    ['no body', 'changed', /not JSON/, { status: 200, body: '' }],
    ['bytes that are no text', 'changed', /not JSON/, { status: 200, body: Buffer.from([0x22, 0xff, 0x22]) }],
    ['another shape', 'changed', /not an array/, { status: 200, body: '{"code":0}' }],
    ['rows that the parser trips over', 'changed', /parser failed/, { status: 200, body: '[null]' }],
    [
      'a number that is none',
      'changed',
      /BTC: contracts is not a finite/,
      { status: 200, body: '[["BTC",null]]' },
    ],
  ] as const;

  test.each(rows)('%s: %s', async (_, status, error, answer) => {
    await startGood();
    const good = rig.snapshot();
    rig.venue.answer = (_request, response) => void response.writeHead(answer.status).end(answer.body);
    await rig.passUntil(() => rig.health('oi')?.status === status, 3 * EVERY_MS);
    expect(rig.health('oi')?.error).toMatch(error);
    expect(rig.snapshot()).toBe(good);
    rig.venue.answer = (_request, response) => void response.end(oiBody(9));
    await rig.passUntil(() => rig.health('oi')?.status === 'ok', 60_000, 1_000);
    expect(rig.snapshot()?.rows[0]?.contracts).toBe(9);
  });

  test('a connection that is cut in mid-answer: down', async () => {
    await startGood();
    rig.venue.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('[[');
      response.destroy();
    };
    await rig.passUntil(() => rig.health('oi')?.status === 'down', 3 * EVERY_MS);
    expect(rig.health('oi')?.error).toMatch(/cannot be reached/);
  });

  test('an answer that is too large: changed', async () => {
    await startGood();
    const chunk = Buffer.alloc(2 ** 20, ' ');
    rig.venue.answer = (_, response) => {
      let chunks = 0;
      const more = (): void => {
        while (!response.destroyed && (chunks += 1) <= 70) if (!response.write(chunk)) return;
        response.end();
      };
      response.on('drain', more);
      more();
    };
    await rig.passUntil(() => rig.venue.asked.length === 2, EVERY_MS);
    await vi.waitFor(() => expect(rig.health('oi')?.status).toBe('changed'), { timeout: 10_000 });
    expect(rig.health('oi')?.error).toMatch(/larger than/);
  });
});

test('an answer may come compressed', async () => {
  await startGood();
  rig.venue.answer = (_, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(oiBody(4)));
  await rig.passUntil(() => rig.snapshot()?.rows[0]?.contracts === 4, EVERY_MS);
});

test('sends a body as JSON', async () => {
  const seen: string[] = [];
  const request = { method: 'POST', path: '/info', body: { type: 'meta' } } as const;
  await startGood({
    resources: [fakeResource({ request })],
    prepare: (venue) => {
      venue.answer = (incoming, response) => {
        seen.push(`${incoming.method} ${incoming.headers['content-type']}`);
        incoming.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
        incoming.on('end', () => response.end(oiBody(1)));
      };
    },
  });
  expect(seen).toEqual(['POST application/json', '{"type":"meta"}']);
});

test('refused rows are counted, reported once per kind, and do not affect the others', async () => {
  await startGood();
  rig.venue.answer = (_, response) => void response.end('[["A",1],["B","x"],["C","y"],["B","z"]]');
  await rig.passUntil(() => rig.health('oi')?.refused === 3, 12_000);
  expect(rig.health('oi')?.status).toBe('ok');
  expect(rig.snapshot()?.rows).toHaveLength(1);
  expect(rig.warnings.filter(({ message }) => message === 'answer refused')).toHaveLength(1);
});

describe('a rate limit', () => {
  const two = [
    fakeResource({ everyMs: 60_000 }),
    fakeResource({ name: 'more', request: { method: 'GET', path: '/more' } }),
  ];

  test.each([
    ['seconds', () => '30'],
    ['an HTTP date', () => new Date(rig.clock.now() + 30_000).toUTCString()],
  ])('silences the whole venue for as long as it asks, in %s', async (_, retryAfter) => {
    await startGood({ resources: two });
    await vi.waitFor(() => expect(rig.health('more')?.status).toBe('ok'));
    rig.venue.answer = (request, response) => {
      if (request.url === '/oi') response.writeHead(429, { 'retry-after': retryAfter() }).end();
      else response.end(oiBody(1));
    };
    await rig.passUntil(() => rig.health('oi')?.status === 'limited', 61_000);
    rig.venue.answer = (_request, response) => void response.end(oiBody(1));
    await quiet(50);
    const { length } = rig.venue.asked;
    await rig.pass(28_500, 500);
    expect(rig.venue.asked).toHaveLength(length);
    expect(rig.health('more')).toMatchObject({
      status: 'limited',
      error: expect.stringMatching(/wait until/),
    });
    await rig.passUntil(
      () => rig.health('oi')?.status === 'ok' && rig.health('more')?.status === 'ok',
      3_000,
    );
  });

  test('that names no time makes longer and longer pauses', async () => {
    await startGood();
    rig.venue.answer = (_, response) => void response.writeHead(418).end();
    const times: number[] = [];
    for (let asked = 2; asked <= 6; asked += 1) {
      await rig.passUntil(() => rig.venue.asked.length === asked, 300_000, 500);
      times.push(rig.clock.now());
    }
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(5_000);
    expect(gaps[3]).toBeGreaterThanOrEqual(40_000);
  });
});

test('a venue that does not answer is left alone, then probed by one request, then asked again', async () => {
  const two = [fakeResource({ everyMs: 1_000 }), fakeResource({ name: 'more', everyMs: 1_000 })];
  await startGood({ resources: two });
  rig.venue.answer = (_, response) => void response.writeHead(503).end();
  await rig.passUntil(() => /in a row/.test(rig.health('oi')?.error ?? ''), 30_000);
  const before = rig.venue.asked.length;
  await rig.pass(60_000, 500);
  // Two resources on a cadence of a second would have sent more than a hundred requests.
  expect(rig.venue.asked.length - before).toBeLessThanOrEqual(8);
  // The probe hangs: no other request is sent meanwhile.
  rig.venue.answer = () => {};
  const { length } = rig.venue.asked;
  await rig.passUntil(() => rig.venue.asked.length > length, 60_000);
  await rig.pass(8_000, 500);
  expect(rig.venue.asked).toHaveLength(length + 1);
  rig.venue.answer = (_, response) => void response.end(oiBody(1));
  await rig.passUntil(
    () => rig.health('oi')?.status === 'ok' && rig.health('more')?.status === 'ok',
    120_000,
  );
});

test('keeps within the weight that the venue allows', async () => {
  const heavy = fakeResource({ everyMs: 1_000, weight: 20 });
  await startGood({ resources: [heavy], limits: { weightPerMinute: 240 } });
  await rig.pass(180_000, 500);
  // A burst of a quarter, and three minutes of the remaining limit.
  expect(rig.venue.asked.length * 20).toBeLessThanOrEqual(60 + 3 * 180 + 20);
  expect(rig.venue.asked.length).toBeGreaterThan(20);
});

test('stops at once, also while it waits for its turn', async () => {
  const heavy = fakeResource({ everyMs: 1_000, weight: 20 });
  await startGood({ resources: [heavy], limits: { weightPerMinute: 40 } });
  await rig.pass(2_000, 500);
  expect(rig.venue.asked).toHaveLength(1);
  await rig.engine.stop();
});

describe('a resource on demand', () => {
  const onDemand = { resources: [fakeResource({ polled: 'demand' })] };

  test('is neither requested nor reported as down before there is demand', async () => {
    await start(onDemand);
    await rig.pass(60_000, 5_000);
    expect(rig.venue.asked).toEqual([]);
    expect(rig.health('oi')).toBeUndefined();
  });

  test('is fetched at once, kept warm for a while, and not polled any more without demand', async () => {
    await start(onDemand);
    for (let i = 0; i < 20; i += 1) rig.want();
    await rig.pass(1);
    await vi.waitFor(() => expect(rig.snapshot()).toBeDefined());
    expect(rig.venue.asked).toHaveLength(1);
    await rig.pass(200_000, 1_000);
    expect(rig.venue.asked).toHaveLength(6);
    expect(rig.health('oi')?.status).toBe('ok');
    rig.want();
    await rig.pass(1);
    await vi.waitFor(() => expect(rig.venue.asked).toHaveLength(7));
  });

  test('is fetched once where that is enough, which does not end the demand of others', async () => {
    await start(onDemand);
    rig.want(undefined, true);
    await rig.pass(1);
    await vi.waitFor(() => expect(rig.snapshot()).toBeDefined());
    await rig.pass(200_000, 1_000);
    expect(rig.venue.asked).toHaveLength(1);
    rig.want();
    rig.want(undefined, true);
    await rig.pass(200_000, 1_000);
    expect(rig.venue.asked).toHaveLength(7);
  });

  test('is not fetched again while what is there is fresh', async () => {
    await start(onDemand);
    rig.want();
    await rig.pass(1);
    await vi.waitFor(() => expect(rig.snapshot()).toBeDefined());
    for (let i = 0; i < 8; i += 1) {
      await rig.pass(500);
      rig.want();
    }
    expect(rig.venue.asked).toHaveLength(1);
  });

  test('is not hammered by callers while it fails', async () => {
    await start(onDemand);
    rig.venue.answer = (_, response) => void response.writeHead(451).end();
    for (let i = 0; i < 140; i += 1) {
      rig.want();
      await rig.pass(100);
    }
    expect(rig.venue.asked).toHaveLength(1);
    expect(rig.health('oi')?.status).toBe('blocked');
  });
});

test('is changed as far as one of its tables is not understood, and publishes the others', async () => {
  await start({
    resources: [
      fakeResource({
        gives: ['openInterest', 'funding'],
        parse: () => ({ openInterest: [], funding: [], unread: ['funding'], refused: ['rate is odd'] }),
      }),
    ],
  });
  await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
  expect(rig.health('oi')).toMatchObject({
    status: 'changed',
    concerns: ['funding'],
    error: 'Most of its funding cannot be parsed: rate is odd.',
  });
});
