import { Reply } from '../wire.ts';

export function success(result: unknown): Reply {
  return new Reply({ error: [], result });
}

/** Errors come with HTTP 200 [D]. */
export function failure(error: string): Reply {
  return new Reply({ error: [error] });
}
