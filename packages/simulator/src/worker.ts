import { parentPort, workerData } from 'node:worker_threads';
import { startSimulator } from './simulator.ts';
import { systemClock } from './system-clock.ts';
import type { SimulatorThreadOptions, ThreadGreeting } from './thread.ts';

/** The entry of the simulator's thread: greets with its address or what went wrong, and stops on `stop`. */
async function run(): Promise<void> {
  const greet = (greeting: ThreadGreeting): void => parentPort?.postMessage(greeting);
  try {
    const simulator = await startSimulator({ ...(workerData as SimulatorThreadOptions), clock: systemClock });
    parentPort?.once('message', () => {
      void simulator.close().then(() => parentPort?.close());
    });
    greet({ url: simulator.url });
  } catch (error) {
    greet({ error: error instanceof Error ? error.message : String(error) });
  }
}

await run();
