import { expect, it, vi } from 'vitest';
import type { LatestTopic } from '../platform/bus.ts';
import { systemClock } from '../platform/system-clock.ts';
import { bundledEntry } from '../platform/testing/bundled-entry.ts';
import { ThreadGatewayBus } from '../platform/thread-gateway-bus.ts';
import type { Settings } from '../settings/settings.ts';
import { startIngestThread } from './ingest-thread.ts';
import type { Crash } from './testing/crashing-ingest-worker.ts';

const entry = bundledEntry(new URL('testing/crashing-ingest-worker.ts', import.meta.url));
const health: LatestTopic<{ readonly folder: string }> = { name: 'health', keep: { kind: 'latest' } };
const crash: LatestTopic<Crash> = { name: 'crash', keep: { kind: 'latest' }, by: 'gateway' };
const order = { settings: {} as Settings, upstream: { mode: 'sim', tenant: 'sim/1' } } as const;
const until = (holds: () => boolean): Promise<unknown> => vi.waitUntil(holds, { timeout: 240_000 });

it.each(['error', 'rejection', 'exit'] as const)(
  'replaces an ingest thread that ends by %s, and says so',
  async (kind) => {
    const logged: string[] = [];
    const note = (fields: object, message: string): void => {
      logged.push(`${message} ${'err' in fields ? String(fields.err) : ''}`.trim());
    };
    const log = { debug: note, info: note, warn: note, error: note };
    const bus = new ThreadGatewayBus({ clock: systemClock, log });
    const crashes: string[] = [];
    const silences: boolean[] = [];
    bus.onSilence((isSilent) => silences.push(isSilent));
    let healths = 0;
    bus.subscribe(health, () => {
      healths += 1;
    });
    const thread = await startIngestThread({
      order,
      log,
      random: () => 0,
      entry,
      onCrash: (error) => crashes.push(String(error)),
      embedded: { folder: '/data', bus, makeRoom: async () => undefined },
    });
    await until(() => healths === 1);
    expect(bus.latest(health)?.message).toEqual({ folder: '/data' });
    bus.publish(crash, kind);
    await until(() => healths === 2 && !bus.isSilent);
    // On a busy machine the next thread may be silent for a while before it publishes.
    expect([silences[0], silences.at(-1)]).toEqual([true, false]);
    // A thread that leaves has no error to report.
    const failures = kind === 'exit' ? [] : ['Error: crashed on request'];
    expect(logged).toEqual([
      ...failures.map((error) => `the ingest thread crashed ${error}`),
      'the ingest thread ended; it is started again',
    ]);
    expect(crashes).toEqual(failures);
    await thread.stop();
    bus.stop();
    expect(silences.at(-1)).toBe(false);
    expect(logged.at(-1)).toBe('stopped in order');
  },
);

it('rejects when the first thread cannot start', async () => {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const starting = startIngestThread({ order, log, random: () => 0, entry });
  await expect(starting).rejects.toThrow('no embedded order');
});
