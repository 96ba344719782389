import { ManualClock } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ingestMemoryTopic,
  NO_ANSWER_YET,
  recorderHealthTopic,
  seedingTopic,
  snapshotTopic,
} from '../../topics.ts';
import type { ArchiveHealth } from '../archive/archive.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { readyzPage } from './pages.ts';
import { SourceHealths } from '../../api/testing/source-healths.ts';
import { publishSampleMarket } from '../../api/testing/sample-market.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../../api/testing/test-api.ts';
import type { PageReply } from '../../http/route.ts';

const opened: TestApi[] = [];
async function start(options?: TestApiOptions): Promise<TestApi> {
  const api = await startTestApi(options);
  opened.push(api);
  return api;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

const jsonOf = async (api: TestApi, url: string): Promise<[number, unknown]> => {
  const { status, text } = await api.fetch(url);
  return [status, JSON.parse(text)];
};

const sampleTerms = {
  takes: 'everything',
  trust: 'documented',
  attribution: 'Theirs',
  termsNote: 'None.',
} as const;

describe('/healthz', () => {
  it('says that the process lives and whether its data are simulated', async () => {
    const api = await start({ upstream: 'sim', version: '1.2.3' });
    api.clock.advance(1_234);
    expect(await jsonOf(api, '/healthz')).toEqual([
      200,
      { status: 'ok', role: 'all', upstream: 'sim', version: '1.2.3', uptimeMs: 1_234, failing: [] },
    ]);
  });

  it('reports an archive that cannot be written, as /readyz does, which stays as it is', async () => {
    const failing = { status: 'failing', waitingDays: 2, error: 'no room', sinceMs: 5 } as const;
    let archive: ArchiveHealth = { status: 'ok', waitingDays: 0, newestDay: '2026-11-09' };
    const api = await start({ archiveHealth: () => archive });
    const [before, ready] = await jsonOf(api, '/readyz');
    expect(ready).toMatchObject({ checks: expect.arrayContaining([{ name: 'archive', ok: true }]) });
    archive = failing;
    const [after, still] = await jsonOf(api, '/readyz');
    const reason = '2 days wait in the store to be archived: no room';
    expect(still).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: 'archive', ok: false, reason })]),
    });
    expect(after).toBe(before);
    expect(await jsonOf(api, '/healthz')).toMatchObject([200, { status: 'ok', archive: failing }]);
  });

  it('says when the tape cannot be written, and is 200 all the same', async () => {
    const api = await start();
    const recording = { status: 'failing', unwritten: 12, lost: 3, error: 'disk full', sinceMs: 5 } as const;
    api.bus.publish(recorderHealthTopic, recording);
    expect(await jsonOf(api, '/healthz')).toMatchObject([200, { status: 'ok', recording }]);
    const lines = (await api.fetch('/metrics')).text.split('\n');
    expect(lines).toContain('crosstape_recorder_failing 1');
    expect(lines).toContain('crosstape_recorder_unwritten_trades 12');
    expect(lines).toContain('crosstape_recorder_lost_trades_total 3');
  });

  it('reports the memory of both threads and the rows of tables', async () => {
    const api = await start({ publishers: venues });
    const bytes = { heapUsed: 1, heapTotal: 2, external: 3, arrayBuffers: 4 };
    api.bus.publish(ingestMemoryTopic, bytes);
    const table = {
      venue: 'hyperliquid',
      rows: [{ coin: 'BTC', symbol: 'BTC' }],
      fetchedAtMs: 0,
      everyMs: 1,
    };
    api.bus.publish(snapshotTopic('hyperliquid', 'instruments'), table);
    const lines = (await api.fetch('/metrics')).text.split('\n');
    expect(lines).toContain('crosstape_thread_memory_bytes{thread="ingest",kind="array_buffers"} 4');
    expect(
      lines.some((line) =>
        /^crosstape_thread_memory_bytes\{thread="main",kind="heap_used"\} \d+$/.test(line),
      ),
    ).toBe(true);
    expect(lines).toContain('crosstape_table_rows{venue="hyperliquid",table="instruments"} 1');
  });

  it('lists sources with old or missing data, with time and reason, one entry per venue', async () => {
    const api = await start({
      publishers: [{ id: 'hyperliquid' }, { id: 'okx' }, { id: 'okx-spot', venue: 'okx' }, { id: 'farside' }],
      sources: ['hyperliquid', 'okx', 'farside'].map((id) => ({ ...sampleTerms, id, name: `The ${id}` })),
    });
    const healths = new SourceHealths(api.bus, api.clock);
    const startedMs = api.clock.now();
    for (const [publisher, gives] of [
      ['hyperliquid', 'trades'],
      ['hyperliquid', 'funding'],
      ['okx', 'funding'],
      ['okx-spot', 'spotTickers'],
    ] as const)
      healths.turn({ publisher, gives }, 'ok');
    healths.turn({ publisher: 'farside', gives: 'bitcoinEtfFlows' }, 'down', NO_ANSWER_YET);
    expect(await jsonOf(api, '/healthz')).toMatchObject([200, { failing: [] }]);

    api.clock.advance(1_000);
    healths.turn({ publisher: 'okx-spot', gives: 'spotTickers' }, 'limited', 'HTTP 429.');
    // The last good answer of the other table is from before.
    const { failing } = (await jsonOf(api, '/healthz'))[1] as { failing: object[] };
    expect(failing[0]).not.toHaveProperty('partial');
    api.clock.advance(1_000);
    healths.turn({ publisher: 'okx', gives: 'funding' }, 'ok');
    healths.turn({ publisher: 'hyperliquid', gives: 'trades' }, 'stale', 'No data for 7 s.');
    healths.turn({ publisher: 'hyperliquid', gives: 'funding' }, 'down', 'HTTP 500.');
    api.clock.advance(500);
    expect(await jsonOf(api, '/healthz')).toMatchObject([
      200,
      {
        status: 'ok',
        failing: [
          {
            source: 'hyperliquid',
            name: 'The hyperliquid',
            status: 'down',
            sinceTs: startedMs + 2_000,
            forMs: 500,
            error: 'HTTP 500.',
            feeds: ['hyperliquid:trades', 'hyperliquid:funding'],
          },
          {
            source: 'okx',
            name: 'The okx',
            status: 'limited',
            sinceTs: startedMs + 1_000,
            forMs: 1_500,
            error: 'HTTP 429.',
            feeds: ['okx-spot:spotTickers'],
            partial: true,
          },
        ],
      },
    ]);
  });

  it('is not counted', async () => {
    const api = await start();
    expect((await api.fetch('/healthz')).headers).not.toHaveProperty('ratelimit');
  });
});

