import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';
import { printTable } from './print-table.ts';

it('takes escape sequences out of a text', () => {
  expect(plainText('a\u001b[31mb\u009bc\r\nd\u0007')).toBe('a\ufffd[31mb\ufffdc\ufffd\ufffdd\ufffd');
  expect(plainText('BTC → 100 %, 김치')).toBe('BTC → 100 %, 김치');
});

it('leaves none in a table', () => {
  expect(printTable([['coin'], ['\u001b]0;owned\u0007']])).toBe('coin\n\ufffd]0;owned\ufffd');
});
