import { Reply } from '../wire.ts';

export function success(result: unknown): Reply {
  return new Reply({ error: [], result });
}

/** Errors have HTTP status 200 [D]. */
export function failure(error: string): Reply {
  return new Reply({ error: [error] });
}
