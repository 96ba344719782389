/**
 * A script of its own, which the document runs before all others: the worker of the hub starts while the page loads. The
 * page connects to the same one (`line.ts`), which is why it is made in the same way.
 */
export const worker =
  typeof SharedWorker === 'undefined'
    ? undefined
    : new SharedWorker(new URL('./worker.ts', import.meta.url), { type: 'module' });
