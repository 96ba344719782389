import { execFile } from 'node:child_process';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { isLong } from './long.ts';

const WAIT = { timeout: 60_000, interval: 100 };
/** Where a page begins to feel unsteady: https://web.dev/articles/cls */
const SHIFT_MAX = 0.1;
/** A page is opened in the first of them. */
const looks = [
  { theme: 'dark', size: { width: 1440, height: 900 } },
  { theme: 'light', size: { width: 390, height: 844 } },
  { theme: 'light', size: { width: 1920, height: 900 } },
  { theme: 'dark', size: { width: 390, height: 844 } },
] as const;
const widths = [1024, 1920, 390] as const;
/** A stream continues until it is cut. */
const STREAM_SECONDS = 1;
/** For a terminal, without a placeholder to fill in, and writing no file. */
const RUNNABLE = /^curl (?!.*(YOUR_KEY|JOB_ID|CACHE_KEY|-[oO] ))/;
const BYTES_MAX = 2 ** 28;
const CURL_TIME_IS_OVER = 28;

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Further rows of tables and lists: most of what axe takes, to find the same again. */
const REPEATED = [
  'tbody tr:nth-child(n+4)',
  'tbody:nth-of-type(n+4)',
  'li:nth-child(n+4)',
  '.row:nth-child(n+4)',
];

/** Those of WCAG 2.1 AA. */
const rules = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], resultTypes: ['violations'] };

/** What keeps people from using the page. */
export async function barriers(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in self"))) await page.evaluate(axe.source);
  const place = isLong ? 'document' : JSON.stringify({ exclude: REPEATED });
  const asked = `axe.run(${place}, ${JSON.stringify(rules)}).then(({ violations }) => violations)`;
  return ((await page.evaluate(asked)) as readonly Finding[]).flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Until every panel has what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.locator('section.panel').first().waitFor(WAIT);
  const isLoading = "document.querySelector('[data-freshness=loading]') !== null";
  await vi.waitUntil(async () => !(await page.evaluate(isLoading)), WAIT);
}

async function expectFits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  const widthAndExcess = '[innerWidth, document.documentElement.scrollWidth - innerWidth]';
  expect(await page.evaluate(widthAndExcess)).toEqual([width, 0]);
}

/**
 * The end of the test about a page: it says that the market is simulated, axe finds nothing as it is now, and nothing
 * sticks out on a phone. With `LONG=1` there are other tests for every size and theme.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.getByText('Simulated market').waitFor();
  if (isLong) return;
  expect(await barriers(page)).toEqual([]);
  await expectFits(page, 390);
}

/** A page as it was opened, in the dark and on a desktop: nothing sticks out at any width, and axe finds nothing. */
export async function expectUsable(page: Page): Promise<void> {
  await page.getByText('Simulated market').waitFor();
  for (const width of widths) await expectFits(page, width);
  // axe takes the colours of rows that are cut off for those of what is below the table.
  const unfold = page.getByRole('button', { name: /^Show all/ });
  while ((await unfold.count()) > 0) await unfold.first().click();
  let theme: string = looks[0].theme;
  for (const look of looks) {
    await page.setViewportSize(look.size);
    if (look.theme !== theme) await page.getByRole('button', { name: `Use the ${look.theme} theme` }).click();
    theme = look.theme;
    expect(await barriers(page), `${theme}, ${look.size.width} pixels wide`).toEqual([]);
  }
}

/** That nothing moved by itself since the page was opened. */
export async function expectSteady(page: Page): Promise<void> {
  expect(await page.evaluate('shifted')).toBeLessThan(SHIFT_MAX);
}

/** The calls behind a panel. */
export async function callsOf(panel: Locator): Promise<readonly string[]> {
  await panel.getByRole('button', { name: 'API', exact: true }).click();
  const texts = await panel.locator('pre[data-snippet]').allInnerTexts();
  await panel.page().keyboard.press('Escape');
  return texts;
}

/** Pastes a call into a shell. */
export async function pasted(call: string): Promise<string> {
  const isStream = call.includes('curl -N');
  const curl = `curl() { command curl --fail-with-body -sS ${isStream ? `-m ${STREAM_SECONDS}` : ''} "$@"; }`;
  const result = await new Promise<{ code: string | number; out: string }>((resolve) => {
    execFile('sh', ['-c', `${curl}\n${call}`], { maxBuffer: BYTES_MAX }, (error, out) =>
      resolve({ code: error ? (error.code ?? 'killed') : 0, out }),
    );
  });
  // That its time is over is how a stream ends.
  const isGood = result.code === 0 || (isStream && result.code === CURL_TIME_IS_OVER);
  expect(isGood, `${call}: ${result.code} ${result.out.slice(0, 200)}`).toBe(true);
  return result.out;
}

/** Every panel shows its calls, and those for a terminal work as printed. */
export async function expectCalls(page: Page): Promise<void> {
  const commands = new Set<string>();
  for (const panel of await page.locator('section.panel').all()) {
    const calls = await callsOf(panel);
    expect(calls.length, `calls of ${await panel.getAttribute('aria-label')}`).toBeGreaterThan(0);
    for (const call of calls) if (RUNNABLE.test(call)) commands.add(call);
  }
  expect(commands.size).toBeGreaterThan(0);
  await Promise.all([...commands].map((call) => pasted(call)));
}
