/**
 * A separate script that the document runs first: the hub's worker starts while the page loads. The page connects to
 * the same one (`line.ts`), so it is created in the same way.
 */
export const worker =
  typeof SharedWorker === 'undefined'
    ? undefined
    : new SharedWorker(new URL('./worker.ts', import.meta.url), { type: 'module' });
