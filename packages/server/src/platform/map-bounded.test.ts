import { expect, test } from 'vitest';
import { mapBounded } from './map-bounded.ts';

test('keeps the order, and has no more under way than allowed', async () => {
  let open = 0;
  let most = 0;
  const results = await mapBounded([5, 1, 4, 2, 3], 2, async (n) => {
    most = Math.max(most, (open += 1));
    for (let i = 0; i < n; i += 1) await Promise.resolve();
    open -= 1;
    return n * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
});

test('fails with the first failure, and maps nothing without items', async () => {
  const mapped = mapBounded([1, 2, 3], 2, async (n) => (n === 2 ? Promise.reject(new Error('two')) : n));
  await expect(mapped).rejects.toThrow('two');
  expect(await mapBounded([], 2, async () => expect.fail('not called'))).toEqual([]);
});
