import { expect, it } from 'vitest';
import { listObjects } from './list-objects.ts';

it('reads few of many keys for a page', () => {
  const keys = ['a', 'b', 'c'].flatMap((name) =>
    Array.from({ length: 10_000 }, (_, i) => `${name}/${String(i).padStart(5, '0')}`),
  );
  let reads = 0;
  const counted = keys.map((key) => ({
    get key() {
      reads += 1;
      return key;
    },
    bytes: 1,
    madeAtMs: 1,
    md5: '',
  }));
  const all = { prefix: '', delimiter: '/', after: '', limit: 1_000 };
  expect(listObjects(counted, all)).toEqual({ objects: [], prefixes: ['a/', 'b/', 'c/'] });
  const first = listObjects(counted, { ...all, limit: 1 });
  expect(first).toEqual({ objects: [], prefixes: ['a/'], next: 'a/' });
  const rest = listObjects(counted, { ...all, after: 'a/' });
  expect(rest.prefixes).toEqual(['b/', 'c/']);
  const within = listObjects(counted, { prefix: 'b/', delimiter: '/', after: 'b/00006', limit: 2 });
  expect(within.objects.map(({ key }) => key)).toEqual(['b/00007', 'b/00008']);
  expect(within.next).toBe('b/00008');
  expect(reads).toBeLessThan(1_000);
});
