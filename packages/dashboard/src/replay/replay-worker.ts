import type { ReplayOrder, ReplayReport } from './replay-order.ts';
import { Replays } from './replays.ts';

/** The part of a worker's global that is used here. */
interface WorkerWorld {
  readonly location: { readonly origin: string };
  addEventListener(type: 'message', listen: (event: MessageEvent<ReplayOrder>) => void): void;
  postMessage(report: ReplayReport): void;
}

const world = globalThis as unknown as WorkerWorld;
const replays = new Replays(world.location.origin, (report) => world.postMessage(report));

world.addEventListener('message', ({ data: order }) => replays.take(order));
