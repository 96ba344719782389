import { expect, it, vi } from 'vitest';
import type { LatestTopic } from '../platform/bus.ts';
import { systemClock } from '../platform/system-clock.ts';
import { ThreadGatewayBus } from '../platform/thread-gateway-bus.ts';
import type { Settings } from '../settings/settings.ts';
import { startIngestThread } from './ingest-thread.ts';

const entry = new URL('testing/crashing-ingest-worker.ts', import.meta.url);
const health: LatestTopic<{ readonly folder: string }> = { name: 'health', keep: { kind: 'latest' } };
const crash: LatestTopic<boolean> = { name: 'crash', keep: { kind: 'latest' }, by: 'gateway' };
const order = { settings: {} as Settings, upstream: { mode: 'sim', tenant: 'sim/1' } } as const;
const until = (holds: () => boolean): Promise<unknown> => vi.waitUntil(holds, { timeout: 60_000 });

vi.setConfig({ testTimeout: 90_000 });

it('replaces an ingest thread that crashes, and says so', async () => {
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
  bus.publish(crash, true);
  await until(() => healths === 2 && !bus.isSilent);
  expect(silences).toEqual([true, false]);
  expect(logged).toEqual([
    'the ingest thread crashed Error: crashed on request',
    'the ingest thread ended; it is started again',
  ]);
  expect(crashes).toEqual(['Error: crashed on request']);
  await thread.stop();
  bus.stop();
  expect(silences).toEqual([true, false]);
  expect(logged.at(-1)).toBe('stopped in order');
});

it('rejects when the first thread cannot start', async () => {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const starting = startIngestThread({ order, log, random: () => 0, entry });
  await expect(starting).rejects.toThrow('no embedded order');
});
