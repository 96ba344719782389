import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { ListeningProxy } from './listening-proxy.ts';
import { Program } from './program.ts';

/** The browser to test with, if there is one (see install-programs.ts). */
export const chromiumPath = spawnSync('which', ['chromium']).stdout?.toString().trim() || undefined;

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'dark' | 'light';
  /** Pixels of the screen for each of the page. */
  readonly scale?: number;
}

/** Adds up how far things were moved that nobody had touched, from the very beginning. */
const NOTE_SHIFTS = `self.shifted = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) self.shifted += value;
}).observe({ type: 'layout-shift', buffered: true });`;

/** What a page did that it must not do. */
export interface Conduct {
  readonly errors: string[];
  readonly foreign: string[];
}

/** The service as a process of its own, and what it was started with. */
interface Started {
  program: Program;
  readonly flags: readonly string[];
  readonly folder: string;
}

/** For the tests of a block: hands them a dashboard before the first, leaves its pages after each, and closes it at last. */
export function openDashboard(take: (dashboard: DashboardSession) => void, flags?: readonly string[]): void {
  let dashboard: DashboardSession;
  beforeAll(async () => {
    dashboard = await DashboardSession.open(flags);
    take(dashboard);
  }, 120_000);
  afterEach(() => dashboard.leave());
  afterAll(() => dashboard.close());
}

/** A service with a simulated market of a fixed seed, and a browser that looks at it. */
export class DashboardSession {
  readonly url: string;
  /** The same for the browser: what its pages are answered is overheard. */
  readonly site: string;
  readonly browser: Browser;
  readonly #proxy: ListeningProxy;
  readonly #started: Started | undefined;
  readonly #contexts: BrowserContext[] = [];

  /** With a day of the past, unless told. */
  static async open(flags: readonly string[] = ['--sim-history-days', '1']): Promise<DashboardSession> {
    const folder = mkdtempSync(join(tmpdir(), 'crosstape-dashboard-'));
    const market = ['--upstream', 'sim', '--seed', '7', '--data', folder];
    const all = ['--log', 'error', ...market, ...flags];
    const program = new Program(['--port', '0', ...all]);
    return DashboardSession.at(await program.listening(), { program, flags: all, folder });
  }

  /** At a service that somebody else has started, unless told. */
  static async at(url: string, started?: Started): Promise<DashboardSession> {
    const launched = chromium.launch({
      executablePath: chromiumPath as string,
      args: ['--no-sandbox', '--js-flags=--expose-gc'],
    });
    await isReady(url);
    return new DashboardSession(url, await launched, await ListeningProxy.open(url), started);
  }

  private constructor(url: string, browser: Browser, proxy: ListeningProxy, started: Started | undefined) {
    this.url = url;
    this.site = proxy.url;
    this.browser = browser;
    this.#proxy = proxy;
    this.#started = started;
  }

  /** The service ends, and begins again at the same address with what it had. */
  async restart(): Promise<void> {
    const started = this.#started;
    if (!started) throw new Error('this dashboard has not started its service');
    started.program.kill('SIGTERM');
    await started.program.exitCode();
    started.program = new Program(['--port', new URL(this.url).port, ...started.flags]);
    await started.program.listening();
    await isReady(this.url);
  }

  /** A browser of its own: nothing is shared with other visitors. */
  async visitor({
    width = 1440,
    height = 900,
    theme = 'dark',
    scale = 1,
  }: VisitOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      deviceScaleFactor: scale,
    });
    await context.addInitScript(NOTE_SHIFTS);
    this.#contexts.push(context);
    return context;
  }

  /** Opens a page, and notes what it does wrong. */
  async visit(path: string, options: VisitOptions = {}): Promise<{ page: Page; conduct: Conduct }> {
    const page = await (await this.visitor(options)).newPage();
    const conduct = this.watch(page);
    await page.goto(this.site + path);
    return { page, conduct };
  }

  watch(page: Page): Conduct {
    const conduct: Conduct = { errors: [], foreign: [] };
    page.on('console', (message) => {
      if (message.type() === 'error') conduct.errors.push(message.text());
    });
    page.on('pageerror', (error) => conduct.errors.push(String(error)));
    page.on('request', (request) => {
      const own = [this.url, this.site, 'data:'];
      if (!own.some((start) => request.url().startsWith(start))) conduct.foreign.push(request.url());
    });
    return conduct;
  }

  async json<Answer>(path: string): Promise<Answer> {
    return (await (await fetch(`${this.url}/api/v1${path}`)).json()) as Answer;
  }

  /** The `data` that a page was answered last: `told(/^\/perps\/oi\?coins=/)`. */
  told<Data>(address: RegExp): Data {
    return this.#proxy.told(address);
  }

  /** A number of the gateway: sockets that are `open`, `subscriptions`. */
  async gateway(kind: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`crosstape_gateway{kind="${kind}"} (\\d+)`).exec(text)?.[1]);
  }

  /** Closes what visitors left open. */
  async leave(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.#proxy.close();
    if (!this.#started) return;
    const { program, folder } = this.#started;
    program.kill('SIGTERM');
    await program.exitCode();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isReady(url: string): Promise<void> {
  const ready = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
  await vi.waitUntil(ready, { timeout: 120_000, interval: 200 });
}
