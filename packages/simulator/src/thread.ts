import { Worker } from 'node:worker_threads';
import type { SimulatorSize } from './market/pace.ts';
import type { Scenario } from './scenario.ts';

/** Options of the thread: plain data. */
export interface SimulatorThreadOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly seed: number;
  readonly rate?: number;
  readonly size?: SimulatorSize;
  readonly scenario?: Scenario;
}

export interface SimulatorThread {
  readonly url: string;
  /** Resolves when the thread has ended. */
  stop(): Promise<void>;
}

/** The thread's first message. */
export type ThreadGreeting = { readonly url: string } | { readonly error: string };

/** Starts a simulator on the system clock in a separate thread, so that it takes no time from this one. */
export async function startSimulatorThread(options: SimulatorThreadOptions): Promise<SimulatorThread> {
  const worker = openWorker(options);
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const greeting = await new Promise<ThreadGreeting>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the simulator's thread ended with code ${code}`)));
  });
  if ('error' in greeting) {
    await worker.terminate();
    throw new Error(greeting.error);
  }
  return {
    url: greeting.url,
    async stop() {
      worker.postMessage('stop', []);
      await exited;
    },
  };
}

/** From a build the entry runs as it is; from source, `tsx` has to be registered inside the thread first. */
function openWorker(workerData: SimulatorThreadOptions): Worker {
  const entry = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
  if (!entry.pathname.endsWith('.ts')) return new Worker(entry, { workerData });
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); })`;
  return new Worker(code, { eval: true, workerData, execArgv: ['--conditions=crosstape-source'] });
}
