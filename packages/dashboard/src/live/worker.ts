import { Hub, type Port } from './hub.ts';
import type { Order } from './topic.ts';

/** As much of a worker's world as is used here: shared ones are told of ports, plain ones are a port. */
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
