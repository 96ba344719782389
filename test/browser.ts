import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { vi } from 'vitest';
import { Program } from './program.ts';

/** The browser to test with, if there is one (see install-programs.ts). */
export const chromiumPath = spawnSync('which', ['chromium']).stdout?.toString().trim() || undefined;

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'dark' | 'light';
}

/** What a page did that it must not do. */
export interface Conduct {
  readonly errors: string[];
  readonly foreign: string[];
}

/** A service with a simulated market of a fixed seed, and a browser that looks at it. */
export class Desk {
  readonly url: string;
  readonly browser: Browser;
  readonly #program: Program;
  readonly #folder: string;
  readonly #contexts: BrowserContext[] = [];

  static async open(flags: readonly string[] = []): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'crosstape-desk-'));
    const market = ['--upstream', 'sim', '--seed', '7', '--sim-history-days', '1', '--data', folder];
    const program = new Program(['--port', '0', '--log', 'error', ...market, ...flags]);
    const url = await program.listening();
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).ok, { timeout: 60_000, interval: 200 });
    const browser = await chromium.launch({
      executablePath: chromiumPath as string,
      args: ['--no-sandbox', '--js-flags=--expose-gc'],
    });
    return new Desk(url, browser, program, folder);
  }

  private constructor(url: string, browser: Browser, program: Program, folder: string) {
    this.url = url;
    this.browser = browser;
    this.#program = program;
    this.#folder = folder;
  }

  /** A browser of its own: nothing is shared with other visitors. */
  async visitor({ width = 1440, height = 900, theme = 'dark' }: VisitOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: theme });
    this.#contexts.push(context);
    return context;
  }

  /** Opens a page, and notes what it does wrong. */
  async visit(path: string, options: VisitOptions = {}): Promise<{ page: Page; conduct: Conduct }> {
    const page = await (await this.visitor(options)).newPage();
    const conduct = this.watch(page);
    await page.goto(this.url + path);
    return { page, conduct };
  }

  watch(page: Page): Conduct {
    const conduct: Conduct = { errors: [], foreign: [] };
    page.on('console', (message) => {
      if (message.type() === 'error') conduct.errors.push(message.text());
    });
    page.on('pageerror', (error) => conduct.errors.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.url) && !request.url().startsWith('data:'))
        conduct.foreign.push(request.url());
    });
    return conduct;
  }

  async json<Answer>(path: string): Promise<Answer> {
    return (await (await fetch(`${this.url}/api/v1${path}`)).json()) as Answer;
  }

  /** Closes what visitors left open. */
  async leave(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.#program.kill('SIGTERM');
    await this.#program.exitCode();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
