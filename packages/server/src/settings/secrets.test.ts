import { allPublishers } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { Redactor } from '../capture/redact.ts';
import { readSettings } from './read-settings.ts';
import { secretsOf } from './secrets.ts';

const KEY = '0123456789abcdef';
const redacted = (text: string, ...args: readonly string[]): string =>
  new Redactor(secretsOf(readSettings(args, {}, allPublishers), allPublishers)).text(text);

it('are the values of secret settings', () => {
  expect(redacted('a my-token b', '--bitcoindata-api-token', 'my-token')).toBe('a [removed] b');
});

it('are private addresses: as a whole, their host, their path and the keys in them', () => {
  const args = [
    '--okx-rest-url',
    `https://node.example/v1/${KEY}`,
    '--okx-ws-url',
    `wss://h.example/?k=${KEY}`,
  ];
  for (const text of [`https://node.example/v1/${KEY}`, 'node.example', `/v1/${KEY}`, KEY, 'h.example'])
    expect(redacted(`<${text}>`, ...args)).toBe('<[removed]>');
});

it("are not the venues' own hosts, this machine's, nor paths of a few characters", () => {
  const known = `https://api.bytick.com/v5/${KEY}`;
  expect(redacted(known, '--bybit-rest-url', known)).toBe('https://api.bytick.com[removed]');
  const local = 'http://127.0.0.1:8091/hyperliquid';
  expect(redacted(local, '--hyperliquid-rest-url', local)).toBe(local);
  expect(redacted('/api/v5', '--okx-rest-url', 'https://mirror.example/api/v5')).toBe('/api/v5');
});
