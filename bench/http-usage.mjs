import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Reports the port and further details to the parent, and on request the processor time used so far in microseconds and the longest delay of the event loop since the last request. */
export function reportUsage(port, more = {}) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.send?.({ port, ...more });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuUs: user + system, loopMs: delay.max / 1e6 });
    delay.reset();
  });
  process.on('disconnect', () => process.exit(0));
}
