import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as realMs } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Starts the built service under every supported version of Node and asks it a few things:
 *
 *     npm run build && npm run check:node
 *     npm run check:node -- 24
 *
 * Downloads the versions from the npm registry (about 45 MB each), so it is not part of `npm run check`.
 */
const supported = ['20.19', '22', '24'];
// On a busy machine a start takes a minute: these only end what hangs.
const READY_MS = 240_000;
const STOP_MS = 120_000;
const paths = ['/healthz', '/api/v1/perps/oi?coins=BTC', '/api/v1/sources', '/', '/docs'];

const program = fileURLToPath(new URL('../packages/server/bin/crosstape.js', import.meta.url));
const chosen = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'crosstape-node-'));
try {
  for (const version of chosen.length > 0 ? chosen : supported) await check(version);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function check(version: string): Promise<void> {
  const node = install(version);
  const exact = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const data = join(folder, `data-${version}`);
  const flags = [
    '--port',
    '0',
    '--upstream',
    'sim',
    '--sim-history-days',
    '1',
    '--sim-market-history-hours',
    '0',
    '--data',
    data,
  ];
  const service = spawn(node, [program, ...flags, '--log', 'error'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(service, 'exit');
  try {
    const url = await listeningUrl(service);
    await untilReady(url);
    for (const path of paths) await expectOk(url + path);
  } finally {
    service.kill('SIGTERM');
  }
  const killer = setTimeout(() => service.kill('SIGKILL'), STOP_MS);
  const [code] = (await exited) as [number | null];
  clearTimeout(killer);
  if (code !== 0) throw new Error(`Node ${exact}: the service ended with code ${code}`);
  console.log(`Node ${exact}: ok`);
}

/** The packages named after a platform hold the plain binary, without an install script. */
function install(version: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(folder, version);
  const args = ['install', '--no-save', '--silent', '--prefix', prefix, `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}@${version} cannot be installed: ${stderr}`);
  return join(prefix, 'node_modules', name, 'bin/node');
}

async function listeningUrl(service: ChildProcess): Promise<string> {
  let out = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`does not listen after ${READY_MS} ms`)), READY_MS);
    service.stdout?.on('data', (part: Buffer) => {
      out += part.toString();
      const url = /listening on (\S+)/.exec(out)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    service.once('exit', (code) => reject(new Error(`ended with code ${code} before it listened`)));
  });
}

/** It listens before its sources have answered. */
async function untilReady(url: string): Promise<void> {
  const deadlineMs = performance.now() + READY_MS;
  while (!(await fetch(`${url}/readyz`)).ok) {
    if (performance.now() > deadlineMs) throw new Error(`not ready after ${READY_MS} ms`);
    await realMs(200);
  }
}

async function expectOk(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  await response.arrayBuffer();
}
