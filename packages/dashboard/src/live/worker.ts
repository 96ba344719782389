import { systemClock } from '@crosstape/client';
import { AlertEngine, type AlertPort } from '../alerts/alert-engine.ts';
import { Hub } from './hub.ts';
import type { Order } from './topic.ts';

/** The part of a worker's global that is used here: shared ones receive ports, plain ones are a port. */
interface WorkerWorld extends AlertPort {
  readonly location: { readonly origin: string };
  addEventListener(type: 'connect' | 'message', listen: (event: MessageEvent<Order>) => void): void;
}

const world = globalThis as unknown as WorkerWorld;
const hub = new Hub(world.location.origin);
const alerts = new AlertEngine(hub, systemClock);

function take(port: AlertPort, order: Order): void {
  if (order.op === 'bye') alerts.forget(port);
  else alerts.see(port);
  if (order.op === 'alerts') alerts.set(order.rules, order.met);
  else hub.take(port, order);
}

world.addEventListener('connect', ({ ports: [port] }) => {
  port?.addEventListener('message', ({ data }: MessageEvent<Order>) => take(port, data));
  port?.start();
});
world.addEventListener('message', ({ data }) => take(world, data));
