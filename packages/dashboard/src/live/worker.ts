import { Hub, type Port } from './hub.ts';
import type { Order } from './topic.ts';

/** The part of a worker's global that is used here: shared ones receive ports, plain ones are a port. */
interface WorkerWorld extends Port {
  readonly location: { readonly origin: string };
  addEventListener(type: 'connect' | 'message', listen: (event: MessageEvent<Order>) => void): void;
}

const world = globalThis as unknown as WorkerWorld;
const hub = new Hub(world.location.origin);

world.addEventListener('connect', ({ ports: [port] }) => {
  port?.addEventListener('message', ({ data }: MessageEvent<Order>) => hub.take(port, data));
  port?.start();
});
world.addEventListener('message', ({ data }) => hub.take(world, data));
