import { expect, it, onTestFinished, vi } from 'vitest';
import { restartOnLeaseLoss } from './lease-terms.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Starts that the test completes, and a log of them. */
function scripted() {
  const starts: { lose: () => void; end: () => void; fail: (error: Error) => void }[] = [];
  const stopped: number[] = [];
  const start = (lose: () => void) =>
    new Promise<{ readonly n: number; stop(): Promise<void> }>((resolve, reject) => {
      const n = starts.length;
      const stop = async (): Promise<void> => void stopped.push(n);
      starts.push({ lose, end: () => resolve({ n, stop }), fail: reject });
    });
  return { start, starts, stopped };
}

it('starts again when the lease is lost, even before the first start has finished', async () => {
  const { start, starts, stopped } = scripted();
  const keeping = restartOnLeaseLoss(start, log);
  starts[0]?.lose();
  // Enough for a caller that does not wait for the start.
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toEqual([]);
  starts[0]?.end();
  const shifts = await keeping;
  await vi.waitUntil(() => starts.length === 2);
  expect(stopped).toEqual([0]);
  starts[1]?.end();
  await vi.waitUntil(() => shifts.shift.n === 1);
  starts[1]?.lose();
  await vi.waitUntil(() => starts.length === 3);
  starts[2]?.end();
  await vi.waitUntil(() => shifts.shift.n === 2);
  await shifts.stop();
  expect(stopped).toEqual([0, 1, 2]);
});

it('starts again only once when a start has both lost its lease and failed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { start, starts, stopped } = scripted();
  const keeping = restartOnLeaseLoss(start, log);
  starts[0]?.end();
  const shifts = await keeping;
  starts[0]?.lose();
  await vi.waitUntil(() => starts.length === 2);
  starts[1]?.lose();
  starts[1]?.fail(new Error('no server'));
  await vi.waitUntil(() => starts.length === 3);
  starts[2]?.end();
  await vi.waitUntil(() => shifts.shift.n === 2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(starts.length).toBe(3);
  expect(stopped).not.toContain(2);
});

it('tries again after a start that failed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { start, starts } = scripted();
  const keeping = restartOnLeaseLoss(start, log);
  starts[0]?.end();
  await keeping;
  starts[0]?.lose();
  await vi.waitUntil(() => starts.length === 2);
  starts[1]?.fail(new Error('no server'));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(starts.length).toBe(3);
});

it('reports that the first start failed, whatever was lost meanwhile, and does not start again', async () => {
  const { start, starts, stopped } = scripted();
  const keeping = restartOnLeaseLoss(start, log);
  starts[0]?.lose();
  starts[0]?.fail(new Error('no server'));
  await expect(keeping).rejects.toThrow('no server');
  await new Promise((resolve) => setImmediate(resolve));
  expect([starts.length, stopped]).toEqual([1, []]);
});
