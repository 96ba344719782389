import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { isLong } from './long.ts';
import { findChromium, HISTORY, startMarket } from './market.ts';
import { sharedUsers } from './shared-users.ts';
import { isWanted } from './wanted.ts';
import { coinsOfVenues } from './world-coins.ts';

/** What the tests share that read a service and change nothing for each other. */
export interface SharedService {
  /** Of a service with a day of history. It may still be recording it. */
  readonly url: string;
  /** Its data folder. */
  readonly folder: string;
  /** Where the browser takes commands; empty without one. */
  readonly browser: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly shared: SharedService;
  }
}

/** Of the usual number of trades. */
const RATE = 0.3;

const LOOK_EVERY_MS = 1_000;

/** Before the tests of the whole service: starts one service and one browser for all files that need no other. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!isWanted(sharedUsers)) return undefined;
  // With LONG=1 it is the market that users see, with all its coins.
  const simulator = isLong ? undefined : startSmallMarket();
  const market = startMarket(simulator && ['--sim-url', await simulator.url, ...HISTORY]);
  // Without a graphics card, pages are drawn with less work when none is imitated.
  const args = ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'];
  const executablePath = findChromium();
  const browser = executablePath ? await chromium.launchServer({ executablePath, args }) : undefined;
  const { folder } = market;
  project.provide('shared', { url: await market.url, folder, browser: browser?.wsEndpoint() ?? '' });
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> =>
    (ended ??= (async () => {
      await browser?.close();
      await market.end();
      await simulator?.thread.terminate();
    })());
  const { testFiles } = await project.globTestFiles();
  const users = testFiles.filter((file) => sharedUsers.test(file));
  // What it costs after its last user would be taken from the tests that follow.
  const looking = systemClock.every(LOOK_EVERY_MS, () => {
    if (!project.config.watch && haveEnded(project, users)) void end();
  });
  return async () => {
    looking.cancel();
    await end();
  };
}

function haveEnded({ vitest }: TestProject, files: readonly string[]): boolean {
  const states = new Map(vitest.state.getTestModules().map((one) => [one.moduleId, one.state()]));
  return files.every((file) => !['pending', 'queued', undefined].includes(states.get(file)));
}

/** A simulator on a thread, at a fifth of the usual cost. */
function startSmallMarket(): { readonly thread: Worker; readonly url: Promise<string> } {
  const workerData = { seed: 7, rate: RATE, coins: coinsOfVenues };
  const thread = new Worker(new URL('./small-market.mjs', import.meta.url), { workerData });
  return { thread, url: once(thread, 'message').then(([url]) => url as string) };
}