describe('/readyz', () => {
  it('is 200 when the store is usable and the primary trade feed fresh', async () => {
    const api = await start();
    publishSampleMarket(api);
    expect(await jsonOf(api, '/readyz')).toEqual([
      200,
      {
        status: 'ready',
        checks: [
          { name: 'store', ok: true },
          { name: 'hyperliquid trades', ok: true },
          { name: 'builds', ok: true },
        ],
      },
    ]);
  });

  it('of an ingester without the primary venue needs the trades of one of its venues', async () => {
    const clock = new ManualClock(0);
    const bus = new LocalBus(clock);
    const healths = new SourceHealths(bus, clock);
    const page = readyzPage({
      clock,
      bus,
      store: { probe: async () => undefined },
      primaryVenue: 'hyperliquid',
      upstream: 'sim',
      version: '0.0.0',
      startedAtMs: 0,
      recordedVenues: ['okx', 'gate'],
    });
    const answer = async (): Promise<unknown> => {
      const { status, body } = (await page.handle({} as never)) as PageReply;
      return [status, (JSON.parse(body) as { status: string }).status];
    };
    expect(await answer()).toEqual([503, 'starting']);
    healths.turn({ publisher: 'okx', gives: 'market-trades' }, 'down');
    healths.turn({ publisher: 'gate', gives: 'market-trades' }, 'ok');
    expect(await answer()).toEqual([200, 'ready']);
    healths.turn({ publisher: 'gate', gives: 'market-trades' }, 'down');
    clock.advance(120_000);
    expect(await answer()).toEqual([503, 'not ready']);
  });

  it('reports a full queue of builds, and stays ready for everything else', async () => {
    const page = readyzPage({
      clock: new ManualClock(0),
      bus: undefined,
      store: { probe: async () => undefined },
      rotations: { isFull: true },
      primaryVenue: 'hyperliquid',
      upstream: 'sim',
      version: '0.0.0',
      startedAtMs: 0,
    });
    const { status, body } = (await page.handle({} as never)) as PageReply;
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      status: 'ready',
      checks: [
        { name: 'store', ok: true },
        {
          name: 'builds',
          ok: false,
          reason: 'The queue of builds is full; further ones are refused for now.',
        },
      ],
    });
  });

  it('is 503 with the reasons otherwise', async () => {
    const api = await start({ store: { probe: async () => Promise.reject(new Error('disk full')) } });
    expect(await jsonOf(api, '/readyz')).toEqual([
      503,
      {
        status: 'not ready',
        checks: [
          { name: 'store', ok: false, reason: 'The store is not usable: disk full' },
          { name: 'hyperliquid trades', ok: false, reason: 'The trade feed has not started yet.' },
          { name: 'builds', ok: true },
        ],
      },
    ]);
    api.health('hyperliquid', { gives: ['trades'], status: 'stale', error: 'Silent for 20 s.' });
    expect(JSON.stringify(await jsonOf(api, '/readyz'))).toContain('Silent for 20 s.');
  });

  it('is starting until the first-run history is there', async () => {
    const api = await start();
    publishSampleMarket(api);
    const tape = { fromMs: 0, toMs: 1 };
    for (const seeding of [{ progress: 0 }, { progress: 0.456, tape }]) {
      api.bus.publish(seedingTopic, { isDone: false, ...seeding });
      const percent = Math.floor(seeding.progress * 100);
      expect(await jsonOf(api, '/readyz')).toEqual([
        503,
        {
          status: 'starting',
          checks: [
            { name: 'store', ok: true },
            { name: 'hyperliquid trades', ok: true },
            { name: 'history', ok: false, reason: `The first-run history is being created: ${percent} %.` },
            { name: 'builds', ok: true },
          ],
        },
      ]);
    }
    api.bus.publish(seedingTopic, { isDone: true, progress: 1, tape });
    expect(await jsonOf(api, '/readyz')).toMatchObject([200, { status: 'ready' }]);
  });

  it('is starting while the feed has a minute to deliver for the first time, then not ready', async () => {
    const api = await start();
    expect(await jsonOf(api, '/readyz')).toMatchObject([503, { status: 'starting' }]);
    api.clock.advance(59_999);
    api.health('hyperliquid', { gives: ['trades'], status: 'down', error: 'Not connected.' });
    expect(await jsonOf(api, '/readyz')).toMatchObject([503, { status: 'starting' }]);
    api.clock.advance(1);
    expect(await jsonOf(api, '/readyz')).toMatchObject([503, { status: 'not ready' }]);
  });

  it('does not wait forever for the store', async () => {
    const probe = vi.fn(() => new Promise<void>(() => undefined));
    const api = await start({ store: { probe } });
    publishSampleMarket(api);
    const answer = jsonOf(api, '/readyz');
    await expect.poll(() => probe.mock.calls.length).toBe(1);
    api.clock.advance(3_000);
    expect(await answer).toMatchObject([
      503,
      { checks: [{ reason: 'The store does not answer.' }, { ok: true }, { ok: true }] },
    ]);
  });

  it('asks the store once a second at most', async () => {
    const probe = vi.fn(async () => undefined);
    const api = await start({ store: { probe } });
    for (let i = 0; i < 5; i += 1) await api.fetch('/readyz');
    expect(probe).toHaveBeenCalledTimes(1);
    api.clock.advance(1_000);
    await api.fetch('/readyz');
    expect(probe).toHaveBeenCalledTimes(2);
  });
});

