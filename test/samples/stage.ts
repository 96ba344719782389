import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Simulator, startSimulator, systemClock as marketClock } from '@crosstape/simulator';
import { expect, vi } from 'vitest';
import { systemClock } from '../../packages/server/src/platform/system-clock.ts';
import { type Keys, openKeys } from '../../packages/server/src/features/keys/open-keys.ts';
import { chromiumPath } from '../browser.ts';
import { hasPython, python } from '../install-programs.ts';
import { Program } from '../program.ts';
import type { Sample } from './extract.ts';
import { runFrames } from './frames.ts';
import { runProgram } from './run-program.ts';
import { expectShape } from './shape.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/server/dist/main.js');
const loader = createRequire(import.meta.url).resolve('tsx');
/** Said by a program that goes on for ever before it counts as working. */
const LINES_ENOUGH = 2;
const HALF_DAY_MS = 43_200_000;
/** Where documents have a simulator that runs on its own. */
const SIMULATOR = 'localhost:9100';

function silent(): void {}

/** Whether the past of the simulated market has been recorded. */
async function hasPast(url: string): Promise<boolean> {
  const start = systemClock.now() - HALF_DAY_MS;
  const page = `coin=ETH&start=${start}&end=${start + HALF_DAY_MS / 12}`;
  const answer = await fetch(`${url}/api/v1/perps/trades/history?${page}`);
  if (!answer.ok) return false;
  const { data } = (await answer.json()) as { data: { chunks: readonly unknown[] } };
  return data.chunks.length > 0;
}

/** A service with a simulated market, and everything that a sample may ask for around it. */
export class Stage {
  readonly url: string;
  readonly #folder: string;
  /** Inside the repository's packages, so that a program finds what it imports. */
  readonly #programs: string;
  readonly #service: Program;
  readonly #keys: Keys;
  /** For samples that talk to one directly. */
  #simulator: Simulator | undefined;

  static async open(): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'crosstape-samples-'));
    const market = ['--upstream', 'sim', '--seed', '7', '--sim-history-days', '1'];
    const service = new Program(['--port', '0', '--log', 'error', ...market, '--data', folder]);
    const url = await service.listening();
    await vi.waitUntil(() => hasPast(url), { timeout: 120_000, interval: 500 });
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const keys = await openKeys({ data: folder, clock: systemClock, log, writer: 'samples' });
    return new Stage(url, folder, service, keys);
  }

  private constructor(url: string, folder: string, service: Program, keys: Keys) {
    this.url = url;
    this.#folder = folder;
    this.#service = service;
    this.#keys = keys;
    this.#programs = join(root, 'node_modules', `.samples-${process.pid}`);
    mkdirSync(this.#programs, { recursive: true });
  }

  /** Runs the samples of one document in order, as somebody would who follows it. */
  async play(samples: readonly Sample[]): Promise<void> {
    const { text: free } = await this.#keys.ring.create('free');
    const { record } = await this.#keys.ring.create('free');
    const { text: pro } = await this.#keys.ring.create('pro');
    const known: Readonly<Record<string, string>> = {
      'http://127.0.0.1:8080': this.url,
      'ws://127.0.0.1:8080': this.url.replace(/^http/, 'ws'),
      'ct_free_…': free,
      'ct_pro_…': pro,
      '9f2c41d07be6a853': record.id,
      '"since":{"ts":1790000000123,"count":2}': `"since":{"ts":${systemClock.now() - 10_000},"count":0}`,
    };
    let said: string | undefined;
    for (const sample of samples) {
      let text = sample.text;
      if (text.includes(SIMULATOR)) text = text.replaceAll(SIMULATOR, (await this.#startSimulator()).url);
      for (const [written, real] of Object.entries(known)) text = text.replaceAll(written, real);
      try {
        said = await this.#run({ ...sample, text }, said);
      } catch (error) {
        throw new Error(`${sample.file}:${sample.line} does not work: ${(error as Error).message}`, {
          cause: error,
        });
      }
    }
  }

  /** Gives what was said, for the sample that shows it. */
  async #run({ language, marks, text }: Sample, said: string | undefined): Promise<string | undefined> {
    if (marks.includes('unrun')) return undefined;
    const isEndless = marks.includes('stream') || marks.includes('endless');
    const enough = isEndless ? { linesEnough: LINES_ENOUGH } : {};
    switch (language) {
      case 'sh':
        return this.#shell(text, enough);
      case 'ts':
        return this.#program(text, enough);
      case 'python':
        return this.#python(text, enough);
      case 'js':
        expect(marks, 'JavaScript is for browsers').toEqual(['browser']);
        return this.#browser(text);
      case 'json':
        if (said === undefined || marks.includes('file')) JSON.parse(text);
        else expectShape(JSON.parse(text), JSON.parse(said.slice(said.indexOf('{'))));
        return undefined;
      case 'frames':
        await runFrames(this.url, text);
        return undefined;
      case 'text':
        return undefined;
      default:
        throw new Error(`nobody knows how to run ${language || 'a block without a language'}`);
    }
  }

  #shell(text: string, enough: { linesEnough?: number }): Promise<string> {
    const crosstape = `${process.execPath} ${main}`;
    const script = `set -euo pipefail
curl() { command curl --fail-with-body -sS "$@"; }
npx() { [ "$1" = crosstape ] && shift && ${crosstape} "$@"; }
${text}`;
    return runProgram({
      command: 'bash',
      args: ['--norc', '-c', script],
      cwd: this.#programs,
      environment: { DATA_DIR: this.#folder, UPSTREAM: 'sim', CROSSTAPE_URL: this.url },
      ...enough,
    });
  }

  async #program(text: string, enough: { linesEnough?: number }): Promise<string> {
    const file = join(this.#programs, 'sample.mts');
    writeFileSync(file, text);
    const out = await runProgram({
      command: process.execPath,
      args: ['--import', loader, file],
      cwd: root,
      environment: {},
      ...enough,
    });
    expect(out, 'what it says').not.toBe('');
    return out;
  }

  async #python(text: string, enough: { linesEnough?: number }): Promise<string | undefined> {
    if (!hasPython()) return undefined;
    const out = await runProgram({
      command: python,
      args: ['-c', text],
      cwd: this.#programs,
      environment: { PYTHONPATH: join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
      ...enough,
    });
    expect(out, 'what it prints').not.toBe('');
    return out;
  }

  async #browser(text: string): Promise<undefined> {
    if (chromiumPath === undefined) return undefined;
    const { chromium } = await import('playwright-core');
    const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage({ bypassCSP: true });
      const logged: string[] = [];
      const errors: string[] = [];
      page.on('console', (message) => (message.type() === 'error' ? errors : logged).push(message.text()));
      page.on('pageerror', (error) => errors.push(String(error)));
      // A page that does nothing itself, and may do nothing unless its policy is set aside.
      await page.goto(`${this.url}/docs/errors`);
      await page.evaluate(`(() => { ${text}\n})()`);
      await vi.waitUntil(() => logged.length >= LINES_ENOUGH || errors.length > 0, { timeout: 30_000 });
      if (errors.length > 0) throw new Error(errors.join(' '));
    } finally {
      await browser.close();
    }
    return undefined;
  }

  async #startSimulator(): Promise<Simulator> {
    this.#simulator ??= await startSimulator({ port: 0, seed: 7, rate: 1, clock: marketClock });
    return this.#simulator;
  }

  async close(): Promise<void> {
    await this.#simulator?.close();
    await this.#keys.close();
    this.#service.kill('SIGKILL');
    await this.#service.exitCode();
    rmSync(this.#programs, { recursive: true, force: true });
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
