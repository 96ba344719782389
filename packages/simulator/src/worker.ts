import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from './json.ts';
import { startSimulator } from './simulator.ts';
import { systemClock } from './system-clock.ts';
import type { SimulatorThreadOptions, ThreadGreeting } from './thread.ts';

/** The entry of the simulator's thread: reports its address or the error, and stops on any message. */
async function run(options: SimulatorThreadOptions): Promise<ThreadGreeting> {
  try {
    const simulator = await startSimulator({ ...options, clock: systemClock });
    parentPort?.once('message', () => {
      void simulator.close().finally(() => parentPort?.close());
    });
    return { url: simulator.url };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

const options: SimulatorThreadOptions = workerData;
parentPort?.postMessage(await run(options), []);
