// Loaded into the service that `bench:ingest` measures: answers each message of the parent with the processor time of the
// process and the delay of the main thread's event loop since the message before.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const spent = {
      cpuUs: user + system,
      delayMs: { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
    };
    delay.reset();
    process.send(spent);
  });
  process.channel?.unref();
}
