import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectRedis, isConnected } from '../redis.ts';

/** `REDIS_PROGRAM=valkey-server` runs the same tests on Valkey. */
const PROGRAM = process.env.REDIS_PROGRAM ?? 'redis-server';

/** Whether Redis is installed; test/install-programs.ts installs it. */
export const hasRedis = spawnSync(PROGRAM, ['--version']).status === 0;

/** Access to a server that accepts only TLS. */
export interface SecureAccess {
  /** Paths of files. */
  readonly certificate: string;
  readonly key: string;
  readonly password: string;
}

/** A Redis for one test, in its own folder, on a free loopback port. */
export class TestRedis {
  readonly port: number;
  readonly url: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'crosstape-redis-'));
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;
  /** Path of its configuration, if any. */
  #file: string | undefined;

  static async start(...options: readonly string[]): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), options);
    await redis.start();
    return redis;
  }

  static async startSecure(access: SecureAccess): Promise<TestRedis> {
    const port = await freePort();
    const redis = new TestRedis(port, secureOptions(port, access));
    await redis.start(true);
    return redis;
  }

  /** A sentinel that watches a master and decides alone that it has failed. */
  static async startSentinel(
    master: number,
    secure?: SecureAccess & { readonly masterPassword: string },
  ): Promise<TestRedis> {
    const port = await freePort();
    const redis = new TestRedis(port, [...(secure ? secureOptions(port, secure) : []), '--sentinel']);
    const file = join(redis.#folder, 'sentinel.conf');
    const lines = [
      `sentinel monitor mymaster 127.0.0.1 ${master} 1`,
      'sentinel down-after-milliseconds mymaster 500',
      'sentinel failover-timeout mymaster 5000',
      ...(secure ? [`sentinel auth-pass mymaster ${secure.masterPassword}`] : []),
    ];
    writeFileSync(file, lines.join('\n'));
    redis.#file = file;
    await redis.start(secure !== undefined);
    return redis;
  }

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#options = options;
  }

  /** Restarts with the stored data if it was stopped. */
  async start(isSecure = false): Promise<void> {
    const own = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const kind = this.#file === undefined ? ['--appendonly', 'yes', '--save', ''] : [];
    const file = this.#file === undefined ? [] : [this.#file];
    this.#child = spawn(PROGRAM, [...file, ...own, ...kind, ...this.#options], { stdio: 'ignore' });
    if (isSecure) return listens(this.port);
    const link = connectRedis(this.url);
    await isConnected(link);
    link.disconnect();
  }

  get pid(): number {
    return this.#child?.pid as number;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGCONT');
    child.kill(signal);
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function secureOptions(port: number, { certificate, key, password }: SecureAccess): readonly string[] {
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
  const tls = [
    '--port',
    '0',
    '--tls-port',
    String(port),
    '--tls-auth-clients',
    'no',
    '--tls-replication',
    'yes',
  ];
  return [...tls, ...files, '--requirepass', password];
}

/** Resolves once a port accepts connections. */
async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
  }
}

/**
 * Below the ephemeral ports, so that a restarted server finds its port free. The port 10,000 above is the cluster bus,
 * which no other test server uses.
 */
const PORTS = { from: 12_000, to: 22_000 };

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
