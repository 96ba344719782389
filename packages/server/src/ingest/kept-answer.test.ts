import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, ManualClock } from '@crosstape/core';
import { afterEach, describe, expect, test } from 'vitest';
import { fileClient } from './file-client.ts';
import type { KeptAnswer, KeptAnswers } from './kept-answer.ts';
import { type FakeVenue, fakeResource, oiBody } from './testing/fake-venue.ts';
import { type Rig, type RigOptions, startRig } from './testing/rig.ts';

const START_MS = Date.UTC(2026, 0, 1);
let rig: Rig;
afterEach(() => rig.stop());

/** What a store would keep from one start to the next. */
class Memory implements KeptAnswers {
  readonly answers = new Map<string, KeptAnswer>();
  get(source: string): KeptAnswer | undefined {
    return this.answers.get(source);
  }
  put(source: string, answer: KeptAnswer): void {
    this.answers.set(source, answer);
  }
}

const rarely = fakeResource({ everyMs: 24 * HOUR_MS, retryMs: 2 * HOUR_MS });

async function start(kept: KeptAnswers, options: RigOptions = {}): Promise<Rig> {
  rig = await startRig({ resources: [rarely], kept, ...options });
  return rig;
}

describe('a source that allows few requests', () => {
  test('serves its stored answer after a restart as healthy, and is not polled again before its time', async () => {
    const kept = new Memory();
    await start(kept);
    await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
    const before = rig.snapshot();
    await rig.stop();

    await start(kept, { startMs: START_MS + 10 * HOUR_MS });
    expect(rig.snapshot()).toEqual(before);
    expect(rig.health('oi')).toMatchObject({ status: 'ok', lastGoodMs: before?.fetchedAtMs, messages: 0 });
    await rig.pass(13 * HOUR_MS, HOUR_MS);
    expect(rig.venue.asked).toEqual([]);
    await rig.passUntil(() => rig.venue.asked.length === 1, 2 * HOUR_MS, 60_000);
    await rig.passUntil(() => rig.snapshot()?.checkedAtMs !== undefined, 60_000);
  });

  test('confirms an unchanged answer, also over restarts, and replaces a changed one', async () => {
    const kept = new Memory();
    await start(kept);
    await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
    const { fetchedAtMs = 0 } = rig.snapshot() ?? {};
    await rig.passUntil(() => rig.snapshot()?.checkedAtMs !== undefined, 25 * HOUR_MS, 60_000);
    const again = rig.snapshot();
    expect(again).toMatchObject({ fetchedAtMs, checkedAtMs: fetchedAtMs + 24 * HOUR_MS });
    expect(rig.health('oi')?.status).toBe('ok');
    await rig.stop();

    await start(kept, { startMs: fetchedAtMs + 30 * HOUR_MS });
    expect(rig.snapshot()).toEqual(again);
    expect(rig.health('oi')).toMatchObject({ status: 'ok', lastGoodMs: again?.checkedAtMs });
    rig.venue.answer = (_, response) => void response.end(oiBody(7));
    await rig.passUntil(() => rig.snapshot()?.checkedAtMs === undefined, 20 * HOUR_MS, 60_000);
    expect(rig.snapshot()?.fetchedAtMs).toBeGreaterThan(fetchedAtMs + 40 * HOUR_MS);
  });

  test('is asked at once when its time has come while the service was off', async () => {
    const kept = new Memory();
    await start(kept);
    await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
    await rig.stop();
    await start(kept, { startMs: START_MS + 25 * HOUR_MS });
    await rig.passUntil(() => rig.venue.asked.length === 1, 1_000);
  });

  test('is not called healthy for an answer of long ago', async () => {
    const kept = new Memory();
    kept.put('fake:oi', {
      askedAtMs: START_MS,
      good: { parsed: { openInterest: [] }, fetchedAtMs: START_MS },
    });
    await start(kept, { startMs: START_MS + 80 * HOUR_MS });
    expect(rig.health('oi')).toMatchObject({ status: 'down', lastGoodMs: START_MS });
    expect(rig.snapshot()?.fetchedAtMs).toBe(START_MS);
  });

  test('that refused is left alone for its time, longer each time, and a restart does not shorten it', async () => {
    const kept = new Memory();
    const prepare: RigOptions['prepare'] = (venue) => {
      venue.answer = (_, response) => void response.writeHead(403).end();
    };
    await start(kept, { prepare });
    await rig.passUntil(() => rig.health('oi')?.status === 'blocked', 1_000);
    await rig.pass(2 * HOUR_MS - 60_000, 600_000);
    expect(rig.venue.asked).toHaveLength(1);
    await rig.passUntil(() => rig.venue.asked.length === 2, 3 * HOUR_MS, 60_000);
    await rig.passUntil(() => kept.get('fake:oi')?.askedAtMs === rig.clock.now(), 1_000);
    const askedAtMs = rig.clock.now();
    await rig.stop();

    await start(kept, { prepare, startMs: askedAtMs + HOUR_MS });
    await rig.pass(3 * HOUR_MS - 60_000, 600_000);
    expect(rig.venue.asked).toEqual([]);
    await rig.passUntil(() => rig.venue.asked.length === 1, 120_000, 10_000);
  });

  test('that keeps its last good answer through failures', async () => {
    const kept = new Memory();
    await start(kept);
    await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
    rig.venue.answer = (_, response) => void response.end('no longer');
    await rig.passUntil(() => rig.health('oi')?.status === 'changed', 25 * HOUR_MS, HOUR_MS);
    const { good, askedAtMs = 0 } = kept.get('fake:oi') ?? {};
    expect(good?.fetchedAtMs).toBe(rig.snapshot()?.fetchedAtMs);
    expect(askedAtMs).toBeGreaterThan(good?.fetchedAtMs ?? 0);
    await rig.stop();
    await start(kept, { startMs: askedAtMs + 1_000 });
    expect(rig.snapshot()).toMatchObject({ fetchedAtMs: good?.fetchedAtMs });
    expect(rig.health('oi')).toMatchObject({ status: 'changed', lastGoodMs: good?.fetchedAtMs });
    expect(rig.health('oi')?.error).toContain('cannot be parsed');
  });

  test('that failed says why at once after a restart, until it is asked again', async () => {
    const kept = new Memory();
    const prepare: RigOptions['prepare'] = (venue) => {
      venue.answer = (_, response) => void response.writeHead(403).end();
    };
    await start(kept, { prepare });
    await rig.passUntil(() => rig.health('oi')?.status === 'blocked', 1_000);
    const { error } = rig.health('oi') ?? {};
    const { askedAtMs = 0 } = kept.get('fake:oi') ?? {};
    await rig.stop();
    await start(kept, { prepare, startMs: askedAtMs + HOUR_MS });
    expect(rig.health('oi')).toMatchObject({ status: 'blocked', error });
    await rig.stop();
    // Before the first request, its state is unknown.
    await start(kept, { startMs: askedAtMs + 2 * HOUR_MS });
    expect(rig.health('oi')).toMatchObject({ status: 'down', error: 'No answer yet.' });
    await rig.passUntil(() => rig.health('oi')?.status === 'ok', 1_000);
    expect(kept.get('fake:oi')).not.toHaveProperty('failed');
  });

  test.each<[string, FakeVenue['answer']]>([
    ['answers HTTP 500', (_, response) => void response.writeHead(500).end()],
    ['hangs up', (request) => void request.socket.destroy()],
    ['never answers', () => undefined],
  ])('that %s may have counted the question: it waits its time, also over a restart', async (_, answer) => {
    const kept = new Memory();
    const prepare: RigOptions['prepare'] = (venue) => {
      venue.answer = answer;
    };
    await start(kept, { prepare });
    await rig.passUntil(() => kept.answers.size > 0, 15_000);
    expect(rig.health('oi')?.status).toBe('down');
    const { askedAtMs = 0 } = kept.get('fake:oi') ?? {};
    await rig.pass(2 * HOUR_MS - 60_000, 600_000);
    expect(rig.venue.asked).toHaveLength(1);
    await rig.stop();

    await start(kept, { prepare, startMs: askedAtMs + HOUR_MS });
    await rig.pass(HOUR_MS - 60_000, 600_000);
    expect(rig.venue.asked).toEqual([]);
    await rig.passUntil(() => rig.venue.asked.length === 1, 120_000, 10_000);
  });

  test('that was asked when the service stopped is not asked again at the next start', async () => {
    const kept = new Memory();
    await start(kept, { prepare: (venue) => (venue.answer = () => undefined) });
    await rig.passUntil(() => rig.venue.asked.length === 1, 1_000);
    await rig.stop();
    await start(kept, { startMs: rig.clock.now() + HOUR_MS });
    expect(rig.health('oi')?.error).toBe('Polled shortly before a restart; waiting for the next poll.');
    await rig.pass(HOUR_MS - 60_000, 600_000);
    expect(rig.venue.asked).toEqual([]);
  });

  test('that cannot be connected to has counted nothing: it is asked again soon', async () => {
    const kept = new Memory();
    await start(kept);
    await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
    const before = kept.get('fake:oi');
    await rig.venue.close();
    await rig.pass(24 * HOUR_MS - 60_000, HOUR_MS);
    // Down means failed twice.
    await rig.passUntil(() => rig.health('oi')?.status === 'down', 180_000, 1_000);
    expect(rig.health('oi')?.error).toContain('ECONNREFUSED');
    expect(kept.get('fake:oi')).toEqual(before);
  });

  test('that is polled on demand serves its stored answer before any request', async () => {
    const kept = new Memory();
    const demanded = { resources: [{ ...rarely, polled: 'demand' as const }] };
    await start(kept, demanded);
    rig.want();
    await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
    await rig.stop();
    await start(kept, { ...demanded, startMs: START_MS + HOUR_MS });
    expect(rig.snapshot()).toBeDefined();
    rig.want();
    await rig.pass(HOUR_MS, 600_000);
    expect(rig.venue.asked).toEqual([]);
    expect(rig.health('oi')?.status).toBe('ok');
  });

  test('is not silenced by a clock that was set back', async () => {
    const kept = new Memory();
    const good = { parsed: { openInterest: [] }, fetchedAtMs: START_MS + 900 * HOUR_MS };
    kept.put('fake:oi', { askedAtMs: good.fetchedAtMs, good });
    await start(kept);
    await rig.passUntil(() => rig.venue.asked.length === 1, 24 * HOUR_MS + 1_000, HOUR_MS / 2);
  });
});

