/** The whole service as it was built, on a recorded tape; reports the delay of its event loop, and burns a core on command. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { createLog, readSettings, startService } from '@crosstape/server';
import { venues } from '@crosstape/venues';
import { SEED } from './rotations-tape.mjs';

const [dataFolder] = process.argv.slice(2);
const flags = [
  '--port',
  '0',
  '--upstream',
  'sim',
  '--seed',
  String(SEED),
  '--data',
  dataFolder,
  '--quota',
  'off',
];
const { settings } = readSettings(flags, { RECORD_MARKETS: 'primary' }, venues);
const service = await startService({ settings, log: createLog({ level: 'error' }) });
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

let burner;
process.on('message', async ({ reset, usage, burn }) => {
  if (reset) delay.reset();
  if (burn) burner = new Worker('for (;;);', { eval: true });
  else if (burn === false) await burner.terminate();
  const { user, system } = process.cpuUsage();
  const ms = (share) => Number((delay.percentile(share) / 1e6).toFixed(1));
  process.send(usage ? { cpuUs: user + system, loopP50Ms: ms(50), loopP99Ms: ms(99) } : {});
});
process.on('disconnect', async () => {
  await service.stop();
  process.exit(0);
});
process.send({ port: Number(new URL(service.url).port) });
