import { expect, test } from 'vitest';
import { createLog, warnOnce } from './log.ts';

function capture(secrets: readonly string[] = []) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets, to: { write: (line: string) => void lines.push(line) } });
  return { log, lines };
}

test('no key is written, wherever it stands', () => {
  const { log, lines } = capture(['coinalyze-"secret"']);
  const headers = { Authorization: 'Bearer abc123', 'x-api-key': ['abc123'], accept: '*/*' };
  log.info({ url: '/api/v1/perps/oi?api_key=abc123&venue=okx', request: { headers } }, 'asked');
  log.warn(
    { err: new Error('GET https://h/x?a=1&API_KEY=abc123#f failed') },
    'key coinalyze-"secret" refused',
  );
  log.error(
    { proxy: 'http://me:abc123@proxy:3128', q: encodeURIComponent('coinalyze-"secret"') },
    'ct_pro_abc123',
  );
  const written = lines.join('');
  expect(written).not.toContain('abc123');
  expect(written).not.toContain('secret');
  expect(written).toContain('venue=okx');
  expect(written).toContain('*/*');
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
});

test('lines below the level are left out', () => {
  const { log, lines } = capture();
  log.debug({}, 'detail');
  expect(lines).toEqual([]);
});

test('warnings are logged once per kind, and the number of kinds is bounded', () => {
  const { log, lines } = capture();
  const warn = warnOnce(log, 2);
  for (const kind of ['a', 'a', 'b', 'c', 'd', 'a', 'c']) warn(kind, { kind }, `problem ${kind}`);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'problem a',
    'problem b',
    'further kinds of problems are counted, not logged',
  ]);
});

test('an error keeps its message and cause, under whatever name it is logged', () => {
  const { log, lines } = capture();
  log.error({ error: new Error('outer', { cause: new Error('inner') }), count: 1 }, 'failed');
  const line = JSON.parse(lines.join('')) as { count: number; error: { message: string; stack: string } };
  expect(line.count).toBe(1);
  expect(line.error.message).toBe('outer: inner');
  expect(line.error.stack).toContain('caused by: Error: inner');
});
