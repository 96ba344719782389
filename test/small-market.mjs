// A thread with the simulator of the shared service: few coins and few trades, from every source.
import { parentPort, workerData } from 'node:worker_threads';
import { startSimulator, systemClock } from '../packages/server/bundle/simulator.js';

const { url } = await startSimulator({ port: 0, clock: systemClock, ...workerData });
parentPort.postMessage(url, []);
