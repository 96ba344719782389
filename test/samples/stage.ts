import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Simulator, startSimulator, systemClock as marketClock } from '@crosstape/simulator';
import { transformSync } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect, inject, vi } from 'vitest';
import { systemClock } from '../../packages/server/src/platform/system-clock.ts';
import { type Keys, openKeys } from '../../packages/server/src/features/keys/open-keys.ts';
import { FlakyProxy } from '../flaky-proxy.ts';
import { untilReady } from '../market.ts';
import { hasPython, python } from '../install-programs.ts';
import type { Sample } from './extract.ts';
import { runFrames } from './frames.ts';
import { runProgram } from './run-program.ts';
import { expectShape } from './shape.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'packages/server/bin/crosstape.js');
/** Said by a program that continues forever before it counts as working. */
const LINES_ENOUGH = 2;
/** Two minutes with a trade each, on a busy machine. */
const CANDLES_WAIT_MS = 240_000;
/** Where documents have a simulator that runs on its own. */
const SIMULATOR = 'localhost:9100';

/** How a program is run. */
interface Run {
  /** Its folder. */
  readonly place: string;
  /** Of the service. */
  readonly url: string;
  readonly linesEnough?: number;
}

function silent(): void {}

/** The start of a minute that a later one has closed: history that begins there has a trade and a closed candle. */
async function newestClosedCandle(url: string): Promise<number> {
  return vi.waitFor(
    async () => {
      const answer = await fetch(`${url}/api/v1/candles?market=hyperliquid:BTC&limit=2`);
      const { data } = (await answer.json()) as { data: { ts: number; origin: string }[] };
      expect(data.map(({ origin }) => origin)).toEqual(['tape', 'tape']);
      return (data[0] as { ts: number }).ts;
    },
    { timeout: CANDLES_WAIT_MS, interval: 500 },
  );
}

/** A service with a simulated market, and everything that a sample may ask for around it. */
export class Stage {
  readonly #url: string;
  readonly #folder: string;
  /** Inside the repository's packages, so that a program finds what it imports. */
  readonly #programs: string;
  readonly #keys: Keys;
  /** Played so far; each has its own folder. */
  #documents = 0;
  /** For samples that talk to one directly. */
  #simulator: Promise<Simulator> | undefined;

  static async open(): Promise<Stage> {
    const { url, folder } = inject('shared');
    await untilReady(url);
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    return new Stage(
      url,
      folder,
      await openKeys({ data: folder, clock: systemClock, log, writer: 'samples' }),
    );
  }

  private constructor(url: string, folder: string, keys: Keys) {
    this.#url = url;
    this.#folder = folder;
    this.#keys = keys;
    this.#programs = join(root, 'node_modules', `.samples-${process.pid}`);
  }

