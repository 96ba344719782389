import { expect, test } from 'vitest';
import { isBotWall } from './bot-wall.ts';

const page = (title: string): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">${title}</head><body>…</body></html>`;

test.each([
  '<title>Just a moment...</title>',
  '<TITLE>\n  Just a moment...\n</TITLE>',
  '<title dir="ltr" data-x=\'1\'>Just a moment…</title>',
  '<title>One moment, please...</title>',
  '<title>Please Wait... | Cloudflare</title>',
  '<title>Attention Required! | Cloudflare</title>',
  '<title>Access Denied</title>',
  '<title>Access Denied - Sucuri Website Firewall</title>',
  '<title>Sucuri WebSite Firewall - Access Denied</title>',
  '<title>Checking your browser before accessing the site</title>',
  '<title>DDoS-Guard</title>',
  '<title>Human Verification</title>',
])('%s is the title of a wall', (title) => {
  expect(isBotWall(page(title))).toBe(true);
});

test.each([
  '<title>Bitcoin ETF Flow – All Data – Farside Investors</title>',
  '<title>Ethereum ETF Flow (US$m)</title>',
  '<title>ETF filings: access denied, just a moment later granted</title>',
  '<title>Please wait for the figures of today</title>',
  '<title></title>',
  '<meta name="description" content="Just a moment">',
  '',
])('%s is none', (title) => {
  expect(isBotWall(page(title))).toBe(false);
});

test('what a page says further down is not its title', () => {
  const html = page('<title>Bitcoin ETF Flow</title>').replace(
    '…',
    '<svg><title>Access denied</title></svg>',
  );
  expect(isBotWall(html)).toBe(false);
});
