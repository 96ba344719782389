import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cases } from './rotations-cases.mjs';
import { COIN } from './rotations-tape.mjs';

const PACE_MS = 5;
const PHASE_MS = 8_000;
const PROBE = '/api/v1/perps/oi?coins=BTC,ETH';

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** What callers of the whole service notice while nothing, a plain CPU burner, a build, or two builds run in it. */
export async function measureService(dataFolder) {
  const child = fork(fileURLToPath(new URL('rotations-subject.mjs', import.meta.url)), [dataFolder]);
  const [{ port }] = await once(child, 'message');
  const service = { child, port };
  await warmUp(service);

  const rows = [await phase(service, 'nothing', () => sleep(PHASE_MS))];
  await send(service, { burn: true });
  rows.push(await phase(service, 'a plain CPU burner', () => sleep(PHASE_MS)));
  await send(service, { burn: false });
  rows.push(await phase(service, 'one build after another', () => buildAll(service, 1)));
  rows.push(await phase(service, 'two builds at a time', () => buildAll(service, 2)));
  child.disconnect();
  agent.destroy();
  console.log('the service meanwhile: REST latency of a caller, and delay of its event loop, in ms');
  console.table(rows);
  const [, , one, two] = rows;
  const gain = one['wall s'] / two['wall s'];
  console.log(
    `two builds at a time use ${two['CPU / wall']} cores and are done in 1/${gain.toFixed(2)} of the time`,
  );
  const isFree = one['loop p99'] < 20;
  console.log(`event-loop delay during a build: ${one['loop p99']} ms at p99 (less than 20)`);
  if (!isFree) process.exitCode = 1;
}

async function phase(service, name, work) {
  await send(service, { reset: true });
  const before = await send(service, { usage: true });
  const startedMs = performance.now();
  const done = work().then(() => true);
  const latencies = [];
  for (let isDone = false; !isDone; ) {
    const askedMs = performance.now();
    await ask(service, PROBE);
    latencies.push(performance.now() - askedMs);
    isDone = await Promise.race([done, sleep(PACE_MS, false)]);
  }
  const wallS = (performance.now() - startedMs) / 1_000;
  const after = await send(service, { usage: true });
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share) => Number(sorted[Math.floor(share * (sorted.length - 1))].toFixed(1));
  return {
    'while there runs': name,
    'wall s': Number(wallS.toFixed(2)),
    'CPU / wall': Number(((after.cpuUs - before.cpuUs) / 1e6 / wallS).toFixed(2)),
    'REST p50': at(0.5),
    'REST p99': at(0.99),
    'loop p50': after.loopP50Ms,
    'loop p99': after.loopP99Ms,
  };
}

/** Every case once, with a limit of concurrent ones; `days` differ, so that no result is reused. */
async function buildAll(service, atATime) {
  const days = 7 - atATime / 10_000;
  const waiting = [...cases];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await build(service, { ...next, days });
  };
  await Promise.all(Array.from({ length: atATime }, work));
}

async function build(service, spec) {
  const body = JSON.stringify({ coin: COIN, tick: 1, ...spec });
  const { data } = await ask(service, '/api/v1/perps/rotations/build', body);
  for (;;) {
    const { data: job } = await ask(service, `/api/v1/perps/rotations/job?id=${data.jobId}`);
    if (job.status === 'error') throw new Error(job.error);
    if (job.status === 'done') return;
    await sleep(20);
  }
}

/** The code of threads and handlers is compiled, and the market is known. */
async function warmUp(service) {
  for (;;) {
    const { error } = await ask(service, PROBE).catch((failure) => ({ error: failure }));
    if (error === undefined) break;
    await sleep(100);
  }
  await Promise.all([0.01, 0.02].map((days) => build(service, { ...cases[0], days })));
}

async function send({ child }, message) {
  child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

function ask({ port }, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request({ port, path, method, headers, agent, host: '127.0.0.1' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('error', reject).on('end', () => {
        const answer = JSON.parse(text);
        if (response.statusCode === 200) resolve(answer);
        else reject(new Error(answer.error));
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