  /** Runs the samples of one document in order, like a reader who follows it. */
  async play(samples: readonly Sample[]): Promise<void> {
    const proxy = await FlakyProxy.open(this.#url);
    try {
      await this.#follow(samples, proxy.url);
    } finally {
      proxy.close();
    }
  }

  async #follow(samples: readonly Sample[], url: string): Promise<void> {
    const { text: free } = await this.#keys.ring.create('free');
    const { record } = await this.#keys.ring.create('free');
    const { text: pro } = await this.#keys.ring.create('pro');
    const minute = samples.some(({ text }) => text.includes('"since":')) && (await newestClosedCandle(url));
    const known: Readonly<Record<string, string>> = {
      'http://127.0.0.1:8080': url,
      'ws://127.0.0.1:8080': url.replace(/^http/, 'ws'),
      'ct_free_…': free,
      'ct_pro_…': pro,
      '9f2c41d07be6a853': record.id,
      '"since":{"ts":1790000000123,"count":2}': `"since":{"ts":${minute},"count":0}`,
      '"since":1789999980000': `"since":${minute}`,
    };
    const place = join(this.#programs, String((this.#documents += 1)));
    mkdirSync(place, { recursive: true });
    let output: string | undefined;
    for (const sample of samples) {
      let text = sample.text;
      if (text.includes(SIMULATOR)) text = text.replaceAll(SIMULATOR, (await this.#startSimulator()).url);
      for (const [written, real] of Object.entries(known)) text = text.replaceAll(written, real);
      try {
        output = await this.#run({ ...sample, text }, { output, place, url });
      } catch (error) {
        throw new Error(`${sample.file}:${sample.line} does not work: ${(error as Error).message}`, {
          cause: error,
        });
      }
    }
  }

  /** Gives what was said, for the sample that shows it. */
  async #run(
    { language, marks, text }: Sample,
    { output, place, url }: { output: string | undefined; place: string; url: string },
  ): Promise<string | undefined> {
    // Those of the lake are run over a month of files, by lake-clients.test.ts.
    if (marks.includes('unrun') || marks.includes('lake')) return undefined;
    const isEndless = marks.includes('stream') || marks.includes('endless');
    const run = { place, url, ...(isEndless && { linesEnough: LINES_ENOUGH }) };
    switch (language) {
      case 'sh':
        return this.#shell(text, run);
      case 'ts':
        return this.#program(text, run);
      case 'python':
        return this.#python(text, run);
      case 'js':
        expect(marks, 'JavaScript is for browsers').toEqual(['browser']);
        return this.#browser(text, url);
      case 'json':
        if (output === undefined || marks.includes('file')) JSON.parse(text);
        else expectShape(JSON.parse(text), JSON.parse(output.slice(output.indexOf('{'))));
        return undefined;
      case 'frames':
        await runFrames(url, text);
        return undefined;
      case 'text':
        return undefined;
      default:
        throw new Error(`no runner for ${language || 'a block without a language'}`);
    }
  }

  #shell(text: string, { place, url, ...enough }: Run): Promise<string> {
    const crosstape = `${process.execPath} ${main}`;
    const script = `set -euo pipefail
curl() { command curl --fail-with-body -sS "$@"; }
npx() { [ "$1" = crosstape ] && shift && ${crosstape} "$@"; }
${text}`;
    return runProgram({
      command: 'bash',
      args: ['--norc', '-c', script],
      cwd: place,
      environment: { DATA_DIR: this.#folder, UPSTREAM: 'sim', BACKFILL: 'off', CROSSTAPE_URL: url },
      ...enough,
    });
  }

  async #program(text: string, { place, url: _, ...enough }: Run): Promise<string> {
    const file = join(place, 'sample.mjs');
    writeFileSync(file, transformSync(text, { loader: 'ts', target: 'node20' }).code);
    const out = await runProgram({
      command: process.execPath,
      args: [file],
      cwd: root,
      environment: {},
      ...enough,
    });
    expect(out, 'what it says').not.toBe('');
    return out;
  }

  async #python(text: string, { place, url: _, ...enough }: Run): Promise<string | undefined> {
    if (!hasPython()) return undefined;
    const out = await runProgram({
      command: python,
      args: ['-c', text],
      cwd: place,
      environment: { PYTHONPATH: join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
      ...enough,
    });
    expect(out, 'what it prints').not.toBe('');
    return out;
  }

  async #browser(text: string, url: string): Promise<undefined> {
    const { browser: endpoint } = inject('shared');
    if (endpoint === '') return undefined;
    const browser = await chromium.connect(endpoint);
    try {
      const page = await browser.newPage({ bypassCSP: true });
      const logged: string[] = [];
      const errors: string[] = [];
      page.on('console', (message) => (message.type() === 'error' ? errors : logged).push(message.text()));
      page.on('pageerror', (error) => errors.push(String(error)));
      // A page that does nothing itself, and may do nothing unless its policy is set aside.
      await page.goto(`${url}/docs/errors`);
      await page.evaluate(`(() => { ${text}\n})()`);
      await vi.waitUntil(() => logged.length >= LINES_ENOUGH || errors.length > 0, { timeout: 30_000 });
      if (errors.length > 0) throw new Error(errors.join(' '));
    } finally {
      await browser.close();
    }
    return undefined;
  }

  #startSimulator(): Promise<Simulator> {
    this.#simulator ??= startSimulator({ port: 0, seed: 7, rate: 1, clock: marketClock });
    return this.#simulator;
  }

  async close(): Promise<void> {
    await (await this.#simulator)?.close();
    await this.#keys.close();
    rmSync(this.#programs, { recursive: true, force: true });
  }
}
