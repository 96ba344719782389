import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium } from '../test/market.ts';

/**
 * Takes a picture of every page of the dashboard at two widths into docs/screenshots, of a simulated market with a
 * fixed seed and two days of history:
 *
 *     npm run screenshots
 */
const pages = {
  overview: '/',
  market: '/m/BTC?kind=range',
  charts: '/charts',
  screener: '/screener',
  perps: '/perps',
  funding: '/funding?coin=BTC',
  options: '/options/BTC',
  flows: '/flows',
  onchain: '/onchain',
  prediction: '/prediction',
  alerts: '/alerts',
  data: '/data',
  audit: '/audit',
  profile: '/profile',
  status: '/status',
};
/** Alerts that the browser keeps. */
const alerts = [
  { kind: 'price', side: 'above', value: 120_000, minutes: 0 },
  { kind: 'fundingSpread', side: 'above', value: 20, minutes: 0 },
  { kind: 'liquidations', side: 'above', value: 2_000_000, minutes: 15 },
  { kind: 'cvd', side: 'below', value: -5_000_000, minutes: 15 },
].map((rule, i) => ({ ...rule, id: String(i), subject: 'BTC', isOn: true }));
const widths = [
  { name: 'wide', width: 1920, height: 1080, theme: 'dark' },
  { name: 'phone', width: 390, height: 844, theme: 'light' },
] as const;
/** Time for the first round of all sources, and for the builds and requests of one page. */
const WARM_MS = 30_000;
const SETTLED_MS = 7_000;
const REDRAWN_MS = 500;
const LOADED_MS = 120_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'crosstape-pictures-'));
const target = join(root, 'docs/screenshots');
mkdirSync(target, { recursive: true });
const flags =
  `--port 0 --log error --upstream sim --seed 7 --sim-history-days 2 --sim-market-history-hours 2 --data ${folder}`.split(
    ' ',
  );
const service = spawn(process.execPath, [join(root, 'packages/server/bin/crosstape.js'), ...flags], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise<string>((resolve) => {
  let out = '';
  service.stdout.on('data', (part: Buffer) => {
    out += part.toString();
    const found = /listening on (\S+)/.exec(out)?.[1];
    if (found) resolve(found);
  });
});
while (!(await hasPast()) || !(await isAudited())) await new Promise((resolve) => setTimeout(resolve, 1_000));
await new Promise((resolve) => setTimeout(resolve, WARM_MS));
const executablePath = findChromium();
if (executablePath === undefined) throw new Error('chromium is not on the PATH');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
for (const { name, width, height, theme } of widths) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const kept = JSON.stringify(JSON.stringify(alerts));
  await context.addInitScript(`localStorage.setItem('crosstape.alerts', ${kept});
    localStorage.setItem('crosstape.tour', 'true');`);
  for (const [page, path] of Object.entries(pages)) {
    if (wanted.length > 0 && !wanted.includes(page)) continue;
    const tab = await context.newPage();
    await tab.goto(url + path);
    // However busy the machine is: no picture of panels that wait for their figures.
    await tab.locator('[data-freshness=loading]').first().waitFor({ state: 'detached', timeout: LOADED_MS });
    await tab.waitForTimeout(SETTLED_MS);
    // As if the window were as high as the page: the navigation is as high as the window.
    const wholeHeight = await tab.evaluate<number>('document.documentElement.scrollHeight');
    await tab.setViewportSize({ width, height: Math.max(height, wholeHeight) });
    await tab.waitForTimeout(REDRAWN_MS);
    await tab.screenshot({ path: join(target, `${page}-${name}.png`) });
    await tab.close();
    console.log(`${page} ${name}`);
  }
  await context.close();
}
await browser.close();
service.kill('SIGTERM');
await new Promise((resolve) => service.once('exit', resolve));
rmSync(folder, { recursive: true, force: true });

/** Whether the simulated past has been laid down: the tape knows the last half hours. */
async function hasPast(): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/perps/tickers?coins=BTC`);
  if (!response.ok) return false;
  const { data } = (await response.json()) as { data: readonly { closes: readonly (number | null)[] }[] };
  const closes = data[0]?.closes ?? [];
  return closes.length > 0 && closes.every((close) => close !== null);
}

/** Whether the last hours have been compared with the venues. */
async function isAudited(): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/audit/summary`);
  return ((await response.json()) as { data: { nextAt?: number } }).data.nextAt !== undefined;
}