test('a wall against programs that answers 503 blocks, any other 503 is down', async () => {
  await start(new Memory(), {
    prepare: (venue) => {
      venue.answer = (_, response) =>
        void response.writeHead(503).end('<html><head><title>Just a moment...</title></head></html>');
    },
  });
  await rig.passUntil(() => rig.health('oi')?.status === 'blocked', 1_000);
  expect(rig.health('oi')?.error).toBe('A bot-protection page answered with HTTP 503.');
  rig.venue.answer = (_, response) => void response.writeHead(503).end('busy');
  await rig.passUntil(() => rig.health('oi')?.error === 'The venue answered HTTP 503.', 5 * HOUR_MS, 60_000);
});

test('an answer that does not say which page it is is parsed with the path that was requested', async () => {
  const paths: string[] = [];
  const paged = fakeResource({
    parse: (_body, _receivedAtMs, _known, path = '') => {
      paths.push(path);
      return { openInterest: [], ...(path === '/oi' ? { more: { method: 'GET', path: '/oi?2' } } : {}) };
    },
  });
  rig = await startRig({ resources: [paged] });
  await rig.passUntil(() => paths.length === 2, 1_000);
  expect(paths).toEqual(['/oi', '/oi?2']);
});

test('a text is parsed as a text, off the event loop', async () => {
  const body = { text: '' };
  rig = await startRig({
    resources: [fakeResource({ format: 'text' })],
    jobs: {
      run: (_task, payload) => {
        body.text = new TextDecoder().decode((payload as unknown as { body: Uint8Array }).body);
        return Promise.reject(new Error('not here'));
      },
      stop: async () => undefined,
    },
  });
  await rig.passUntil(() => body.text !== '', 1_000);
  expect(body.text).toBe(oiBody(1));
});

describe('a file in place of a site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-file-'));
  const client = fileClient(new ManualClock(START_MS));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is read again each time, and a missing one is down', async () => {
    rig = await startRig();
    const path = join(folder, 'a page.html');
    const request = { method: 'GET', path: path.replaceAll(' ', '%20') } as const;
    const purpose = { source: 'flows', key: '' };
    writeFileSync(path, 'one');
    const first = await client.send(request, 1, purpose);
    expect(new TextDecoder().decode(first.body)).toBe('one');
    expect(first.receivedAtMs).toBe(START_MS);
    writeFileSync(path, 'two');
    expect(new TextDecoder().decode((await client.send(request, 1, purpose)).body)).toBe('two');
    rmSync(path);
    await expect(client.send(request, 1, purpose)).rejects.toMatchObject({
      status: 'down',
      message: 'The file cannot be read (ENOENT).',
    });
  });
});
