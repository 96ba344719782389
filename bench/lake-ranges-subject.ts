import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startTestApi } from '../packages/server/src/api/testing/test-api.ts';
import { RepairedTable } from '../packages/server/src/features/audit/repaired-table.ts';
import { Lake } from '../packages/server/src/features/lake/lake.ts';
import { LakeFolder } from '../packages/server/src/features/lake/lake-folder.ts';
import { lakePages } from '../packages/server/src/features/lake/lake-page.ts';
import type { JobRunner } from '../packages/server/src/platform/jobs.ts';
import { reportUsage } from './http-usage.mjs';

/**
 * A folder behind the interface's `/lake`, or, with `bare`, behind a plain server with a stream of the same range.
 * Arguments: the folder, the key of its file, `service` or `bare`.
 */
const [folder = '', key = '', kind] = process.argv.slice(2);
/** As large as the service's own reads: the plain server is the fastest one. */
const READ_BYTES = 262_144;

if (kind === 'bare') {
  const server = createServer((request, response) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    const [start, end] = [Number(from), Number(to)];
    response.writeHead(206, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - start + 1,
      'Content-Range': `bytes ${start}-${end}/*`,
    });
    createReadStream(join(folder, key), { start, end, highWaterMark: READ_BYTES }).pipe(response);
  });
  server.listen(0, '127.0.0.1', () => reportUsage((server.address() as { port: number }).port));
} else {
  let lake: Lake;
  const own = {
    get files() {
      return lake.files;
    },
    find: (one: string) => lake.find(one),
    manifest: () => lake.manifest(),
    isArchived: (one: string) => lake.isArchived(one),
  };
  const settings = { quota: 'report', trustProxy: false } as const;
  const api = await startTestApi({ hasTape: true, pages: lakePages(own), lake: own, settings });
  lake = new Lake({
    clock: api.clock,
    bus: api.bus,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    jobs: { stop: async () => undefined } as JobRunner,
    place: '',
    folder: await LakeFolder.open(folder, 2 ** 30),
    markets: api.tape.markets,
    repairs: new RepairedTable(api.tape.store),
    primaryVenue: 'hyperliquid',
    retentionDays: 7,
    prefix: '',
  });
  reportUsage(api.port);
}
