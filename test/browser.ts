import { text as textOf } from 'node:stream/consumers';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { ListeningProxy, type RefusalCode } from './listening-proxy.ts';
import { untilReady } from './market.ts';

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'dark' | 'light';
  /** Pixels of the screen for each of the page. */
  readonly scale?: number;
  /** A phone: fingers instead of a mouse. */
  readonly isTouch?: boolean;
  /** Whether the tour is shown; default: this browser has seen it. */
  readonly hasTour?: boolean;
}

const USUAL_SIZE = { width: 1440, height: 900 };
const BLANK = 'about:blank';

/** For anything that a page is to do, also on a busy machine. */
const PATIENCE_MS = 120_000;

/** Sums layout shifts without user input, from the very beginning. */
const NOTE_SHIFTS = `self.shifted = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) self.shifted += value;
}).observe({ type: 'layout-shift', buffered: true });`;

/** Drawing as often as a screen would be most of what a page costs. */
const FRAME_MS = 100;
const FEW_FRAMES = `{
  const draw = self.requestAnimationFrame.bind(self);
  const cancelled = new Set();
  self.requestAnimationFrame = (run) => {
    const id = setTimeout(() => draw((at) => cancelled.delete(id) || run(at)), ${FRAME_MS});
    return id;
  };
  self.cancelAnimationFrame = (id) => {
    clearTimeout(id);
    cancelled.add(id);
  };
}`;

/** Some visitors can keep nothing. */
const SAW_TOUR = "try { localStorage.setItem('crosstape.tour', 'true'); } catch {}";

/** What a page did that it must not do. */
export interface Conduct {
  readonly errors: string[];
  readonly foreign: string[];
}

/** For the tests of a block: a dashboard of the shared service, and no page left open after each. */
export function openDashboard(take: (dashboard: DashboardSession) => void): void {
  let dashboard: DashboardSession;
  beforeAll(async () => {
    dashboard = await DashboardSession.at(inject('shared').url);
    take(dashboard);
  });
  afterEach(() => dashboard.leave());
  afterAll(() => dashboard.close());
}

/** A service, and a browser that looks at it. */
export class DashboardSession {
  readonly url: string;
  /** The same for the browser: what its pages are answered is overheard. */
  readonly site: string;
  readonly browser: Browser;
  readonly #proxy: ListeningProxy;
  readonly #contexts: BrowserContext[] = [];
  /** Of visits without options: what pages load is cached from one test to the next. */
  #usual: Promise<BrowserContext> | undefined;

  /** Resolves when the service is ready. */
  static async at(url: string): Promise<DashboardSession> {
    const connected = chromium.connect(inject('shared').browser);
    await untilReady(url);
    return new DashboardSession(url, await connected, await ListeningProxy.open(url));
  }

  private constructor(url: string, browser: Browser, proxy: ListeningProxy) {
    this.url = url;
    this.site = proxy.url;
    this.browser = browser;
    this.#proxy = proxy;
  }

  /** A browser of its own: nothing is shared with other visitors. */
  async visitor(options: VisitOptions = {}): Promise<BrowserContext> {
    const context = await this.#open(options);
    this.#contexts.push(context);
    return context;
  }

  async #open({
    width = USUAL_SIZE.width,
    height = USUAL_SIZE.height,
    theme = 'dark',
    scale = 1,
    hasTour = false,
    isTouch = false,
  }: VisitOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      deviceScaleFactor: scale,
      hasTouch: isTouch,
      isMobile: isTouch,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(NOTE_SHIFTS);
    await context.addInitScript(FEW_FRAMES);
    if (!hasTour) await context.addInitScript(SAW_TOUR);
    return context;
  }

  /** Opens a page, and notes what it does wrong. */
  async visit(path: string, options?: VisitOptions): Promise<{ page: Page; conduct: Conduct }> {
    const context = await (options ? this.visitor(options) : (this.#usual ??= this.#open({})));
    const page = context.pages().find((one) => one.url() === BLANK) ?? (await context.newPage());
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

  /** The `data` that a page was answered last: `answerTo(/^\/perps\/oi\?coins=/)`. */
  answerTo<Data>(address: RegExp): Data {
    return this.#proxy.answerTo(address);
  }

  /** From now on pages are refused what they request at such addresses: `/^\/flows\/cvd/`; `undefined`: nothing. */
  refuse(address: RegExp | undefined, code: RefusalCode = 'internal'): void {
    this.#proxy.refused = address;
    this.#proxy.refusal = code;
  }

  /** A number of the gateway: sockets that are `open`, `subscriptions`. */
  async gateway(kind: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`crosstape_gateway{kind="${kind}"} (\\d+)`).exec(text)?.[1]);
  }

  /** Sockets that its visitors have open. */
  get openSockets(): number {
    return this.#proxy.openSockets;
  }

  /** Closes what visitors left open. Those after them have what an address may ask for in a minute to themselves. */
  async leave(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
    if (this.#usual) await this.#forget(await this.#usual);
    this.#proxy.refused = undefined;
    this.#proxy.changeAddress();
  }

  /** Leaves one empty page, as it was opened, and removes what pages stored. */
  async #forget(context: BrowserContext): Promise<void> {
    const [page, ...others] = context.pages();
    for (const one of others) await one.close();
    if (!page) return;
    for (const event of ['console', 'pageerror', 'request'] as const) page.removeAllListeners(event);
    await page.unrouteAll();
    await page.goto(BLANK);
    await page.setViewportSize(USUAL_SIZE);
    const session = await context.newCDPSession(page);
    const storageTypes = 'local_storage,indexeddb,cache_storage';
    await session.send('Storage.clearDataForOrigin', { origin: this.site, storageTypes });
    await session.detach();
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.#proxy.close();
  }
}

/** The text of the file that a page lets its visitor save next. */
export async function savedText(page: Page, act: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return textOf(await download.createReadStream());
}
