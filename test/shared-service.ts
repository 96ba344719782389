import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium, startMarket } from './market.ts';
import { isWanted } from './wanted.ts';

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

/** Before the tests of the whole service: starts one service and one browser for all files that need no other. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!isWanted(/dashboard|docs\.test|python|samples/)) return undefined;
  const market = startMarket();
  // Without a graphics card, pages are drawn with less work when none is imitated.
  const args = ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'];
  const executablePath = findChromium();
  const browser = executablePath ? await chromium.launchServer({ executablePath, args }) : undefined;
  const { folder } = market;
  project.provide('shared', { url: await market.url, folder, browser: browser?.wsEndpoint() ?? '' });
  return async () => {
    await browser?.close();
    await market.end();
  };
}
