import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LmdbStore } from '../packages/server/src/store/lmdb-store.ts';
import { answer } from './part.ts';
import { endProgram, nodeFlags, startProgram } from './program.ts';

const monitor = new URL('ingest-monitor.mjs', import.meta.url).href;
const STABLE_LOOKS = 6;
const LOOK_EVERY_MS = 500;

export interface Spent {
  /** Of the whole process, and of all but the main thread: from the socket to the store. */
  readonly cpuUs: number;
  readonly ingestUs: number;
  /** Of the gateway's event loop. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** The service as people run it, with a data folder of its own, against the venues at an address. */
export class MeasuredService {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #url: string;
  readonly #simulator: string;
  #store: LmdbStore | undefined;
  #before = { cpuUs: 0, mainUs: 0 };

  private constructor(child: ChildProcess, folder: string, url: string, simulator: string) {
    this.#child = child;
    this.#folder = folder;
    this.#url = url;
    this.#simulator = simulator;
  }

  static async start(simulator: string, recordMarkets: string, profiles?: string): Promise<MeasuredService> {
    const folder = mkdtempSync(join(tmpdir(), 'crosstape-bench-ingest-'));
    const flags = ['--port', '0', '--log', 'error', '--upstream', 'sim', '--sim-url', simulator];
    const own = [
      '--sim-history-days',
      '0',
      '--backfill',
      'off',
      '--record-markets',
      recordMarkets,
      '--data',
      folder,
    ];
    const profiling = profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles];
    const node = ['--import', monitor, ...nodeFlags, ...profiling];
    const { child, url } = await startProgram([...flags, ...own], { node, hasMessages: true });
    return new MeasuredService(child, folder, url, simulator);
  }

  /** Its store, to read what is durable. */
  get store(): LmdbStore {
    this.#store ??= new LmdbStore(join(this.#folder, 'sim/23'), { isReadOnly: true });
    return this.#store;
  }

  /** Resolves when every trade feed works and no further market was subscribed to for a while. */
  async subscribed(): Promise<void> {
    for (let [same, before] = [0, '']; same < STABLE_LOOKS; ) {
      await wait(LOOK_EVERY_MS);
      const sources = await getJson<{ data: readonly Source[] }>(`${this.#url}/api/v1/sources`);
      const feeds = sources.data
        .flatMap((venue) => venue.feeds ?? [])
        .filter(({ source }) => /:(market-)?trades$/.test(source));
      const { venues } = await getJson<{ venues: Readonly<Record<string, { subscriptions?: number }>> }>(
        `${this.#simulator}/sim`,
      );
      const subscriptions = Object.entries(venues).map(([id, venue]) => `${id} ${venue.subscriptions}`);
      const now = [feeds.map(({ source }) => source), ...subscriptions].join();
      const isReady = feeds.length > 0 && feeds.every(({ status }) => status === 'ok');
      same = isReady && now === before ? same + 1 : 0;
      before = now;
    }
  }

  /** What it spent since the last call. */
  async spent(): Promise<Spent> {
    this.#child.send('spent');
    const { cpuUs, delayMs } = await answer<Pick<Spent, 'cpuUs' | 'delayMs'>>(this.#child);
    const { pid } = this.#child;
    const mainUs = Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
    const before = this.#before;
    this.#before = { cpuUs, mainUs };
    const allUs = cpuUs - before.cpuUs;
    return { cpuUs: allUs, ingestUs: allUs - (mainUs - before.mainUs), delayMs };
  }

  async stop(): Promise<void> {
    await this.#store?.close();
    await endProgram({ child: this.#child });
    rmSync(this.#folder, { recursive: true });
  }
}

interface Source {
  readonly feeds?: readonly { readonly source: string; readonly status: string }[];
}

async function getJson<Body>(url: string): Promise<Body> {
  // A busy server may close a connection just as it is used again.
  return (await (await fetch(url, { headers: { connection: 'close' } })).json()) as Body;
}
