/**
 * What other callers notice of an attack from one address, and from a /48. The service runs with `QUOTA=enforce` against
 * a simulator in a separate process; attackers and the callers that are measured are further processes.
 *
 *     npm run bench:attack                   20 seconds of each attack
 *     npm run bench:attack -- --seconds 5
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import type { AttackName, AttackOrder } from './attack-client.ts';
import type { CallerOrder, CallerSeen } from './attack-caller.ts';
import { answer, judge, start } from './part.ts';
import { endProgram, program, residentMb, startProgram, untilReady } from './program.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
const seconds = Number(values.seconds);
const P99_MS_MAX = 100;
const P99_RATIO_MAX = 5;
const RESIDENT_MB_MAX = 600;

const attacks: readonly { readonly name: AttackName; readonly isProxied: boolean }[] = [
  { name: 'frames', isProxied: false },
  { name: 'pings', isProxied: false },
  { name: 'pipelines', isProxied: false },
  { name: 'expectations', isProxied: false },
  { name: 'bodies', isProxied: false },
  { name: 'requests', isProxied: false },
  { name: 'answers', isProxied: false },
  { name: 'streams', isProxied: false },
  { name: 'builds', isProxied: false },
  { name: 'aggregates', isProxied: false },
  { name: 'requests', isProxied: true },
  { name: 'answers', isProxied: true },
  { name: 'builds', isProxied: true },
  { name: 'aggregates', isProxied: true },
];

const folder = mkdtempSync(join(tmpdir(), 'crosstape-attack-'));

/** Sources that fail, and gaps of the tape since a time. */
async function damage(url: string, key: string, fromMs: number): Promise<string> {
  const health = (await (await fetch(`${url}/healthz`)).json()) as {
    failing?: readonly unknown[];
    recording?: { lost?: number };
  };
  const coverage = await fetch(`${url}/api/v1/coverage?coin=BTC&from=${fromMs}`, {
    headers: { 'X-API-Key': key },
  });
  const { data } = (await coverage.json()) as { data: readonly { readonly state: string }[] };
  const gaps = data.filter(({ state }) => state !== 'complete');
  return JSON.stringify({ failing: health.failing ?? [], lost: health.recording?.lost ?? 0, gaps });
}

async function measure(order: CallerOrder): Promise<CallerSeen> {
  return answer<CallerSeen>(start('attack-caller.ts', order));
}

const sim = await startProgram(['sim', '--port', '0']);
for (const isProxied of [false, true]) {
  const data = join(folder, isProxied ? 'proxied' : 'direct');
  const key = execFileSync(process.execPath, [program, 'keys', 'create', '--tier', 'pro', '--data', data])
    .toString()
    .match(/ct_pro_\w+/)?.[0];
  const flags = `--port 0 --upstream sim --sim-url ${sim.url} --sim-history-days 0 --quota enforce --log error`;
  const trust = isProxied ? ['--trust-proxy', '1'] : [];
  const service = await startProgram([...flags.split(' '), '--data', data, ...trust]);
  const { url, child } = service;
  await untilReady(url);
  const order = { url, key: key ?? '', seconds };
  const normal = await measure(order);
  console.log(`${isProxied ? 'a /48' : 'one address'}, normal: ${JSON.stringify(normal)}`);
  for (const attack of attacks.filter((one) => one.isProxied === isProxied)) {
    const fromMs = systemClock.now();
    const attackOrder: AttackOrder = { url, name: attack.name, isProxied };
    const attacker = start('attack-client.ts', attackOrder);
    await answer(attacker);
    const seen = await measure(order);
    const { rss } = residentMb(child);
    await endProgram({ child: attacker }).catch(() => undefined);
    console.log(`\n${attack.name}${isProxied ? ' from a /48' : ''}: ${JSON.stringify(seen)}`);
    console.log(`damage: ${await damage(url, order.key, fromMs)}`);
    for (const what of ['healthz', 'cached'] as const) {
      judge(`${what} p99`, seen[what].p99, P99_MS_MAX, 'ms');
      judge(`${what} p99 against normal`, seen[what].p99 / normal[what].p99, P99_RATIO_MAX);
    }
    judge('resident memory', rss, RESIDENT_MB_MAX, 'MB');
  }
  await endProgram(service);
}
await endProgram(sim);
rmSync(folder, { recursive: true });
process.exit();
