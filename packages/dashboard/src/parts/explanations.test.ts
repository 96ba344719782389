import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { explanationOf } from './explanations.ts';

const pages = fileURLToPath(new URL('../pages', import.meta.url));

/** Titles of panels with figures, as written; computed parts match anything. */
const titles = readdirSync(pages, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.svelte'))
  .flatMap((name) => {
    const source = readFileSync(join(pages, name), 'utf8');
    return [...source.matchAll(/<Panel\b[^]*?title="([^"]*)"[^]*?(?=\n<\/?|>\n)/g)]
      .filter(([tag]) => tag.includes('sources='))
      .map(([, title = '']) => title.replaceAll(/\{[^}]*\}+/g, 'X'));
  });

it('explains every panel that shows figures', () => {
  expect(titles.length).toBeGreaterThan(30);
  expect(titles.filter((title) => explanationOf(title) === undefined)).toEqual([]);
});

it('explains a panel by its own subject', () => {
  expect(explanationOf('BTC funding spread, % a year')?.unit).toContain('notional');
  expect(explanationOf('Open interest by expiry')?.unit).toBe('coins');
  expect(explanationOf('Positioning: share that is long')?.from).toBe('Binance and OKX');
  expect(explanationOf('New alert')).toBeUndefined();
});
