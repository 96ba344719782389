import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@crosstape/core';
import { BODY_BYTES_MAX, type HttpClient } from './http-client.ts';
import { reasonOf, SourceFailure } from './source-failure.ts';

/** Serves the contents of files as if a site had answered: paths of requests are paths of files. */
export function fileClient(clock: Clock): Pick<HttpClient, 'send' | 'close'> {
  return {
    async send({ path }) {
      try {
        const file = fileURLToPath(`file://${path}`);
        const { size } = await stat(file);
        if (size > BODY_BYTES_MAX)
          throw new SourceFailure('changed', `The file is larger than ${BODY_BYTES_MAX} bytes.`);
        return { body: new Uint8Array(await readFile(file)), receivedAtMs: clock.now(), ageMs: 0 };
      } catch (error) {
        if (error instanceof SourceFailure) throw error;
        throw new SourceFailure('down', `The file cannot be read (${reasonOf(error)}).`, {
          isUnsent: true,
          cause: error,
        });
      }
    },
    close: async () => undefined,
  };
}
