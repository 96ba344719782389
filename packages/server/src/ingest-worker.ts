import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from './platform/log.ts';
import { systemRandom } from './platform/random.ts';
import { systemClock } from './platform/system-clock.ts';
import { ThreadIngestBus } from './platform/thread-ingest-bus.ts';
import { startThreadJobs } from './platform/thread-jobs.ts';
import { startParts, type Started, type Stops } from './roles/role-dependencies.ts';
import { startIngest } from './roles/ingest.ts';
import type { IngestOrder, IngestReport, IngestRequest } from './roles/ingest-thread.ts';
import { LmdbStore } from './store/lmdb-store.ts';
import { ingestMemoryTopic } from './topics.ts';

/** Background work of this thread: seeding, closes, sizes of past orders. */
const BACKGROUND_THREADS = 2;
const MEMORY_EVERY_MS = 10_000;

const order = workerData as IngestOrder;

/** The main thread writes the log. Values that cannot be cloned are sent as text. */
const log: Log = {
  debug: (fields, message) => sendLog('debug', fields, message),
  info: (fields, message) => sendLog('info', fields, message),
  warn: (fields, message) => sendLog('warn', fields, message),
  error: (fields, message) => sendLog('error', fields, message),
};

function sendLog(level: keyof Log, fields: object, message: string): void {
  try {
    report({ kind: 'log', level, fields, message });
  } catch {
    const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
    report({ kind: 'log', level, fields: Object.fromEntries(texts), message });
  }
}

function report(message: IngestReport): void {
  parentPort?.postMessage(message, []);
}

/** By id: who waits for the main thread to delete files. */
const waiting = new Map<number, () => void>();
let roomId = 0;

function makeRoom(bytes: number): Promise<void> {
  roomId += 1;
  const id = roomId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    report({ kind: 'makeRoom', id, bytes });
  });
}

async function start(): Promise<Started> {
  return startParts(async (stops) => {
    const jobs = startThreadJobs();
    stops.add(() => jobs.stop());
    const builds = startThreadJobs({ threadsMax: BACKGROUND_THREADS, isBackground: true });
    stops.add(() => builds.stop());
    const { settings, upstream, embedded } = order;
    const dependencies = {
      settings,
      upstream,
      clock: systemClock,
      random: systemRandom(),
      log,
      jobs,
      builds,
    };
    const ingest = embedded
      ? await startEmbedded(dependencies, embedded, stops)
      : await startShared(dependencies, stops);
    stops.add(() => ingest.stop());
    return {};
  });
}

type RoleDependencies = Omit<Parameters<typeof startIngest>[0], 'bus' | 'store' | 'folder'>;

async function startEmbedded(
  dependencies: RoleDependencies,
  { folder, port }: NonNullable<IngestOrder['embedded']>,
  stops: Stops,
): Promise<Started> {
  const store = new LmdbStore(folder, { makeRoom });
  stops.add(() => store.close());
  const bus = new ThreadIngestBus({
    clock: systemClock,
    port,
    onLost: (messages) => log.error({ messages }, 'the gateway is too slow; its subscribers miss messages'),
  });
  stops.add(() => bus.close());
  const reporting = systemClock.every(MEMORY_EVERY_MS, () => {
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    bus.publish(ingestMemoryTopic, { heapUsed, heapTotal, external, arrayBuffers });
  });
  stops.add(() => reporting.cancel());
  return startIngest({ ...dependencies, bus, store, folder });
}

async function startShared(dependencies: RoleDependencies, stops: Stops): Promise<Started> {
  const { redis: url } = dependencies.settings;
  if (url === undefined) throw new Error('the ingest thread was given neither a folder nor a Redis server');
  const { connectParts } = await import('./cluster/roles/shared-parts.ts');
  const { keepIngesting } = await import('./cluster/roles/shared-ingest.ts');
  const parts = await connectParts({ ...dependencies, url }, stops);
  return keepIngesting({ ...parts, ...dependencies });
}

const starting = start();
starting.then(
  () => report({ kind: 'started' }),
  (error: unknown) => {
    report({ kind: 'failed', error });
    process.exitCode = 1;
    parentPort?.close();
  },
);
parentPort?.on('message', (request: IngestRequest) => {
  if (request.kind === 'stop') return stop();
  waiting.get(request.id)?.();
  waiting.delete(request.id);
});

function stop(): void {
  void starting
    .then((started) => started.stop())
    .catch((error: unknown) => log.error({ err: error }, 'the ingest thread did not shut down cleanly'))
    .finally(() => process.exit());
}
