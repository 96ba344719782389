/**
 * What other callers notice of an attack from one address, and from a /48. The service runs with `QUOTA=enforce` against
 * a simulator in a separate process; attackers and the callers that are measured are further processes.
 *
 *     npm run bench:attack                   20 seconds of each attack
 *     npm run bench:attack -- --seconds 5
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import type { AttackName, AttackOrder } from './attack-client.ts';
import type { CallerOrder, CallerSeen } from './attack-caller.ts';
import { answer, judge, start } from './part.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
const seconds = Number(values.seconds);
const main = fileURLToPath(new URL('../packages/server/bin/crosstape.js', import.meta.url));
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
const children: ChildProcess[] = [];

/** Starts the program and returns the address that it prints. */
async function run(args: readonly string[], ready: RegExp): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let text = '';
  for await (const part of child.stdout) {
    text += String(part);
    const url = ready.exec(text)?.[1];
    if (url !== undefined) {
      child.stdout.resume();
      return { child, url };
    }
  }
  throw new Error(`${args[0]} ended: ${text}`);
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function residentMb({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

async function settle(url: string): Promise<void> {
  for (;;) {
    const { status } = await fetch(`${url}/readyz`);
    if (status === 200) return;
    await new Promise<void>((resolve) => {
      systemClock.after(500, resolve);
    });
  }
}

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
  const child = start('attack-caller.ts', order);
  children.push(child);
  return answer<CallerSeen>(child);
}

const sim = await run(['sim', '--port', '0'], /(http:\/\/[\d.]+:\d+)/);
for (const isProxied of [false, true]) {
  const data = join(folder, isProxied ? 'proxied' : 'direct');
  const key = execFileSync(process.execPath, [main, 'keys', 'create', '--tier', 'pro', '--data', data])
    .toString()
    .match(/ct_pro_\w+/)?.[0];
  const flags = `--port 0 --upstream sim --sim-url ${sim.url} --sim-history-days 0 --quota enforce --log error`;
  const trust = isProxied ? ['--trust-proxy', '1'] : [];
  const service = await run([...flags.split(' '), '--data', data, ...trust], /listening on (\S+)/);
  const { url, child } = service;
  await settle(url);
  const order = { url, key: key ?? '', seconds };
  const normal = await measure(order);
  console.log(`${isProxied ? 'a /48' : 'one address'}, normal: ${JSON.stringify(normal)}`);
  for (const attack of attacks.filter((one) => one.isProxied === isProxied)) {
    const fromMs = systemClock.now();
    const attackOrder: AttackOrder = { url, name: attack.name, isProxied };
    const attacker = start('attack-client.ts', attackOrder);
    children.push(attacker);
    await answer(attacker);
    const seen = await measure(order);
    const residentNow = residentMb(child);
    await end(attacker).catch(() => undefined);
    console.log(`\n${attack.name}${isProxied ? ' from a /48' : ''}: ${JSON.stringify(seen)}`);
    console.log(`damage: ${await damage(url, order.key, fromMs)}`);
    for (const what of ['healthz', 'cached'] as const) {
      judge(`${what} p99`, seen[what].p99, P99_MS_MAX, 'ms');
      judge(`${what} p99 against normal`, seen[what].p99 / normal[what].p99, P99_RATIO_MAX);
    }
    judge('resident memory', residentNow, RESIDENT_MB_MAX, 'MB');
  }
  await end(child);
}
await end(sim.child);
rmSync(folder, { recursive: true });
process.exit();