describe('/metrics', () => {
  it('reports requests, sources, streams and the process', async () => {
    const api = await start();
    publishSampleMarket(api);
    api.health('hyperliquid', {
      source: 'hyperliquid:trades',
      gives: ['trades'],
      status: 'stale',
      lastGoodMs: 5_000,
      messages: 12,
      refused: 3,
      reconnects: 1,
    });
    await api.get('/perps/oi');
    await api.get('/perps/oi');
    await api.get('/perps/oi?x=1');
    await api.get('/nothing');
    const { headers, text } = await api.fetch('/metrics');
    expect(headers['content-type']).toContain('text/plain');
    for (const line of [
      'crosstape_http_requests_total{route="/api/v1/perps/oi",status="200"} 2',
      'crosstape_http_requests_total{route="/api/v1/perps/oi",status="400"} 1',
      'crosstape_http_requests_total{route="none",status="404"} 1',
      'crosstape_source_status{source="hyperliquid:trades",status="stale"} 1',
      'crosstape_source_last_good_timestamp_seconds{source="hyperliquid:trades"} 5',
      'crosstape_source_messages_total{source="hyperliquid:trades"} 12',
      'crosstape_source_refused_total{source="hyperliquid:trades"} 3',
      'crosstape_source_reconnects_total{source="hyperliquid:trades"} 1',
      'crosstape_answers_kept 1',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).toContain('process_cpu_user_seconds_total');
    expect(text).toContain('crosstape_streams{kind=');
    expect((await api.fetch('/metrics')).text).toContain('{route="/api/v1/perps/oi",status="200"} 2');
  });
});
