import { expect, it, vi } from 'vitest';
import { PendingRows } from './pending-rows.ts';

function pendingRows() {
  const batches: { readonly rows: readonly number[]; end: () => void; fail: () => void }[] = [];
  const errors: string[] = [];
  const log = {
    debug: vi.fn(),
    info: vi.fn(),
    warn: vi.fn(),
    error: (_: object, text: string) => void errors.push(text),
  };
  const write = (rows: readonly number[]): Promise<void> =>
    new Promise((resolve, reject) => {
      batches.push({ rows, end: resolve, fail: () => reject(new Error('no space left')) });
    });
  return { pending: new PendingRows<number>({ max: 3, what: 'prints', log, write }), batches, errors };
}

it('holds at most its bound of rows while a write is under way', async () => {
  const { pending, batches, errors } = pendingRows();
  pending.add(1);
  const first = pending.write();
  for (const row of [2, 3, 4, 5, 6]) pending.add(row);
  expect(pending.dropped).toBe(2);
  expect(errors).toEqual(['too many prints wait to be written; the oldest are dropped']);
  batches[0]?.end();
  expect(await first).toBe(1);
  const second = pending.write();
  expect(batches[1]?.rows).toEqual([4, 5, 6]);
  batches[1]?.end();
  await second;
  expect(pending.dropped).toBe(2);
});

it('writes the newest rows again after a failure, as many as its bound', async () => {
  const { pending, batches } = pendingRows();
  pending.add(1);
  pending.add(2);
  const failing = pending.write();
  pending.add(3);
  pending.add(4);
  batches[0]?.fail();
  expect(await failing).toBeUndefined();
  expect([pending.isFailing, pending.dropped]).toEqual([true, 1]);
  const second = pending.write();
  expect(batches[1]?.rows).toEqual([2, 3, 4]);
  batches[1]?.end();
  expect(await second).toBe(4);
  expect(pending.isFailing).toBe(false);
});
