import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform/system-clock.ts';
import { ThreadIngestBus } from '../../platform/thread-ingest-bus.ts';
import type { IngestOrder, IngestRequest } from '../ingest-thread.ts';

/** How the thread ends: by an error, by an unhandled rejection, or by `process.exit`. */
export type Crash = 'error' | 'rejection' | 'exit';

/** An ingest thread that publishes one health, and crashes when the gateway publishes `crash`. */
const { embedded } = workerData as IngestOrder;
if (!embedded) throw new Error('no embedded order');
const bus = new ThreadIngestBus({ clock: systemClock, port: embedded.port, onLost: () => undefined });
bus.publish({ name: 'health', keep: { kind: 'latest' } }, { folder: embedded.folder });
bus.subscribe({ name: 'crash', keep: { kind: 'latest' }, by: 'gateway' }, (crash) => {
  const error = new Error('crashed on request');
  if (crash === 'error') throw error;
  if (crash === 'exit') process.exit(7);
  void Promise.reject(error);
});
parentPort?.postMessage({ kind: 'started' }, []);
parentPort?.on('message', ({ kind }: IngestRequest) => {
  if (kind !== 'stop') return;
  parentPort?.postMessage({ kind: 'log', level: 'info', fields: {}, message: 'stopped in order' }, []);
  process.exit();
});
