import { expect, it } from 'vitest';
import { escapeControls, plainText } from './plain-text.ts';
import { printTable } from '../commands/print-table.ts';

it('takes escape sequences out of a text', () => {
  expect(plainText('a\u001b[31mb\u009bc\r\nd\u0007')).toBe('a\ufffd[31mb\ufffdc\ufffd\ufffdd\ufffd');
  expect(plainText('BTC → 100 %, 김치')).toBe('BTC → 100 %, 김치');
});

it('leaves none in a table', () => {
  expect(printTable([['coin'], ['\u001b]0;owned\u0007']])).toBe('coin\n\ufffd]0;owned\ufffd');
});

it('escapes terminal control sequences, and leaves plain lines and JSON unchanged', () => {
  const hostile = 'a\u001b]0;title\u0007\u009b31m\u007f';
  expect(escapeControls(`one\ttwo\n${hostile}`)).toBe('one\ttwo\na\\u001b]0;title\\u0007\\u009b31m\\u007f');
  // `JSON.stringify` leaves DEL and the C1 controls as they are.
  const json = JSON.stringify({ error: hostile });
  expect(escapeControls(json)).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(escapeControls(json))).toEqual({ error: hostile });
});
